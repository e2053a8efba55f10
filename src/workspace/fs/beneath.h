#ifndef CURSORWIRE_SRC_WORKSPACE_FS_BENEATH_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_BENEATH_H_

#include <string>

namespace cursorwire::workspace {

// Who makes sure that a path does not leave its folder.
//   kKernel  openat2(2) with RESOLVE_BENEATH: Linux 5.6
//   kWalk    opens the path part by part and reads symbolic links itself
// Both follow links that stay within, and refuse those that are absolute, even if they point back.
enum class Resolver { kKernel, kWalk };

// Opens `path`, relative to `folder` and below it, with `flags` of open(2). With O_NOFOLLOW the
// last part may be no link. The check cannot be raced: what is opened was below the folder when its
// part of the path was passed. Returns a file descriptor that is closed on exec, or an error of
// errno.h as a negative number:
//   EXDEV   the path leads out
//   ELOOP   more than 40 links, a link of procfs, or the last part is one and O_NOFOLLOW
//   EAGAIN  it was moved meanwhile, again and again
int OpenBeneath(int folder, const std::string& path, int flags, Resolver resolver);

// False where openat2() is missing, or forbidden by a sandbox.
bool KernelResolves(int folder);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_BENEATH_H_
