#ifndef CURSORWIRE_SRC_WORKSPACE_FS_NEW_FOLDERS_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_NEW_FOLDERS_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// Creates the folders on the way to a file, each within the one before. The destructor removes
// those that it created and that are still empty, unless they are kept. Thread-compatible.
class NewFolders {
 public:
  // `start` must outlive this.
  explicit NewFolders(const OpenFile& start) : start_(start) {}
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

  // Goes down one level and creates the folder if it does not exist. Does not follow a link. Errors
  // as of ChangeError().
  absl::Status Enter(const std::string& name);
  // The folder entered last.
  const OpenFile& folder() const { return entered_.empty() ? start_ : entered_.back().handle; }
  void Keep() { keep_ = true; }

 private:
  struct Entered {
    OpenFile handle{};
    std::string name{};
    bool made = false;
  };

  const OpenFile& start_;
  std::vector<Entered> entered_;
  bool keep_ = false;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_NEW_FOLDERS_H_
