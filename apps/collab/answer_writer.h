#ifndef CURSORWIRE_APPS_COLLAB_ANSWER_WRITER_H_
#define CURSORWIRE_APPS_COLLAB_ANSWER_WRITER_H_

#include <absl/status/statusor.h>
#include <cursorwire/collab/shared_text.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "options.h"

namespace cursor_collab {

// Writes an answer into a text that others edit, as it comes, and shows where. The place stays at
// its characters, also where others take some of them away. Source: docs/collab/presence.md,
// "cursor-collab agent".
//
// Order: the text is open; Add() for each piece, Write() at deadline() and at the end. No clock:
// times come in.
class AnswerWriter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Between two changes of the document.
  static constexpr std::chrono::milliseconds kWriteInterval{50};

  // Shows the cursor at the place.
  AnswerWriter(cursorwire::collab::SharedText& text, const Place& place);

  // Where the answer will stand, in the present text; it may replace something.
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  Range range() const;

  void Add(std::string_view piece);
  // When to write what was added; nullopt: nothing was.
  std::optional<TimePoint> deadline() const;

  struct Written {
    uint32_t position = 0;
    uint32_t length = 0;
  };
  // What stood there before goes with the first piece. nullopt: nothing is to be written.
  absl::StatusOr<std::optional<Written>> Write(TimePoint now);
  // Shows the cursor at the end of the answer.
  void ShowEnd();

  // In all, in code points.
  uint32_t written() const { return written_; }

 private:
  uint32_t NextPlace() const;
  void ShowStreaming();

  cursorwire::collab::SharedText& text_;
  const bool replaces_;
  // Right of where the answer begins, and of what it replaces.
  const cursorwire::collab::TextAnchor begin_;
  const cursorwire::collab::TextAnchor end_;
  std::optional<cursorwire::collab::TextAnchor> last_{};  // the last character that was written
  std::string pending_;
  std::optional<TimePoint> wrote_{};
  uint32_t written_ = 0;
};

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_ANSWER_WRITER_H_
