#include "workspace/fs/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>
#include <vector>

#include "workspace/fs/open_file.h"

#if defined(SYS_openat2) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#define CURSORWIRE_HAS_OPENAT2 1
#endif

namespace cursorwire::workspace {
namespace {

constexpr int kMaxLinks = 40;            // the kernel's limit
constexpr int kMaxAttempts = 32;         // an attempt fails if somebody moves folders at that
                                         // moment
constexpr size_t kMaxOpenFolders = 256;  // of one walk: a process may be limited to 1024

int OpenByKernel([[maybe_unused]] int folder, [[maybe_unused]] const std::string& path,
                 [[maybe_unused]] int flags, [[maybe_unused]] Links links) {
#ifdef CURSORWIRE_HAS_OPENAT2
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Links::kRefuse) how.resolve |= RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
  return fd < 0 ? -errno : static_cast<int>(fd);
#else
  return -ENOSYS;
#endif
}

// One way down from a folder. Every folder on the way stays open, so that ".." in the target of a
// link returns to where the walk came from, even if folders were moved meanwhile.
class Walk {
 public:
  Walk(int folder, int flags, Links allowed) : folder_(folder), flags_(flags), allowed_(allowed) {}

  int Open(std::string_view path) {
    Push(path);
    while (!todo_.empty()) {
      const std::string part = std::move(todo_.back());
      todo_.pop_back();
      const int result = Step(part);
      if (result != kGoOn) return result;
    }
    return OpenHere(".");
  }

 private:
  static constexpr int kGoOn = INT_MIN;

  int Here() const { return passed_.empty() ? folder_ : passed_.back().fd(); }

  int OpenHere(const char* name) const {
    const int fd = ::openat(Here(), name, flags_ | O_NOFOLLOW);
    return fd < 0 ? -errno : fd;
  }

  // Returns an error, the file descriptor of the last part, or kGoOn.
  int Step(const std::string& part) {
    if (part == "..") {
      if (passed_.empty()) return -EXDEV;
      passed_.pop_back();
      return kGoOn;
    }
    OpenFile file(::openat(Here(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (file.fd() < 0) return -errno;
    struct stat facts {};
    if (::fstat(file.fd(), &facts) != 0) return -errno;
    const bool last = todo_.empty();
    if (S_ISLNK(facts.st_mode) && !(last && (flags_ & O_NOFOLLOW) != 0)) return Follow(file);
    if (S_ISDIR(facts.st_mode)) {
      if (passed_.size() == kMaxOpenFolders) return -ENAMETOOLONG;
      passed_.push_back(std::move(file));
      return kGoOn;
    }
    if (!last) return -ENOTDIR;
    const int fd = OpenHere(part.c_str());
    // ELOOP: it became a link after fstat(), so try again, unless a link was found there already.
    return fd == -ELOOP && !S_ISLNK(facts.st_mode) ? -EAGAIN : fd;
  }

  int Follow(const OpenFile& link) {
    if (allowed_ == Links::kRefuse || ++links_ > kMaxLinks) return -ELOOP;
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(link.fd(), "", target.data(), target.size());
    if (size < 0) return -errno;
    const std::string_view text(target.data(), static_cast<size_t>(size));
    if (text.empty()) return -ENOENT;
    if (text.size() == target.size()) return -ENAMETOOLONG;
    if (text.front() == '/') return -EXDEV;
    Push(text);
    return kGoOn;
  }

  // Its parts come next, the first one on top.
  void Push(std::string_view path) {
    while (!path.empty()) {
      const size_t slash = path.rfind('/');
      const std::string_view part = slash == path.npos ? path : path.substr(slash + 1);
      if (!part.empty() && part != ".") todo_.emplace_back(part);
      path = slash == path.npos ? std::string_view() : path.substr(0, slash);
    }
  }

  const int folder_;
  const int flags_;
  const Links allowed_;
  int links_ = 0;
  std::vector<OpenFile> passed_;
  std::vector<std::string> todo_;
};

int OpenOnce(int folder, const std::string& path, int flags, Resolver resolver, Links links) {
  if (resolver == Resolver::kKernel) {
    return OpenByKernel(folder, path.empty() ? "." : path, flags, links);
  }
  return Walk(folder, flags, links).Open(path);
}

}  // namespace

int OpenBeneath(int folder, const std::string& path, int flags, Resolver resolver, Links links) {
  for (int attempt = 1;; ++attempt) {
    const int result = OpenOnce(folder, path, flags | O_CLOEXEC, resolver, links);
    if ((result != -EAGAIN && result != -EINTR) || attempt == kMaxAttempts) return result;
  }
}

bool KernelResolves(int folder) {
  return OpenFile(OpenByKernel(folder, ".", O_PATH | O_CLOEXEC, Links::kFollow)).fd() >= 0;
}

}  // namespace cursorwire::workspace
