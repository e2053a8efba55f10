#ifndef CURSORWIRE_SRC_WORKSPACE_FS_WORKSPACE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_WORKSPACE_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "workspace/fs/beneath.h"
#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

enum class LastLink { kFollow, kRefuse };

// One folder of this machine, and what is below it. It is opened once: when it is moved or
// replaced, this goes on to mean the folder that it was. Thread-safe.
//
// A place is a path relative to the folder without ".", ".." and double slashes; "" is the folder.
class Workspace {
 public:
  // Falls back to Resolver::kWalk where the kernel cannot.
  //   kInvalidArgument  `folder` is none, or cannot be opened
  static absl::StatusOr<Workspace> Open(const std::string& folder,
                                        Resolver resolver = Resolver::kKernel);

  // Absolute, without symbolic links.
  const std::string& folder() const { return folder_; }
  // The absolute path of a place.
  std::string AbsolutePath(std::string_view place) const;

  // The place that a path of the agent means: relative, absolute or a file: URI, of the folder as
  // it was given to Open() or as folder() has it. ".." goes back in the text, not in the file
  // system.
  //   kInvalidArgument   too long, with a zero byte, or a URI of another host or that is malformed
  //   kPermissionDenied  not below the folder
  absl::StatusOr<std::string> Locate(std::string_view path) const;

  // Errors as of FileError().
  absl::StatusOr<FileKind> KindOf(const std::string& place) const;
  //   kInvalidArgument  it is no folder
  absl::StatusOr<OpenFile> OpenFolder(const std::string& place,
                                      LastLink link = LastLink::kFollow) const;
  // Never waits for the other end of a pipe.
  //   kInvalidArgument  it is no regular file
  absl::StatusOr<OpenFile> OpenRegularFile(const std::string& place,
                                           LastLink link = LastLink::kFollow) const;

 private:
  using Parts = std::vector<std::string_view>;

  Workspace(std::string folder, std::string alias, OpenFile handle, Resolver resolver);

  absl::StatusOr<OpenFile> OpenAt(const std::string& place, int flags, LastLink link) const;

  std::string folder_;
  std::string alias_;  // as given, absolute; empty if it cannot be told from the text
  OpenFile handle_;
  Resolver resolver_;
};

// `name` in the folder at `place`.
std::string Join(std::string_view place, std::string_view name);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_WORKSPACE_H_
