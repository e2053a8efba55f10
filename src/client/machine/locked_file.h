#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_LOCKED_FILE_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_LOCKED_FILE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace cursorwire {

// A private file that one process holds: it is read, and replaced as a whole. The lock is flock(2)
// on the file, and moves to the file that takes its place. Thread-compatible; move-only.
class LockedFile {
 public:
  enum class Missing { kMake, kRefuse };
  //   kNotFound            it is missing, or its folder is
  //   kFailedPrecondition  another process holds it; others may read it; it is no plain file
  //   and what the operating system says
  static absl::StatusOr<LockedFile> Open(const std::string& path, Missing missing);
  LockedFile(LockedFile&&) = default;
  LockedFile& operator=(LockedFile&&) = default;

  const std::string& path() const { return path_; }
  // All bytes of it.
  //   kResourceExhausted  it is larger than `max_bytes`
  absl::StatusOr<std::string> Read(size_t max_bytes) const;
  // Writes `bytes` beside it, brings them to the disk, and puts them in its place. If that fails,
  // the former file is still there.
  absl::Status Replace(std::string_view bytes);
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

// What the operating system says about a file, as an error that names it.
absl::Status FileError(std::string_view what, const std::string& path, int error);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_LOCKED_FILE_H_
