#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_READER_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_READER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "workspace/fs/open_file.h"
#include "workspace/fs/work_limit.h"

namespace cursorwire::workspace {

// Reads a file line by line. The file and its lines may have any size.
// Memory: `max_line_bytes` and one block. Thread-compatible.
class LineReader {
 public:
  struct Line {
    std::string_view bytes{};  // including "\n" or "\r\n"; valid until the next call
    bool cut = false;          // `bytes` is only the start of the line
  };

  // `file` and `limit` must outlive this.
  LineReader(const OpenFile& file, const WorkLimit& limit, size_t max_line_bytes);

  // The next line; nullopt at the end of the file, or when the limit is over.
  //   kUnknown  the file cannot be read
  absl::StatusOr<std::optional<Line>> Next();
  // Reads to the end and counts the lines that Next() has not returned.
  absl::StatusOr<int64_t> CountRest();
  // True if the limit was over before the end of the file.
  bool interrupted() const { return interrupted_; }

  // The first block of the file. Call before the first Next().
  absl::StatusOr<std::string_view> Peek();

 private:
  static constexpr size_t kBlockBytes = size_t{64} * 1024;

  // False at the end of the file.
  absl::StatusOr<bool> ReadBlock();
  // Passes over the rest of a line that was cut, which may be long: only once it is needed.
  absl::Status SkipCutLine();

  const OpenFile& file_;
  const WorkLimit& limit_;
  const size_t max_line_bytes_;
  std::string buffer_;
  size_t start_ = 0;    // where the bytes begin that were not returned yet
  std::string cut_;     // the line that was returned last, if it was cut
  bool skips_ = false;  // the rest of that line was not passed over yet
  bool end_ = false;
  bool interrupted_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_LINE_READER_H_
