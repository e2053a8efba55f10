#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_COLLECTOR_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_COLLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "cursorwire/exec.h"

namespace cursorwire::workspace {

// Decides which results of a search to show, counted over all its files. Thread-compatible.
class ResultPage {
 public:
  ResultPage(size_t offset, std::optional<size_t> limit) : to_skip_(offset), limit_(limit) {}

  // Counts the next result and returns whether to show it.
  bool Take();

 private:
  size_t to_skip_;
  std::optional<size_t> limit_;
  size_t taken_ = 0;
};

// Collects the lines to show of one file: those that match and are on the page, and the lines
// around them, each once. Thread-compatible.
class LineCollector {
 public:
  struct Options {
    size_t before = 0;  // lines of context
    size_t after = 0;
    size_t max_line_bytes = 0;
  };

  // `page` and `lines_left` must outlive this. `lines_left`: the lines that still fit the whole
  // answer.
  LineCollector(const Options& options, ResultPage& page, size_t& lines_left)
      : options_(options), page_(page), lines_left_(lines_left) {}

  // Call once for each line, in order. `text` excludes the line end; `cut`: only the start of the
  // line. `match` is where its first match begins; nullopt: it has none.
  void Add(int64_t number, std::string_view text, bool cut, std::optional<size_t> match);
  // Of a longer line, the start of the match counts.
  size_t max_line_bytes() const { return options_.max_line_bytes; }

  // The lines and the count; the caller sets the path.
  GrepFile TakeFile();
  // True if there was no room for a line that should be shown.
  bool truncated() const { return truncated_; }

 private:
  GrepLine Make(int64_t number, std::string_view text, bool cut, std::optional<size_t> match) const;
  void Show(GrepLine line);

  const Options options_;
  ResultPage& page_;
  size_t& lines_left_;
  std::deque<GrepLine> before_;  // not shown yet, newest last
  size_t after_left_ = 0;
  GrepFile file_;
  bool truncated_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_COLLECTOR_H_
