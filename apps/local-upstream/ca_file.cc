#include "ca_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace local_upstream {
namespace {

std::string TemporaryTemplate() {
  // Unsafe only if another thread changes the environment, which this program never does.
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) +
         "/local-upstream-ca-XXXXXX.pem";
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

std::optional<CaFile> CaFile::Write(const std::string& path, const std::string& pem) {
  const bool temporary = path.empty();
  std::string name = temporary ? TemporaryTemplate() : path;
  const int fd = temporary ? ::mkstemps(name.data(), 4)
                           : ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return std::nullopt;
  CaFile file(std::move(name), temporary);
  const bool written = WriteAll(fd, pem);
  if (::close(fd) != 0 || !written) return std::nullopt;
  return file;
}

CaFile::CaFile(CaFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, false)) {}

CaFile::~CaFile() {
  if (temporary_) ::unlink(path_.c_str());
}

}  // namespace local_upstream
