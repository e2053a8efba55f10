#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_FOLDER_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_FOLDER_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

struct OutputFile {
  std::string path{};
  OpenFile file{};  // open for writing
};

// A folder of one handler for output of its commands that is too large for an answer, or that
// continues after the answer. Only the user can look into it. Created when first needed; the
// destructor removes it with its contents. Thread-safe.
class OutputFolder {
 public:
  // At most so many finished files are kept; then the oldest is removed.
  static constexpr size_t kKeptFiles = 16;

  // The folder is created in `parent`.
  explicit OutputFolder(std::string parent) : parent_(std::move(parent)) {}
  ~OutputFolder() { Remove(); }

  // $TMPDIR, or /tmp if that is not set or would need quotes in a shell.
  static std::string DefaultParent();

  // The folder's path; empty if it cannot be created.
  std::string path();
  // Creates a file. Errors as of ChangeError(); kCancelled after Remove().
  absl::StatusOr<OutputFile> Create(const std::string& name);
  // A name for a new file.
  std::string FreeName();
  // Renames one of its files and returns its new path, or the old one if that fails.
  std::string Rename(const std::string& path, const std::string& name);
  // The file is complete and may be removed to make room.
  void Retire(const std::string& path);
  void Discard(const std::string& path);
  bool Holds(const std::string& path) const;
  // Opens a file for reading. Errors as of FileError(); kNotFound for any other path.
  absl::StatusOr<OpenFile> Open(const std::string& path) const;
  // Removes everything; nothing can be created afterwards.
  void Remove();

 private:
  // The caller must hold the lock.
  absl::Status Make();
  void Unlink(const std::string& path);

  const std::string parent_;
  mutable std::mutex mutex_;
  std::string folder_;               // empty: not created yet; guarded by mutex_ like the rest
  OpenFile handle_;                  // of the folder
  std::set<std::string> paths_;      // of files that exist
  std::deque<std::string> retired_;  // oldest first
  uint64_t last_number_ = 0;
  bool removed_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_FOLDER_H_
