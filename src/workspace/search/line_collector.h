#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_COLLECTOR_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_COLLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "cursorwire/exec.h"

namespace cursorwire::workspace {

// Which results of a search, counted over all its files, are to be shown. Thread-compatible.
class ResultPage {
 public:
  ResultPage(size_t offset, std::optional<size_t> limit) : to_skip_(offset), limit_(limit) {}

  // Counts the next result: is it one to show?
  bool Take();

 private:
  size_t to_skip_;
  std::optional<size_t> limit_;
  size_t taken_ = 0;
};

// Makes the list of lines of one file out of all its lines: those that match and are on the page,
// and the lines beside them, each once. Thread-compatible.
class LineCollector {
 public:
  struct Options {
    size_t before = 0;  // lines of context
    size_t after = 0;
    size_t max_line_bytes = 0;
  };

  // `page` and `lines_left`, how many lines the whole answer has room for, must outlive this.
  LineCollector(const Options& options, ResultPage& page, size_t& lines_left)
      : options_(options), page_(page), lines_left_(lines_left) {}

  // Each line once, in order. `text` is without its end; `cut` if it is only the start of the line.
  void Add(int64_t number, std::string_view text, bool cut, bool matches);

  // Lines and count; the path is the caller's.
  GrepFile TakeFile();
  // There was no room for a line that was to be shown.
  bool truncated() const { return truncated_; }

 private:
  GrepLine Make(int64_t number, std::string_view text, bool cut, bool is_context) const;
  void Show(GrepLine line);

  const Options options_;
  ResultPage& page_;
  size_t& lines_left_;
  std::deque<GrepLine> before_;  // not shown, the newest last
  size_t after_left_ = 0;
  GrepFile file_;
  bool truncated_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_COLLECTOR_H_
