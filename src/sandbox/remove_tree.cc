#include "sandbox/remove_tree.h"

#include <absl/strings/str_cat.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace cursorwire::sandbox {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kMaxWork{30};
constexpr uint64_t kMaxEntries = 10'000'000;

absl::Status CannotRemove(int error) {
  return LocalError(absl::StatusCode::kUnavailable,
                    absl::StrCat("a temporary folder cannot be removed: ",
                                 std::system_category().message(error)));
}

// Opens a folder that is no link, and takes what right on it is missing first.
FileDescriptor OpenFolder(int parent, const char* name) {
  const FileDescriptor found(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!found.valid() || ::fstat(found.get(), &facts) != 0) return FileDescriptor();
  if ((facts.st_mode & S_IRWXU) != S_IRWXU) {
    // fchmod() does not take such a descriptor. This name stands for the folder itself.
    ::chmod(absl::StrCat("/proc/self/fd/", found.get()).c_str(), S_IRWXU);
  }
  return FileDescriptor(::openat(found.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Empties a folder. A folder that is too deep in it is moved up into it, so that neither
// descriptors nor the stack are used up.
class Emptying {
 public:
  explicit Emptying(const FileDescriptor& top) : top_(top) {}

  absl::Status Run() {
    struct stat facts {};
    if (::fstat(top_.get(), &facts) != 0) return CannotRemove(errno);
    device_ = facts.st_dev;
    if ((facts.st_mode & S_IRWXU) != S_IRWXU) ::fchmod(top_.get(), S_IRWXU);
    // Each round opens the folder anew, and so sees what was moved into it.
    bool found = true;
    while (found && status_.ok()) {
      found = false;
      ForEach(top_, [&](const char* name) {
        found = true;
        RemoveEntry(top_, name, 1);
      });
    }
    return status_;
  }

 private:
  // Calls `look` for the entries of a folder, until there is an error.
  template <typename Look>
  void ForEach(const FileDescriptor& folder, const Look& look) {
    FileDescriptor again(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(
        again.valid() ? ::fdopendir(again.get()) : nullptr, &::closedir);
    if (entries == nullptr) return Fail(CannotRemove(errno));
    again.Release();
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's readdir() is safe for different streams
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string_view name(entry->d_name);
      if (name == "." || name == "..") continue;
      if (!HasTime()) return;
      look(entry->d_name);
      if (!status_.ok()) return;
    }
  }

  void RemoveEntry(const FileDescriptor& parent, const char* name, int depth) {
    if (Unlink(parent, name)) return;
    if (depth == kMaxDepth) return MoveUp(parent, name);
    const FileDescriptor folder = OpenFolder(parent.get(), name);
    struct stat facts {};
    if (!folder.valid() || ::fstat(folder.get(), &facts) != 0) return Fail(CannotRemove(errno));
    // Another file system is not ours to empty.
    if (facts.st_dev != device_) return Fail(CannotRemove(EXDEV));
    ForEach(folder, [&](const char* inner) { RemoveEntry(folder, inner, depth + 1); });
    if (status_.ok() && ::unlinkat(parent.get(), name, AT_REMOVEDIR) != 0) {
      Fail(CannotRemove(errno));
    }
  }

  // False: it is a folder with something in it, or cannot be removed.
  static bool Unlink(const FileDescriptor& folder, const char* name) {
    return ::unlinkat(folder.get(), name, 0) == 0 || errno == ENOENT ||
           ::unlinkat(folder.get(), name, AT_REMOVEDIR) == 0;
  }

  // A folder can be moved by who may write to it alone.
  void MoveUp(const FileDescriptor& folder, const char* name) {
    const FileDescriptor opened = OpenFolder(folder.get(), name);
    if (!opened.valid()) return Fail(CannotRemove(errno));
    // A name that is taken is passed by: the next number is tried.
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      const std::string moved = absl::StrCat(".moved-", ++moved_);
      if (::renameat2(folder.get(), name, top_.get(), moved.c_str(), RENAME_NOREPLACE) == 0) return;
      if (errno != EEXIST) break;
    }
    Fail(CannotRemove(errno));
  }

  bool HasTime() {
    if (++entries_ <= kMaxEntries && steady_clock::now() < deadline_) return true;
    Fail(LocalError(absl::StatusCode::kResourceExhausted,
                    "a temporary folder has too much in it to be removed; remove it by hand"));
    return false;
  }

  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  static constexpr int kMaxAttempts = 1000;
  static constexpr int kMaxDepth = 32;

  const FileDescriptor& top_;
  const steady_clock::time_point deadline_ = steady_clock::now() + kMaxWork;
  dev_t device_ = 0;
  uint64_t entries_ = 0;
  uint64_t moved_ = 0;
  absl::Status status_;
};

}  // namespace

absl::Status EmptyFolder(const FileDescriptor& folder) { return Emptying(folder).Run(); }

}  // namespace cursorwire::sandbox
