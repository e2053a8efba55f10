#ifndef CURSORWIRE_SRC_CLIENT_TRACE_TRACE_FILES_H_
#define CURSORWIRE_SRC_CLIENT_TRACE_TRACE_FILES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"
#include "cursorwire/trace.h"

namespace cursorwire {

// The files of one trace: FILE, which is written, and FILE.1 and so on, which are older. All are
// private. While FILE is open here, it has a flock(2) that keeps other processes away.
// Thread-compatible; move-only.
class TraceFiles {
 public:
  // Errors: as of Trace::Open().
  static absl::StatusOr<TraceFiles> Open(const std::string& path, const TraceOptions& options,
                                         int64_t start_unix_us);

  // So many bytes more would make the file too long: Rotate() first.
  bool IsFull(size_t bytes) const;
  // Puts the file aside, and begins a new one.
  absl::Status Rotate();
  // A whole line, with its end.
  absl::Status Append(std::string_view line);

 private:
  TraceFiles(std::string path, const TraceOptions& options, int64_t start_unix_us)
      : path_(std::move(path)), options_(options), start_unix_us_(start_unix_us) {}

  std::string PathOf(size_t age) const;
  // Those that are there from before, which must be traces.
  absl::Status CheckFormerFiles() const;
  absl::Status PutAside() const;
  absl::Status Begin();

  std::string path_;
  TraceOptions options_;
  int64_t start_unix_us_ = 0;
  FileDescriptor file_;
  size_t bytes_ = 0;
  bool is_empty_ = true;  // but for its first line
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TRACE_TRACE_FILES_H_
