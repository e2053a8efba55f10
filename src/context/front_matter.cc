#include "context/front_matter.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>

#include "base/strings.h"

namespace cursorwire::context {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlank = " \t\r";

std::string_view Stripped(std::string_view text) {
  const size_t start = text.find_first_not_of(kBlank);
  if (start == text.npos) return "";
  return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

// Removes and returns the first line, without its line end.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool IsQuote(char c) { return c == '"' || c == '\''; }

// Walks through text and knows what is within quotes. A quote begins where a word does.
class QuoteState {
 public:
  // Returns whether `c` is outside of quotes, and no quote itself.
  bool Pass(char c) {
    if (quote_ != 0) {
      if (c == quote_ && !escaped_) quote_ = 0;
      escaped_ = quote_ == '"' && c == '\\' && !escaped_;
      return false;
    }
    if (IsQuote(c) && at_start_) {
      quote_ = c;
      return false;
    }
    at_start_ = kBlank.find(c) != kBlank.npos || c == ',' || c == '[';
    return true;
  }
  bool open() const { return quote_ != 0; }

 private:
  char quote_ = 0;
  bool escaped_ = false;
  bool at_start_ = true;
};

// Without a comment at its end, and blanks around it.
std::string_view WithoutComment(std::string_view text) {
  QuoteState quotes;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool plain = quotes.Pass(text[i]);
    if (plain && text[i] == '#' && (i == 0 || kBlank.find(text[i - 1]) != kBlank.npos)) {
      return Stripped(text.substr(0, i));
    }
  }
  // A quote that nobody closes is an apostrophe.
  const size_t comment = quotes.open() ? text.find(" #") : text.npos;
  return Stripped(text.substr(0, comment));
}

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && IsQuote(text.front()) && text.front() == text.back();
}

// What a scalar means: quotes and the escapes within them are taken out.
std::string ValueOf(std::string_view text) {
  text = Stripped(text);
  if (!IsQuoted(text)) return std::string(text);
  const char quote = text.front();
  text = text.substr(1, text.size() - 2);
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : 0;
    if (quote == '\'' && text[i] == '\'' && next == '\'') ++i;
    if (quote == '"' && text[i] == '\\' && (next == '"' || next == '\\')) ++i;
    if (quote == '"' && text[i] == '\\' && next == 'n') {
      value += '\n';
      ++i;
      continue;
    }
    value += text[i];
  }
  return value;
}

// Cuts at commas that are not within quotes, braces or brackets, and at the ends of lines.
std::vector<std::string_view> SplitList(std::string_view list) {
  std::vector<std::string_view> parts;
  QuoteState quotes;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '\n') {
      quotes = QuoteState();
      depth = 0;
    } else {
      if (!quotes.Pass(c)) continue;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (c != ',' || depth > 0) continue;
    }
    parts.push_back(list.substr(start, i - start));
    start = i + 1;
  }
  parts.push_back(list.substr(start));
  return parts;
}

// "a, b", "\"a\", \"b\"" or "\"a, b\"".
void AddGlobs(std::string_view list, std::vector<std::string>& globs) {
  for (const std::string_view part : SplitList(list)) {
    const std::string glob = ValueOf(part);
    if (!IsQuoted(Stripped(part))) {
      if (!glob.empty()) globs.push_back(glob);
      continue;
    }
    for (const std::string_view inner : SplitList(glob)) {
      if (const std::string_view one = Stripped(inner); !one.empty()) globs.emplace_back(one);
    }
  }
}

// Looks for the bracket that closes the first one, in text that comes in pieces.
class BracketSearch {
 public:
  // How much of the piece is up to that bracket; nullopt: it is not in there.
  std::optional<size_t> Next(std::string_view piece) {
    for (size_t i = 0; i < piece.size(); ++i) {
      if (!quotes_.Pass(piece[i])) continue;
      if (piece[i] == '[') ++depth_;
      if (piece[i] == ']' && --depth_ == 0) return i + 1;
    }
    return std::nullopt;
  }

 private:
  QuoteState quotes_;
  int depth_ = 0;
};

// A value with what belongs to it on further lines.
struct HeadValue {
  std::string text{};               // of a scalar, still quoted
  std::vector<std::string> list{};  // of a list, one an element, still quoted
  bool is_block = false;            // `text` is what it means
};

class HeadReader {
 public:
  explicit HeadReader(std::string_view head) {
    while (!head.empty()) lines_.push_back(TakeLine(head));
  }

  FrontMatter Read() {
    FrontMatter result;
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_++];
      const size_t colon = line.find(':');
      if (IsIndented(line) || line.starts_with('#') || colon == line.npos) continue;
      const std::string key = ValueOf(line.substr(0, colon));
      const HeadValue value = ReadValue(line.substr(colon + 1));
      if (key == "alwaysApply") {
        result.always = value.text == "true" || value.text == "True" || value.text == "TRUE";
      } else if (key == "description") {
        result.description = value.is_block ? value.text : ValueOf(value.text);
      } else if (key == "globs") {
        result.globs.clear();
        AddGlobs(value.text, result.globs);
        for (const std::string& one : value.list) AddGlobs(one, result.globs);
      }
    }
    return result;
  }

 private:
  static bool IsIndented(std::string_view line) {
    return line.starts_with(' ') || line.starts_with('\t');
  }
  static bool IsElement(std::string_view line) {
    return line == "-" || line.starts_with("- ") || line.starts_with("-\t");
  }
  // Whether the next line belongs to the value that was begun.
  bool GoesOn() const {
    return at_ < lines_.size() && (IsIndented(lines_[at_]) || Stripped(lines_[at_]).empty());
  }

  HeadValue ReadValue(std::string_view rest) {
    std::string text(WithoutComment(rest));
    if (text.starts_with('>') || text.starts_with('|')) return ReadBlock(text);
    if (text.empty() && ReadElements()) return {.list = std::move(elements_)};
    if (text.starts_with('[') && ReadBrackets(text)) return {.list = std::move(elements_)};
    while (GoesOn()) {
      const std::string_view more = WithoutComment(lines_[at_++]);
      if (more.empty()) continue;
      absl::StrAppend(&text, text.empty() ? "" : " ", ToAbsl(more));
    }
    return {.text = std::move(text)};
  }

  // "|" keeps the lines, ">" makes one of them.
  HeadValue ReadBlock(std::string_view header) {
    if (header.find_first_not_of("+-0123456789", 1) != header.npos) {
      return {.text = std::string(header)};
    }
    const std::string_view between = header.front() == '|' ? "\n" : " ";
    HeadValue value{.is_block = true};
    while (GoesOn()) {
      const std::string_view line = Stripped(lines_[at_++]);
      if (line.empty()) continue;
      absl::StrAppend(&value.text, value.text.empty() ? "" : ToAbsl(between), ToAbsl(line));
    }
    return value;
  }

  // Lines that begin with "-", indented or not.
  bool ReadElements() {
    elements_.clear();
    bool found = false;
    for (size_t at = at_; at < lines_.size(); ++at) {
      const std::string_view line = WithoutComment(lines_[at]);
      if (!line.empty() && !IsElement(line)) break;
      if (line.empty()) continue;
      elements_.emplace_back(Stripped(line.substr(1)));
      at_ = at + 1;
      found = true;
    }
    return found;
  }

  // "[a, b]", also over several lines. False: it is a glob that begins with a bracket.
  bool ReadBrackets(std::string& text) {
    BracketSearch search;
    size_t before = 0;  // what was searched
    std::optional<size_t> end = search.Next(text);
    while (!end && (GoesOn() || (at_ < lines_.size() && lines_[at_].starts_with(']')))) {
      before = text.size();
      absl::StrAppend(&text, " ", ToAbsl(WithoutComment(lines_[at_++])));
      end = search.Next(std::string_view(text).substr(before));
    }
    if (!end || before + *end != text.size()) return false;
    elements_ = {text.substr(1, text.size() - 2)};
    return true;
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  std::vector<std::string> elements_;
};

}  // namespace

std::optional<FrontMatter> TakeFrontMatter(std::string_view& text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view rest = text;
  const std::string_view first = TakeLine(rest);
  if (!first.starts_with("---") || Stripped(first) != "---" || first.size() == text.size()) {
    return std::nullopt;
  }
  const std::string_view head = rest;
  while (!rest.empty()) {
    const size_t before = head.size() - rest.size();
    if (Stripped(TakeLine(rest)) != "---") continue;
    text = rest;
    return HeadReader(head.substr(0, before)).Read();
  }
  return std::nullopt;
}

}  // namespace cursorwire::context
