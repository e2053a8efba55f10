#ifndef CURSORWIRE_SRC_WORKSPACE_FS_WORKSPACE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_WORKSPACE_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/fs/beneath.h"
#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

enum class LastLink { kFollow, kRefuse };

// One folder of this machine with everything below it. The folder is opened once: if it is moved or
// replaced, this still means the original folder. Thread-safe.
//
// A place is a path relative to the folder, without ".", ".." and double slashes; "" is the folder
// itself.
//
// A value: copies share the open folder.
class Workspace {
 public:
  // Falls back to Resolver::kWalk if the kernel cannot resolve paths safely.
  //   kInvalidArgument  `folder` is not a folder, or cannot be opened
  static absl::StatusOr<Workspace> Open(const std::string& folder,
                                        Resolver resolver = Resolver::kKernel);

  // Absolute, without symbolic links.
  const std::string& folder() const { return folder_; }
  // The absolute path of a place.
  std::string AbsolutePath(std::string_view place) const;

  // The place that a path of the agent means. The path may be relative, absolute or a file: URI;
  // the folder may be spelled as given to Open() or as folder() returns it. ".." removes the part
  // before it from the text, without looking at the file system.
  //   kInvalidArgument   too long, contains a zero byte, or a URI that is malformed or of another
  //   host kPermissionDenied  not below the folder
  absl::StatusOr<std::string> Locate(std::string_view path) const;

  // The same folder, in which no link is followed: a place with one is kPermissionDenied.
  Workspace WithoutLinks() const;

  // The errors are those of PlaceError(); kNotFound also says if the folder itself was removed.
  // Opens what is there, of any kind, not for reading.
  absl::StatusOr<OpenFile> OpenPath(const std::string& place) const;
  absl::StatusOr<FileKind> KindOf(const std::string& place) const;
  //   kInvalidArgument  the place is not a folder
  absl::StatusOr<OpenFile> OpenFolder(const std::string& place,
                                      LastLink link = LastLink::kFollow) const;
  // Never waits for the other end of a pipe.
  //   kInvalidArgument  the place is not a regular file
  absl::StatusOr<OpenFile> OpenRegularFile(const std::string& place,
                                           LastLink link = LastLink::kFollow) const;

 private:
  using Parts = std::vector<std::string_view>;

  Workspace(std::string folder, std::string alias, OpenFile handle, Resolver resolver);

  // Whether the folder has been removed. Nothing is in it then.
  bool IsGone() const;
  absl::StatusOr<OpenFile> OpenAt(const std::string& place, int flags, LastLink link) const;

  std::string folder_;
  std::string alias_;                       // as given, absolute; empty if ambiguous
  std::shared_ptr<const OpenFile> handle_;  // shared by copies
  Resolver resolver_;
  Links links_ = Links::kFollow;
};

// The place of `name` in the folder at `place`.
std::string Join(std::string_view place, std::string_view name);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_WORKSPACE_H_
