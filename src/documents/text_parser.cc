#include "documents/text_parser.h"

#include <utility>
#include <variant>

#include "base/strings.h"
#include "documents/info_string.h"

namespace cursorwire::documents {
namespace {

// Takes the line end off: "\n", "\r\n" or nothing.
std::string_view SplitLineEnd(std::string_view& line) {
  const std::string_view whole = line;
  if (!line.ends_with('\n')) return "";
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return whole.substr(line.size());
}

// Takes blanks off the start, up to `column`. A tab that goes beyond becomes the spaces that are
// left of it.
std::string Unindent(std::string_view line, size_t column) {
  size_t at = 0;
  while (at < column && !line.empty() && (line[0] == ' ' || line[0] == '\t')) {
    at = ColumnAfter(at, line[0]);
    line.remove_prefix(1);
  }
  return std::string(at > column ? at - column : 0, ' ').append(line);
}

// Whether code in it may have fences of its own.
bool IsMarkdown(const DocumentMetadata& metadata) {
  const auto* code = std::get_if<CodeBlockMetadata>(&metadata);
  const auto* lines = std::get_if<CodeReferenceMetadata>(&metadata);
  const std::string language = ToLower(code != nullptr ? code->language : lines->language);
  return language == "markdown" || language == "md" || language == "mdx";
}

}  // namespace

void TextParser::Add(std::string_view bytes, std::vector<TextPart>& parts) {
  parts_ = &parts;
  known_parts_ = parts.size();
  Read(characters_.Next(bytes));
}

void TextParser::End(std::vector<TextPart>& parts) {
  parts_ = &parts;
  known_parts_ = parts.size();
  Read(characters_.Last(""));
  // A line that is only held has no line end.
  if (place_ == Place::kTextStart && !line_.empty()) DecideText(text_start_.End());
  if (place_ == Place::kCodeStart && !line_.empty()) DecideCode(code_start_.End());
  EndPart();
  lists_.Clear();
  BeginLine(Place::kTextStart);
}

void TextParser::Read(std::string_view text) {
  while (!text.empty()) {
    switch (place_) {
      case Place::kTextStart:
        ReadTextStart(text);
        break;
      case Place::kCodeStart:
        ReadCodeStart(text);
        break;
      case Place::kText:
      case Place::kCode:
        ReadRestOfLine(text);
        break;
    }
  }
}

void TextParser::ReadTextStart(std::string_view& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '\n';
    const TextLineStart::Kind kind = ends ? text_start_.End() : text_start_.Add(text[i]);
    if (!ends && kind == TextLineStart::Kind::kUndecided) continue;
    TakeLine(text, ends ? i + 1 : text.find('\n', i));
    return DecideText(kind);
  }
  TakeLine(text, text.size());
}

void TextParser::ReadCodeStart(std::string_view& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '\n';
    const CodeLineStart::Kind kind = ends ? code_start_.End() : code_start_.Add(text[i]);
    if (!ends && kind == CodeLineStart::Kind::kUndecided) continue;
    const size_t end = ends ? i + 1 : text.find('\n', i);
    code_start_.AddRest(text.substr(i + 1, end - i - 1));
    TakeLine(text, end);
    return DecideCode(kind);
  }
  TakeLine(text, text.size());
}

void TextParser::TakeLine(std::string_view& text, size_t size) {
  const std::string_view taken = text.substr(0, size);
  line_ += taken;
  text.remove_prefix(taken.size());
}

void TextParser::ReadRestOfLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view piece = text.substr(0, end);
  if (!piece.empty()) PutLine(piece);
  if (place_ == Place::kCode) code_start_.AddRest(piece);
  text.remove_prefix(piece.size());
  if (end == std::string_view::npos) return;
  text.remove_prefix(1);
  held_ += '\n';
  BeginLine(place_ == Place::kText ? Place::kTextStart : Place::kCodeStart);
}

void TextParser::DecideText(TextLineStart::Kind kind) {
  const bool ended = line_.ends_with('\n');
  if (kind == TextLineStart::Kind::kFence) return OpenFence();
  if (kind == TextLineStart::Kind::kBlank) {
    if (open_) held_ += line_;
    return BeginLine(Place::kTextStart);
  }
  PutLine(line_);
  line_.clear();
  if (ended) return BeginLine(Place::kTextStart);
  place_ = Place::kText;
}

void TextParser::DecideCode(CodeLineStart::Kind kind) {
  const bool ended = line_.ends_with('\n');
  if (kind == CodeLineStart::Kind::kClose) {
    EndPart();
    return BeginLine(Place::kTextStart);
  }
  if (fence_.column == 0) {
    PutLine(line_);
  } else {
    PutLine(Unindent(line_, fence_.column));
  }
  line_.clear();
  if (ended) return BeginLine(Place::kCodeStart);
  place_ = Place::kCode;
}

void TextParser::PutLine(std::string_view line) {
  std::string_view content = line;
  std::string_view blanks = SplitLineEnd(content);
  if (blanks.empty() && content.ends_with('\r')) {  // maybe of the line end
    content.remove_suffix(1);
    blanks = "\r";
  }
  Put(content);
  held_ = blanks;
}

void TextParser::Put(std::string_view content) {
  if (!open_) {
    parts_->push_back(PartStart{TextMetadata{format_}});
    open_ = true;
  }
  if (held_.empty() && content.empty()) return;
  // Lines of one piece become one content: they are many.
  const bool goes_on =
      parts_->size() > known_parts_ && std::holds_alternative<PartContent>(parts_->back());
  if (!goes_on) parts_->emplace_back(PartContent{});
  std::string& text = std::get<PartContent>(parts_->back()).text;
  text += held_;
  text += content;
  held_.clear();
}

void TextParser::OpenFence() {
  std::string_view line = line_;
  SplitLineEnd(line);
  EndPart();
  DocumentMetadata metadata = ReadInfoString(line.substr(text_start_.info_start()), mode_);
  fence_ = text_start_.fence();
  code_start_.Open(fence_, IsMarkdown(metadata));
  parts_->push_back(PartStart{std::move(metadata)});
  open_ = true;
  BeginLine(Place::kCodeStart);
}

void TextParser::EndPart() {
  held_.clear();
  if (std::exchange(open_, false)) parts_->push_back(PartEnd{});
}

void TextParser::BeginLine(Place place) {
  place_ = place;
  line_.clear();
  if (place == Place::kTextStart) text_start_.Begin();
  if (place == Place::kCodeStart) code_start_.Begin();
}

}  // namespace cursorwire::documents
