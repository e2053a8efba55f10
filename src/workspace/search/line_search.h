#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_SEARCH_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_SEARCH_H_

#include <absl/status/statusor.h>

#include <cstddef>

#include "workspace/fs/open_file.h"
#include "workspace/fs/work_limit.h"
#include "workspace/search/line_collector.h"
#include "workspace/search/pattern.h"

namespace cursorwire::workspace {

// Searched bytes of one line; the rest is not searched. Less for a complex pattern:
// Pattern::max_text_bytes().
inline constexpr size_t kMaxSearchedLineBytes = size_t{256} * 1024;
// Searched bytes of one file if matches may span lines. Less for a complex pattern, too.
inline constexpr size_t kMaxSearchedTextBytes = size_t{8} * 1024 * 1024;

enum class SearchEnd {
  kComplete,
  kIncomplete,  // over a limit: not all of it was searched
  kBinary,      // there is a zero byte near its start; no line of it was passed on
};

// Passes each line of `file`, and whether it matches, to `lines`.
//   kUnknown  the file cannot be read
absl::StatusOr<SearchEnd> SearchLines(const OpenFile& file, const Pattern& pattern,
                                      const WorkLimit& limit, LineCollector& lines);

// The same for a pattern that may span lines: a line matches if a match has a part in it.
absl::StatusOr<SearchEnd> SearchText(const OpenFile& file, const Pattern& pattern,
                                     const WorkLimit& limit, LineCollector& lines);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_SEARCH_H_
