#ifndef CURSORWIRE_SRC_BASE_LINE_SPLITTER_H_
#define CURSORWIRE_SRC_BASE_LINE_SPLITTER_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire {

// Cuts what a peer sends into lines, at whatever points it comes in pieces. A carriage return at
// the end of a line is removed, and empty lines are skipped.
//
// Order: Feed() any number of times; after each, Next() until it returns nullopt. An incomplete
// line at the end is never a line. Memory: `max_line_bytes` and what was fed since the last Next().
// Thread-compatible.
class LineSplitter {
 public:
  struct Line {
    std::string text{};  // empty if the line is too long
    bool too_long = false;
  };

  explicit LineSplitter(size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  // A line over the limit is reported as soon as that is known; the rest of it is skipped.
  void Feed(std::string_view bytes);
  std::optional<Line> Next();
  bool has_line() const { return !lines_.empty(); }
  // Bytes of lines that were not handed out yet.
  size_t buffered_bytes() const { return whole_bytes_ + partial_.size(); }

 private:
  void Append(std::string_view bytes);
  void EndLine();
  void RefuseLine();

  const size_t max_line_bytes_;
  std::deque<Line> lines_;
  size_t whole_bytes_ = 0;  // in lines_
  std::string partial_;
  bool skips_ = false;  // the rest of a line that is too long
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_LINE_SPLITTER_H_
