#ifndef CURSORWIRE_SRC_SANDBOX_PRIVATE_FOLDER_H_
#define CURSORWIRE_SRC_SANDBOX_PRIVATE_FOLDER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "base/file_descriptor.h"

namespace cursorwire::sandbox {

// A folder that this process alone has, for what commands write to /tmp. Its name tells the process
// and when that started, and it is locked while it is in use: those of processes that were killed
// are found by this, and removed when the next one is made.
class PrivateFolder {
 public:
  // Below `parent`, an absolute path; empty: below TMPDIR, or /tmp if that is not set to one.
  //   kUnavailable  it cannot be made; says why
  static absl::StatusOr<std::unique_ptr<PrivateFolder>> Create(const std::string& parent = "");
  // Removes it. What cannot be removed is left to the next process.
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  // Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  // Removes it and all that is in it, whatever its modes are. Follows no link.
  //   as of EmptyFolder()
  absl::Status Remove();

 private:
  PrivateFolder() = default;

  std::string path_;
  std::string name_;  // in the parent; empty: it was removed
  FileDescriptor parent_;
  FileDescriptor folder_;  // locked
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_PRIVATE_FOLDER_H_
