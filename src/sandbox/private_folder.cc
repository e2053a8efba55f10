#include "sandbox/private_folder.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "sandbox/remove_tree.h"

namespace cursorwire::sandbox {
namespace {

constexpr std::string_view kNameStart = "cursorwire-sandbox-";
constexpr int kMaxLooks = 100'000;  // entries of the parent
constexpr int kMaxRemovals = 64;    // a start must not take long

absl::Status CannotMake(std::string_view where, int error) {
  return LocalError(absl::StatusCode::kUnavailable,
                    absl::StrCat("a temporary folder cannot be made in ", ToAbsl(where), ": ",
                                 std::system_category().message(error),
                                 "; set TMPDIR to a folder that can be written"));
}

// When a process started, in clock ticks since the system did; nullopt: there is none.
// Source: man 5 proc, /proc/PID/stat.
std::optional<uint64_t> StartOf(pid_t pid) {
  const FileDescriptor file(
      ::open(absl::StrCat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  const ssize_t count = file.valid() ? ::read(file.get(), text.data(), text.size()) : -1;
  if (count <= 0) return std::nullopt;
  const absl::string_view stat(text.data(), static_cast<size_t>(count));
  // The name is in parentheses, and may contain any character.
  const size_t name_end = stat.rfind(')');
  if (name_end == absl::string_view::npos) return std::nullopt;
  const std::vector<absl::string_view> fields =
      absl::StrSplit(stat.substr(name_end + 1), ' ', absl::SkipEmpty());
  constexpr size_t kStart = 19;
  uint64_t start = 0;
  if (fields.size() <= kStart || !absl::SimpleAtoi(fields[kStart], &start)) return std::nullopt;
  return start;
}

// Whether the name is that of a private folder whose owner has ended.
bool IsLeft(std::string_view name) {
  if (!name.starts_with(kNameStart)) return false;
  const std::vector<absl::string_view> parts =
      absl::StrSplit(ToAbsl(name.substr(kNameStart.size())), '-');
  pid_t owner = 0;
  uint64_t start = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &owner) || owner <= 0 ||
      !absl::SimpleAtoi(parts[1], &start)) {
    return false;
  }
  return StartOf(owner) != std::optional<uint64_t>(start);
}

// Opens a folder of ours that nobody uses, and locks it. The lock also tells of owners that are in
// another container, whose numbers mean nothing here.
FileDescriptor OpenLeft(int parent, const char* name) {
  FileDescriptor found(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!found.valid() || ::fstat(found.get(), &facts) != 0 || facts.st_uid != ::geteuid()) {
    return FileDescriptor();
  }
  if ((facts.st_mode & S_IRWXU) != S_IRWXU) {
    ::chmod(absl::StrCat("/proc/self/fd/", found.get()).c_str(), S_IRWXU);
  }
  FileDescriptor folder(::openat(found.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return FileDescriptor();
  return folder;
}

// Folders that cannot be removed stay: they are no reason not to start.
void RemoveLeftFolders(const FileDescriptor& parent) {
  FileDescriptor again(::openat(parent.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(
      again.valid() ? ::fdopendir(again.get()) : nullptr, &::closedir);
  if (entries == nullptr) return;
  again.Release();
  int removals = 0;
  for (int look = 0; look < kMaxLooks && removals < kMaxRemovals; ++look) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's readdir() is safe for different streams
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) return;
    if (!IsLeft(entry->d_name)) continue;
    const FileDescriptor folder = OpenLeft(parent.get(), entry->d_name);
    if (!folder.valid()) continue;
    ++removals;
    if (EmptyFolder(folder).ok()) ::unlinkat(parent.get(), entry->d_name, AT_REMOVEDIR);
  }
}

std::string ParentPath(const std::string& wish) {
  if (!wish.empty()) return wish;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* variable = std::getenv("TMPDIR");
  const std::string path = variable == nullptr ? "" : variable;
  struct stat facts {};
  const bool is_folder =
      path.starts_with('/') && ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  return is_folder ? path : "/tmp";
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateFolder>> PrivateFolder::Create(const std::string& parent) {
  std::array<char, PATH_MAX> resolved{};
  const std::string wish = ParentPath(parent);
  if (::realpath(wish.c_str(), resolved.data()) == nullptr) return CannotMake(wish, errno);
  const std::string where = resolved.data();
  std::unique_ptr<PrivateFolder> made(new PrivateFolder);
  made->parent_ = FileDescriptor(::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!made->parent_.valid()) return CannotMake(where, errno);
  const std::optional<uint64_t> start = StartOf(::getpid());
  // Without /proc nothing is known of owners.
  if (start) RemoveLeftFolders(made->parent_);

  std::string path = absl::StrCat(where, where == "/" ? "" : "/", ToAbsl(kNameStart), ::getpid(),
                                  "-", start.value_or(0), "-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) return CannotMake(where, errno);
  made->path_ = path;
  made->name_ = path.substr(path.rfind('/') + 1);
  made->folder_ = FileDescriptor(::openat(made->parent_.get(), made->name_.c_str(),
                                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made->folder_.valid() || ::flock(made->folder_.get(), LOCK_EX | LOCK_NB) != 0) {
    return CannotMake(where, errno);
  }
  return made;
}

PrivateFolder::~PrivateFolder() { Remove().IgnoreError(); }

absl::Status PrivateFolder::Remove() {
  if (name_.empty()) return absl::OkStatus();
  if (folder_.valid()) {
    if (absl::Status status = EmptyFolder(folder_); !status.ok()) return status;
  }
  // Removes an empty folder at most, whatever has that name by now.
  if (::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    return LocalError(absl::StatusCode::kUnavailable,
                      absl::StrCat("the temporary folder ", path_,
                                   " cannot be removed: ", std::system_category().message(errno)));
  }
  name_.clear();
  return absl::OkStatus();
}

}  // namespace cursorwire::sandbox
