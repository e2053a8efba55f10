#include "answer_writer.h"

#include <algorithm>
#include <variant>

#include "base/strings.h"

namespace cursor_collab {
namespace {

using cursorwire::collab::SharedText;
using cursorwire::collab::TextAnchor;
using cursorwire::collab::TextCursor;

constexpr char kAi[] = "ai";
constexpr char kStreamingEdit[] = "streaming_edit";
constexpr size_t kMaxPatternCharacters = 40;

uint32_t BeginOf(const Place& place, const SharedText& text) {
  if (const auto* insert = std::get_if<InsertPlace>(&place)) {
    return std::min(insert->at, text.length());
  }
  if (const auto* replace = std::get_if<ReplacePlace>(&place)) {
    return std::min(replace->begin, text.length());
  }
  return text.length();
}

uint32_t EndOf(const Place& place, const SharedText& text) {
  const auto* replace = std::get_if<ReplacePlace>(&place);
  return replace == nullptr ? BeginOf(place, text) : std::min(replace->end, text.length());
}

uint32_t CodePointsIn(std::string_view text) {
  return static_cast<uint32_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

// The last characters of a text.
std::string_view Tail(std::string_view text) {
  size_t at = text.size();
  for (size_t left = kMaxPatternCharacters; left > 0 && at > 0; --left) {
    do --at;
    while (at > 0 && (text[at] & 0xC0) == 0x80);
  }
  return text.substr(at);
}

}  // namespace

AnswerWriter::AnswerWriter(SharedText& text, const Place& place)
    : text_(text),
      replaces_(EndOf(place, text) > BeginOf(place, text)),
      begin_(text.AnchorAt(BeginOf(place, text))),
      end_(text.AnchorAt(EndOf(place, text))) {
  TextCursor cursor{
      .type = kAi, .position = range().end, .operation_type = replaces_ ? "replace" : "insert"};
  if (replaces_) cursor.anchor = range().begin;
  text_.SetCursor(cursor);
}

AnswerWriter::Range AnswerWriter::range() const {
  const uint32_t begin = text_.PlaceOf(begin_);
  return {.begin = begin, .end = replaces_ ? std::max(begin, text_.PlaceOf(end_)) : begin};
}

void AnswerWriter::Add(std::string_view piece) {
  pending_ += piece;
  if (!pending_.empty()) ShowStreaming();
}

std::optional<AnswerWriter::TimePoint> AnswerWriter::deadline() const {
  if (pending_.empty()) return std::nullopt;
  return wrote_ ? *wrote_ + kWriteInterval : TimePoint();
}

// Right after the last character that was written, or where that was.
uint32_t AnswerWriter::NextPlace() const {
  if (!last_) return range().begin;
  const uint32_t place = text_.PlaceOf(*last_);
  const bool is_there = place < text_.length() && text_.AnchorAt(place).element == last_->element;
  return is_there ? place + 1 : place;
}

absl::StatusOr<std::optional<AnswerWriter::Written>> AnswerWriter::Write(TimePoint now) {
  if (pending_.empty()) return std::nullopt;
  const uint32_t place = NextPlace();
  const uint32_t count = last_ ? 0 : range().end - place;
  const uint32_t length = CodePointsIn(pending_);
  if (absl::Status status = text_.Replace(place, count, pending_); !status.ok()) return status;
  pending_.clear();
  wrote_ = now;
  written_ += length;
  last_ = text_.AnchorAt(place + length - 1);
  ShowStreaming();
  return Written{.position = place, .length = length};
}

void AnswerWriter::ShowStreaming() {
  text_.SetCursor({.type = kStreamingEdit,
                   .position = NextPlace(),
                   .partial_pattern = std::string(Tail(pending_))});
}

void AnswerWriter::ShowEnd() { text_.SetCursor({.type = kAi, .position = NextPlace()}); }

}  // namespace cursor_collab
