#include "markdown/source_line.h"

#include <algorithm>

namespace cursor_chat::markdown {
namespace {

// More spaces make a line code, whatever follows.
constexpr size_t kMostIndent = 3;

std::string_view AfterSpaces(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::string_view WithoutSpacesAtEnd(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}

size_t RunOf(char c, std::string_view text) {
  return std::min(text.find_first_not_of(c), text.size());
}

// A marker takes up to 4 spaces after it; more belong to code in the item.
void FinishMarker(std::string_view after, size_t marker_bytes, ListMarker& marker) {
  const size_t spaces = RunOf(' ', after);
  marker.empty = spaces == after.size();
  const size_t gap = marker.empty || spaces > 4 ? 1 : spaces;
  marker.content = marker.indent + marker_bytes + gap;
}

}  // namespace

std::string WithoutLeadingTabs(std::string_view line) {
  constexpr size_t kTabStop = 4;
  std::string spaces;
  while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) {
    spaces.append(line[0] == '\t' ? kTabStop - spaces.size() % kTabStop : 1, ' ');
    line.remove_prefix(1);
  }
  return spaces.append(line);
}

bool IsBlankLine(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

size_t IndentOf(std::string_view line) { return RunOf(' ', line); }

bool IsHeading(std::string_view line) {
  if (IndentOf(line) > kMostIndent) return false;
  const std::string_view text = AfterSpaces(line);
  const size_t level = RunOf('#', text);
  return level >= 1 && level <= 6 && (text.size() == level || text[level] == ' ');
}

bool IsRule(std::string_view line) {
  if (IndentOf(line) > kMostIndent) return false;
  const std::string_view text = WithoutSpacesAtEnd(AfterSpaces(line));
  if (text.empty() || std::string_view("*-_").find(text[0]) == text.npos) return false;
  const bool same = std::all_of(text.begin(), text.end(),
                                [&text](char c) { return c == text[0] || c == ' ' || c == '\t'; });
  return same && std::count(text.begin(), text.end(), text[0]) >= 3;
}

bool IsUnderline(std::string_view line) {
  if (IndentOf(line) > kMostIndent) return false;
  const std::string_view text = WithoutSpacesAtEnd(AfterSpaces(line));
  return !text.empty() && (text[0] == '-' || text[0] == '=') && RunOf(text[0], text) == text.size();
}

bool IsQuote(std::string_view line) {
  return IndentOf(line) <= kMostIndent && AfterSpaces(line).starts_with('>');
}

bool IsLinkDefinition(std::string_view line) {
  if (IndentOf(line) > kMostIndent) return false;
  const std::string_view text = AfterSpaces(line);
  return text.starts_with('[') && text.find("]:") != text.npos;
}

bool IsTableDelimiter(std::string_view line) {
  return line.find_first_not_of(" \t|:-") == line.npos && line.find('-') != line.npos &&
         line.find('|') != line.npos;
}

std::optional<ListMarker> ParseListMarker(std::string_view line) {
  constexpr size_t kMostDigits = 9;
  ListMarker marker;
  marker.indent = IndentOf(line);
  const std::string_view text = AfterSpaces(line);
  if (marker.indent > kMostIndent || text.empty()) return std::nullopt;
  size_t bytes = 1;
  if (const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
      digits > 0) {
    if (digits > kMostDigits || digits == text.size()) return std::nullopt;
    marker.number = std::stoul(std::string(text.substr(0, digits)));
    bytes = digits + 1;
  }
  marker.delimiter = text[bytes - 1];
  const std::string_view delimiters = marker.number ? ".)" : "-*+";
  if (delimiters.find(marker.delimiter) == delimiters.npos) return std::nullopt;
  if (text.size() > bytes && text[bytes] != ' ' && text[bytes] != '\t') return std::nullopt;
  FinishMarker(text.substr(bytes), bytes, marker);
  return marker;
}

std::optional<Fence> ParseFence(std::string_view line) {
  Fence fence;
  fence.indent = IndentOf(line);
  const std::string_view text = AfterSpaces(line);
  if (fence.indent > kMostIndent || text.empty() || (text[0] != '`' && text[0] != '~')) {
    return std::nullopt;
  }
  fence.mark = text[0];
  fence.length = RunOf(fence.mark, text);
  const std::string_view info = AfterSpaces(text.substr(fence.length));
  if (fence.length < 3 || (fence.mark == '`' && info.find('`') != info.npos)) return std::nullopt;
  fence.language = info.substr(0, info.find_first_of(" \t,{:"));
  return fence;
}

bool EndsFence(std::string_view line, const Fence& fence) {
  if (IndentOf(line) > kMostIndent) return false;
  const std::string_view text = WithoutSpacesAtEnd(AfterSpaces(line));
  return text.size() >= fence.length && RunOf(fence.mark, text) == text.size();
}

}  // namespace cursor_chat::markdown
