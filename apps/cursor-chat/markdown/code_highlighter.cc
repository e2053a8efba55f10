#include "markdown/code_highlighter.h"

#include <algorithm>
#include <string>

#include "markdown/text_width.h"

namespace cursor_chat::markdown {
namespace {

constexpr TextStyle kCommentStyle{.color = TextColor::kFaint};
constexpr TextStyle kStringStyle{.color = TextColor::kGreen};
constexpr TextStyle kNumberStyle{.color = TextColor::kYellow};
constexpr TextStyle kKeywordStyle{.color = TextColor::kMagenta};
constexpr TextStyle kNameStyle{.color = TextColor::kCyan};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Letters of other scripts count as well.
bool IsWordByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string WithoutTabs(std::string_view line) {
  constexpr size_t kTabStop = 4;
  if (line.find('\t') == line.npos) return std::string(line);
  std::string result;
  size_t columns = 0;
  while (!line.empty()) {
    if (line[0] == '\t') {
      const size_t spaces = kTabStop - columns % kTabStop;
      result.append(spaces, ' ');
      columns += spaces;
      line.remove_prefix(1);
      continue;
    }
    const Cluster cluster = TakeCluster(line);
    result += cluster.text;
    columns += cluster.columns;
  }
  return result;
}

StyledLine HighlightDiff(std::string_view line) {
  TextStyle style;
  if (line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") ||
      line.starts_with("index ")) {
    style.bold = true;
  } else if (line.starts_with('+')) {
    style.color = TextColor::kGreen;
  } else if (line.starts_with('-')) {
    style.color = TextColor::kRed;
  } else if (line.starts_with("@@")) {
    style.color = TextColor::kCyan;
  }
  StyledLine result;
  AddText(line, style, result);
  return result;
}

// The end of a string that has begun before `from`; npos if it does not end here.
size_t EndOfString(std::string_view text, size_t from, std::string_view quote) {
  for (size_t at = from; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text.substr(at).starts_with(quote)) {
      return at + quote.size();
    }
  }
  return text.npos;
}

// Whether the text begins with a quoted character, such as 'a' or '\n', and not with a lone quote.
bool IsCharacter(std::string_view text) {
  if (text.size() < 3) return false;
  if (text[1] == '\\') return true;
  std::string_view rest = text.substr(1);
  TakeCluster(rest);
  return rest.starts_with(text[0]);
}

bool IsBeforeColon(std::string_view rest) {
  const size_t next = rest.find_first_not_of(' ');
  return next != rest.npos && (rest[next] == ':' || rest[next] == '=');
}

// The first of the words, with spaces between them, with which `text` begins; empty if none.
std::string_view FirstOf(std::string_view words, std::string_view text) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (text.starts_with(word)) return word;
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return {};
}

}  // namespace

CodeHighlighter::CodeHighlighter(std::string_view language)
    : language_(FindCodeLanguage(language)) {}

StyledLine CodeHighlighter::Highlight(std::string_view line) {
  const std::string text = WithoutTabs(line);
  if (language_ != nullptr) {
    return language_->form == CodeLanguage::Form::kDiff ? HighlightDiff(text)
                                                        : HighlightProgram(text);
  }
  StyledLine result;
  AddText(text, {}, result);
  return result;
}

StyledLine CodeHighlighter::HighlightProgram(std::string_view line) {
  StyledLine result;
  size_t at = TakeOpen(line, result);
  while (at < line.size()) {
    const std::string_view rest = line.substr(at);
    size_t bytes = TakeComment(rest, at == 0 || line[at - 1] == ' ', result);
    if (bytes == 0) bytes = TakeString(rest, result);
    if (bytes == 0) bytes = TakeNumber(rest, result);
    if (bytes == 0) bytes = TakeWord(rest, result);
    if (bytes == 0) {
      AddText(rest.substr(0, 1), {}, result);
      bytes = 1;
    }
    at += bytes;
  }
  return result;
}

size_t CodeHighlighter::TakeOpen(std::string_view rest, StyledLine& result) {
  if (open_end_.empty()) return 0;
  size_t end = rest.npos;
  if (!open_is_comment_) {
    end = EndOfString(rest, 0, open_end_);
  } else if (const size_t found = rest.find(open_end_); found != rest.npos) {
    end = found + open_end_.size();
  }
  AddText(rest.substr(0, end), open_is_comment_ ? kCommentStyle : kStringStyle, result);
  if (end == rest.npos) return rest.size();
  open_end_ = {};
  return end;
}

size_t CodeHighlighter::TakeComment(std::string_view rest, bool after_space, StyledLine& result) {
  const std::string_view line = language_->line_comment;
  // "#" within a word begins no comment.
  if (!line.empty() && rest.starts_with(line) && (line != "#" || after_space)) {
    AddText(rest, kCommentStyle, result);
    return rest.size();
  }
  const std::string_view start = language_->block_comment_start;
  if (start.empty() || !rest.starts_with(start)) return 0;
  AddText(start, kCommentStyle, result);
  open_end_ = language_->block_comment_end;
  open_is_comment_ = true;
  return start.size() + TakeOpen(rest.substr(start.size()), result);
}

size_t CodeHighlighter::TakeString(std::string_view rest, StyledLine& result) {
  if (const std::string_view quote = FirstOf(language_->long_quotes, rest); !quote.empty()) {
    AddText(quote, kStringStyle, result);
    open_end_ = quote;
    open_is_comment_ = false;
    return quote.size() + TakeOpen(rest.substr(quote.size()), result);
  }
  const bool character = rest[0] == language_->character_quote && IsCharacter(rest);
  if (!character && language_->quotes.find(rest[0]) == rest.npos) return 0;
  const size_t end = EndOfString(rest, 1, rest.substr(0, 1));
  if (end == rest.npos) return 0;  // an apostrophe
  const bool name = language_->form == CodeLanguage::Form::kData && IsBeforeColon(rest.substr(end));
  AddText(rest.substr(0, end), name ? kNameStyle : kStringStyle, result);
  return end;
}

size_t CodeHighlighter::TakeNumber(std::string_view rest, StyledLine& result) const {
  if (!IsDigit(rest[0])) return 0;
  size_t end = 1;
  while (end < rest.size() &&
         (IsWordByte(rest[end]) || ((rest[end] == '.' || rest[end] == '\'') &&
                                    end + 1 < rest.size() && IsWordByte(rest[end + 1])))) {
    ++end;
  }
  AddText(rest.substr(0, end), kNumberStyle, result);
  return end;
}

size_t CodeHighlighter::TakeWord(std::string_view rest, StyledLine& result) const {
  if (!IsWordByte(rest[0]) && rest[0] != '#') return 0;
  const bool data = language_->form == CodeLanguage::Form::kData;
  size_t end = 1;
  while (end < rest.size() && (IsWordByte(rest[end]) || (data && rest[end] == '-'))) ++end;
  const std::string_view word = rest.substr(0, end);
  TextStyle style;
  if (HasWord(language_->keywords, word)) {
    style = kKeywordStyle;
  } else if (data && IsBeforeColon(rest.substr(end))) {
    style = kNameStyle;
  }
  AddText(word, style, result);
  return end;
}

}  // namespace cursor_chat::markdown
