#ifndef CURSORWIRE_SRC_WORKSPACE_EDIT_KNOWN_FILES_H_
#define CURSORWIRE_SRC_WORKSPACE_EDIT_KNOWN_FILES_H_

#include <absl/status/status.h>

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "workspace/edit/file_state.h"

namespace cursorwire::workspace {

// What the agent was told of files: by what it read, by "there is no such file", and by what it
// wrote and deleted itself. So a change of somebody else is noticed before the agent writes what it
// made of the old text. Paths are absolute and without symbolic links. A file that is not in here
// may be written. Thread-safe.
class KnownFiles {
 public:
  // The file that was not read or written for the longest time is forgotten.
  static constexpr size_t kMaxFiles = 1000;

  // The agent was told this of what is on the disk.
  void Tell(const std::string& path, const FileState& state);
  // The agent was told this text, which an editor has of the file. What is known of the disk stays.
  void TellText(const std::string& path, std::string_view text);

  // Whether the agent knows what the file holds now. A file that has gone is no loss, so it may be
  // made anew.
  //   kAborted  no: it was changed or made by somebody else
  absl::Status Check(const std::string& path, const FileState& now) const;
  // The same for the text that an editor has of it now.
  absl::Status CheckText(const std::string& path, std::string_view text) const;

 private:
  struct Known {
    std::string path{};
    FileState disk{};
    std::optional<size_t> text{};  // the hash of what an editor had
  };

  // The caller must hold the lock.
  Known& Use(const std::string& path);
  const Known* Find(const std::string& path) const;

  mutable std::mutex mutex_;
  std::list<Known> files_;  // the last used first; guarded by mutex_ like the rest
  std::unordered_map<std::string, std::list<Known>::iterator> places_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_EDIT_KNOWN_FILES_H_
