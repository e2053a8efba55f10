#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_SEARCH_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_SEARCH_H_

#include <absl/status/statusor.h>

#include <cstddef>

#include "pattern/pattern.h"
#include "workspace/fs/open_file.h"
#include "workspace/fs/work_limit.h"
#include "workspace/search/line_collector.h"

namespace cursorwire::workspace {

// At most so many bytes of a line are searched, or fewer for a complex pattern: see
// Pattern::max_text_bytes().
inline constexpr size_t kMaxSearchedLineBytes = size_t{256} * 1024;
// At most so many bytes of a file are searched if matches may span lines; likewise fewer for a
// complex pattern.
inline constexpr size_t kMaxSearchedTextBytes = size_t{8} * 1024 * 1024;

enum class SearchEnd {
  kComplete,
  kIncomplete,  // a limit was reached: a part was not searched
  kBinary,      // a zero byte near the start of the file; no lines were passed on
};

// Passes each line of `file` to `lines`, together with whether it matches.
//   kUnknown  the file cannot be read
absl::StatusOr<SearchEnd> SearchLines(const OpenFile& file, const Pattern& pattern,
                                      const WorkLimit& limit, LineCollector& lines);

// The same for a pattern that may span lines: a line matches if a match touches it.
absl::StatusOr<SearchEnd> SearchText(const OpenFile& file, const Pattern& pattern,
                                     const WorkLimit& limit, LineCollector& lines);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_SEARCH_H_
