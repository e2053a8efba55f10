#ifndef CURSORWIRE_SRC_DOCUMENTS_TEXT_PARSER_H_
#define CURSORWIRE_SRC_DOCUMENTS_TEXT_PARSER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/utf8_pieces.h"
#include "cursorwire/chat.h"
#include "cursorwire/documents/document.h"
#include "documents/line_start.h"
#include "documents/list_indents.h"

namespace cursorwire::documents {

// A part of the text has begun, goes on, or has ended.
struct PartStart {
  DocumentMetadata metadata;
};
struct PartContent {
  std::string text;  // never empty
};
struct PartEnd {};
using TextPart = std::variant<PartStart, PartContent, PartEnd>;

// Cuts the text of an answer at its code fences, as Builder says. The parts are the same wherever
// the text was cut into pieces; only where PartContent is cut may differ.
//
// Order: Add() any number of times, End(); then from the start again, for text after a tool.
// Memory: what is held back is the start of a line that may open a fence (at most
// kMaxFenceLineBytes after its blanks) or close one, and blanks that end a part unless text
// follows. held_bytes() counts all of it: a line of nothing but blanks or fence characters has no
// end of its own.
class TextParser {
 public:
  TextParser(TextFormat format, AgentMode mode) : format_(format), mode_(mode) {
    BeginLine(Place::kTextStart);
  }
  TextParser(const TextParser&) = delete;
  TextParser& operator=(const TextParser&) = delete;

  // Appends to `parts`: what is added to one part by one call is one PartContent.
  void Add(std::string_view bytes, std::vector<TextPart>& parts);
  // The text has ended: closes the open part, also within a fence.
  void End(std::vector<TextPart>& parts);
  size_t held_bytes() const { return line_.size() + held_.size(); }

 private:
  enum class Place {
    kTextStart,  // at the start of a line of text, which is held in line_ until it is known
    kText,
    kCodeStart,  // the same within a fence
    kCode,
  };

  void Read(std::string_view text);
  // Each takes what belongs to it from the front of `text`.
  void ReadTextStart(std::string_view& text);
  void ReadCodeStart(std::string_view& text);
  void ReadRestOfLine(std::string_view& text);
  // Moves up to `size` bytes to line_.
  void TakeLine(std::string_view& text, size_t size);
  // What line_ is, up to its line end or to where it is known.
  void DecideText(TextLineStart::Kind kind);
  void DecideCode(CodeLineStart::Kind kind);
  // The start of a line, or a piece of it.
  void PutLine(std::string_view line);
  void Put(std::string_view content);
  void OpenFence();
  void EndPart();
  void BeginLine(Place place);

  const TextFormat format_;
  const AgentMode mode_;
  Utf8Pieces characters_;
  ListIndents lists_;
  TextLineStart text_start_{lists_};
  CodeLineStart code_start_;
  Place place_ = Place::kTextStart;
  std::string line_;
  std::string held_;   // blanks after the content, which count only if more follows
  bool open_ = false;  // a part is
  Fence fence_;        // that is open
  std::vector<TextPart>* parts_ = nullptr;  // during Add() and End()
  size_t known_parts_ = 0;                  // that were there before
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_TEXT_PARSER_H_
