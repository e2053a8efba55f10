#ifndef CURSORWIRE_SRC_WORKSPACE_FS_BENEATH_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_BENEATH_H_

#include <string>

namespace cursorwire::workspace {

// How to make sure that a path does not leave its folder.
//   kKernel  openat2(2) with RESOLVE_BENEATH: Linux 5.6
//   kWalk    opens the path part by part and reads symbolic links itself
// Both follow links that stay below the folder, and refuse absolute links, even if they lead back.
enum class Resolver { kKernel, kWalk };

enum class Links { kFollow, kRefuse };

// Opens `path`, relative to `folder` and below it, with `flags` of open(2). With O_NOFOLLOW the
// last part must not be a link. The check cannot be raced: what is opened was below the folder when
// its part of the path was passed. Returns a file descriptor that is closed on exec, or an error of
// errno.h as a negative number:
//   EXDEV   the path leads out of the folder
//   ELOOP   more than 40 links, a link of procfs, any link with Links::kRefuse, or the last part is
//           a link and O_NOFOLLOW is set
//   EAGAIN  the path was moved meanwhile, repeatedly
int OpenBeneath(int folder, const std::string& path, int flags, Resolver resolver, Links links);

// False if openat2() is missing, or forbidden by a sandbox.
bool KernelResolves(int folder);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_BENEATH_H_
