#include "client/machine/process_environment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file_descriptor.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} * 1024 * 1024;
constexpr size_t kMaxFolderNames = 1000;

std::string Variable(const std::string& name) {
  // Unsafe only if another thread changes the environment, which our code never does.
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

bool IsSmallFile(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_size <= static_cast<off_t>(kMaxFileBytes);
}

std::optional<std::string> ReadAll(int fd) {
  std::string text;
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kMaxFileBytes) return std::nullopt;  // the file grew
  }
}

std::optional<std::string> File(const std::string& path) {
  // O_NONBLOCK: if a pipe is in the place of the file, open() must not block.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() || !IsSmallFile(file.get())) return std::nullopt;
  return ReadAll(file.get());
}

std::string Link(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return size < 0 ? "" : std::string(target.data(), static_cast<size_t>(size));
}

std::vector<std::string> Folder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entries(path, error);
  for (size_t looked_at = 0; !error && looked_at < kMaxFolderNames; ++looked_at) {
    if (entries == std::filesystem::directory_iterator()) break;
    std::error_code unknown;
    if (entries->is_directory(unknown)) names.push_back(entries->path().filename().string());
    entries.increment(error);
  }
  return names;
}

}  // namespace

ProcessEnvironment ReadProcessEnvironment() {
  return {.variable = Variable, .file = File, .link = Link, .folder = Folder};
}

}  // namespace cursorwire
