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
  OpenFile file{};  // to be written
};

// A folder of one handler for what its commands print, where that is too much for an answer or goes
// on behind it. Nobody but the user may look into it. It is made when it is first needed, and
// removed with all that is in it by the destructor. Thread-safe.
class OutputFolder {
 public:
  // Finished files that are kept; then the oldest is removed.
  static constexpr size_t kKeptFiles = 16;

  // It is made in `parent`.
  explicit OutputFolder(std::string parent) : parent_(std::move(parent)) {}
  ~OutputFolder() { Remove(); }

  // $TMPDIR; /tmp if there is none, or if a shell would have to be told its name in quotes.
  static std::string DefaultParent();

  // Its path; empty if it cannot be made.
  std::string path();
  // A new file. Errors as of ChangeError(); kCancelled after Remove().
  absl::StatusOr<OutputFile> Create(const std::string& name);
  // A name for a new file.
  std::string FreeName();
  // Gives one of its files another name. Returns its path from then on.
  std::string Rename(const std::string& path, const std::string& name);
  // It is complete: it may be removed when others are.
  void Retire(const std::string& path);
  void Discard(const std::string& path);
  bool Holds(const std::string& path) const;
  // To be read. Errors as of FileError(); kNotFound of any other path.
  absl::StatusOr<OpenFile> Open(const std::string& path) const;
  // Removes all; nothing is made from then on.
  void Remove();

 private:
  // The caller holds the lock.
  absl::Status Make();
  void Unlink(const std::string& path);

  const std::string parent_;
  mutable std::mutex mutex_;
  std::string folder_;               // empty: not made yet; as the rest guarded by mutex_
  OpenFile handle_;                  // of it
  std::set<std::string> paths_;      // that exist
  std::deque<std::string> retired_;  // the oldest first
  uint64_t last_number_ = 0;
  bool removed_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_OUTPUT_FOLDER_H_
