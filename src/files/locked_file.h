#ifndef CURSORWIRE_SRC_FILES_LOCKED_FILE_H_
#define CURSORWIRE_SRC_FILES_LOCKED_FILE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace cursorwire {

// A private file that one process holds: it is read, replaced as a whole, or appended to. The lock
// is flock(2) on the file, and moves to the file that takes its place. Thread-compatible;
// move-only.
class LockedFile {
 public:
  enum class Missing { kMake, kRefuse };
  //   kNotFound            it is missing, or its folder is
  //   kFailedPrecondition  another process holds it; others may read it; it is no plain file
  //   and what the operating system says
  static absl::StatusOr<LockedFile> Open(const std::string& path, Missing missing);
  // The same, but waits while another process holds it.
  //   kUnavailable  it holds it longer than `patience`
  //   kCancelled    `stop` was requested
  static absl::StatusOr<LockedFile> OpenInTurn(const std::string& path, Missing missing,
                                               std::chrono::milliseconds patience,
                                               const std::stop_token& stop);
  LockedFile(LockedFile&&) = default;
  LockedFile& operator=(LockedFile&&) = default;

  const std::string& path() const { return path_; }
  absl::StatusOr<size_t> Size() const;
  // All bytes of it.
  //   kResourceExhausted  it is larger than `max_bytes`
  absl::StatusOr<std::string> Read(size_t max_bytes) const;
  // Writes `bytes` beside it, brings them to the disk, and puts them in its place. If that fails,
  // the former file is still there.
  absl::Status Replace(std::string_view bytes);
  // Keeps the first `size` bytes, and writes `bytes` after them. If that fails, nothing or a part
  // of them stands there.
  absl::Status Append(size_t size, std::string_view bytes);
  // Unless another file has taken its place.
  void Remove();
  // Replace() has put a file in its place, even if it then failed to bring that to the disk.
  bool was_replaced() const { return replaced_; }

 private:
  // Nobody else has put a file where this one was.
  absl::Status CheckPlace() const;

  LockedFile(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
  bool replaced_ = false;
};

// How the name of the file ends that Replace() writes: a process that is killed may leave it.
inline constexpr char kBesideSuffix[] = ".cursorwire-new";

// Reads a private file as a whole, without its lock; nullopt: it is missing.
//   kFailedPrecondition  others may read or change it; it is another user's, or no plain file
//   kResourceExhausted   it is larger than `max_bytes`
//   and what the operating system says
absl::StatusOr<std::optional<std::string>> ReadPrivateFile(const std::string& path,
                                                           size_t max_bytes);

// What the operating system says about a file, as an error that names it.
absl::Status FileError(std::string_view what, const std::string& path, int error);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_FILES_LOCKED_FILE_H_
