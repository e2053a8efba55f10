#include "workspace/fs/new_folders.h"

#include <absl/status/status.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace cursorwire::workspace {

absl::Status NewFolders::Enter(const std::string& name) {
  constexpr mode_t kFolderModeBeforeUmask = 0777;
  const int parent = folder().fd();
  const bool made = ::mkdirat(parent, name.c_str(), kFolderModeBeforeUmask) == 0;
  if (!made && errno != EEXIST) return ChangeError(errno);
  OpenFile handle(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (handle.fd() < 0) return ChangeError(errno);
  entered_.push_back({.handle = std::move(handle), .name = name, .made = made});
  return absl::OkStatus();
}

NewFolders::~NewFolders() {
  while (!keep_ && !entered_.empty()) {
    const Entered last = std::move(entered_.back());
    entered_.pop_back();
    if (!last.made) continue;
    if (::unlinkat(folder().fd(), last.name.c_str(), AT_REMOVEDIR) != 0) return;
  }
}

}  // namespace cursorwire::workspace
