#include "collab/room_agent/line_splice.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace cursorwire::room_agent {
namespace {

bool BeginsLine(std::string_view text, size_t at) { return at == 0 || text[at - 1] == '\n'; }
bool EndsLine(std::string_view text, size_t at) { return at == text.size() || text[at] == '\n'; }

bool HasEmptyLastLine(std::string_view lines) { return lines.empty() || lines.back() == '\n'; }

// Whether lines that replace a range must bring their last line feed with them.
bool NeedsFeed(std::string_view text, ByteRange range, std::string_view lines, bool ends_open) {
  const bool in_line = !BeginsLine(text, range.begin);
  if (range.end == text.size()) {
    const bool is_open = range.begin < range.end || in_line || (text.empty() && ends_open);
    return !is_open || HasEmptyLastLine(lines);
  }
  // What was in the line, or a line before it, ends here.
  if (range.begin < range.end || in_line) return text[range.end] != '\n';
  return true;
}

void PutLines(std::string_view text, ByteRange range, std::string_view lines, bool ends_open,
              LineSplice& splice) {
  const bool in_line = !BeginsLine(text, range.begin);
  const bool keeps_feed = range.begin < range.end && text[range.end - 1] == '\n';
  splice.at = range.begin;
  splice.count = range.end - range.begin - (keeps_feed ? 1 : 0);
  splice.begin = range.begin + (in_line ? 1 : 0);
  splice.end = splice.begin + static_cast<uint32_t>(lines.size());
  if (in_line) splice.text += '\n';
  splice.text += lines;
  if (!keeps_feed && NeedsFeed(text, range, lines, ends_open)) splice.text += '\n';
}

void TakeLines(std::string_view text, ByteRange range, LineSplice& splice) {
  if (range.begin == range.end) {
    splice.at = range.begin;
  } else {
    const bool in_line = !BeginsLine(text, range.begin);
    if (text[range.end - 1] == '\n') {
      if (in_line) --range.end;
    } else if (range.end == text.size()) {
      // The line before it ends the text as it did, unless that would be lost.
      if (!in_line && range.begin >= 2 && text[range.begin - 2] != '\n') --range.begin;
    } else if (text[range.end] == '\n') {
      if (!in_line) ++range.end;
    } else if (in_line) {
      splice.text = "\n";
    }
    splice.at = range.begin;
    splice.count = range.end - range.begin;
  }
  splice.begin = splice.end = splice.at;
}

// Whether `before` and `after` have a border of lines in front of the byte `at`.
bool HaveBorder(std::string_view before, std::string_view after, size_t at) {
  return BeginsLine(before, at) || (EndsLine(before, at) && EndsLine(after, at));
}

// Leaves the lines alone with which both the old and the new text begin, or end.
void LeaveEqualLines(std::string_view old, LineSplice& splice) {
  const std::string_view text = splice.text;
  const auto differ = std::mismatch(old.begin(), old.end(), text.begin(), text.end());
  auto front = static_cast<size_t>(differ.first - old.begin());
  while (!HaveBorder(old, text, front)) --front;

  const std::string_view old_rest = old.substr(front);
  const std::string_view rest = text.substr(front);
  const auto differ_back =
      std::mismatch(old_rest.rbegin(), old_rest.rend(), rest.rbegin(), rest.rend());
  auto back = static_cast<size_t>(differ_back.first - old_rest.rbegin());
  while (back > 0 && old_rest[old_rest.size() - back] != '\n' &&
         !(BeginsLine(old_rest, old_rest.size() - back) && BeginsLine(rest, rest.size() - back))) {
    --back;
  }

  splice.at += static_cast<uint32_t>(front);
  splice.count -= static_cast<uint32_t>(front + back);
  splice.text = std::string(rest.substr(0, rest.size() - back));
}

}  // namespace

std::optional<std::string> NormalizeLines(std::string_view content) {
  if (content.empty()) return std::nullopt;
  std::string valid;
  if (!IsUtf8(content)) content = valid = ToUtf8(content);
  std::string lines;
  lines.reserve(content.size());
  for (size_t i = 0; i < content.size(); ++i) {
    if (content[i] == '\r' && i + 1 < content.size() && content[i + 1] == '\n') continue;
    lines += content[i];
  }
  if (lines.back() == '\n') lines.pop_back();
  return lines;
}

uint32_t CountLines(std::string_view text) {
  const auto feeds = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
  return feeds + (text.empty() || text.back() == '\n' ? 0 : 1);
}

LineSplice SpliceLines(std::string_view text, ByteRange range,
                       const std::optional<std::string>& lines, bool ends_open) {
  LineSplice splice;
  if (lines) {
    PutLines(text, range, *lines, ends_open, splice);
  } else {
    TakeLines(text, range, splice);
  }
  LeaveEqualLines(text.substr(splice.at, splice.count), splice);
  return splice;
}

}  // namespace cursorwire::room_agent
