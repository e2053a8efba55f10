#include "workspace/search/line_collector.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

// The line from its start or, if a match is too far in it to be shown so, from a little before
// that match.
std::string_view FromMatch(std::string_view line, size_t match, size_t max_bytes) {
  const size_t before = max_bytes / 4;
  if (match <= max_bytes - before) return line;
  size_t from = match - before;
  const auto continues = [&line](size_t at) {  // a character of UTF-8
    return (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
  };
  while (from < match && continues(from)) ++from;
  return line.substr(from);
}

}  // namespace

bool ResultPage::Take() {
  if (to_skip_ > 0) {
    --to_skip_;
    return false;
  }
  if (limit_ && taken_ == *limit_) return false;
  ++taken_;
  return true;
}

void LineCollector::Add(int64_t number, std::string_view text, bool cut,
                        std::optional<size_t> match) {
  if (match) ++file_.count;
  if (match && page_.Take()) {
    for (GrepLine& line : before_) Show(std::move(line));
    before_.clear();
    Show(Make(number, text, cut, match));
    after_left_ = options_.after;
  } else if (after_left_ > 0) {
    --after_left_;
    Show(Make(number, text, cut, std::nullopt));
  } else if (options_.before > 0 && !truncated_) {
    if (before_.size() == options_.before) before_.pop_front();
    before_.push_back(Make(number, text, cut, std::nullopt));
  }
}

GrepFile LineCollector::TakeFile() { return std::move(file_); }

GrepLine LineCollector::Make(int64_t number, std::string_view text, bool cut,
                             std::optional<size_t> match) const {
  const std::string_view rest = FromMatch(text, match.value_or(0), options_.max_line_bytes);
  const std::string_view part = Utf8Prefix(rest, options_.max_line_bytes);
  return {.number = number,
          .text = absl::StrCat(rest.size() < text.size() ? "..." : "", ToUtf8(part)),
          .truncated = cut || part.size() < text.size(),
          .is_context = !match};
}

void LineCollector::Show(GrepLine line) {
  if (lines_left_ == 0) {
    truncated_ = true;
    return;
  }
  --lines_left_;
  file_.lines.push_back(std::move(line));
}

}  // namespace cursorwire::workspace
