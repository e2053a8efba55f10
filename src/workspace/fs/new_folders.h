#ifndef CURSORWIRE_SRC_WORKSPACE_FS_NEW_FOLDERS_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_NEW_FOLDERS_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// Folders that are made on the way to a file, one in the other. Those that this made and that are
// still empty are removed by the destructor, unless they are kept. Thread-compatible.
class NewFolders {
 public:
  // `start` must outlive this.
  explicit NewFolders(const OpenFile& start) : start_(start) {}
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

  // Goes down by one; a folder that is there by now will do. A link is not followed.
  // Errors as of ChangeError().
  absl::Status Enter(const std::string& name);
  // The last one.
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
