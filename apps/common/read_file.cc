#include "common/read_file.h"

#include <cursorwire/connect/tls_options.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file_descriptor.h"

namespace cursor_apps {

absl::StatusOr<std::string> ReadDescriptor(int fd, const std::string& name, size_t max_bytes) {
  std::string text;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return absl::InvalidArgumentError("cannot read " + name + ": " +
                                        std::generic_category().message(errno));
    }
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > max_bytes) {
      return absl::InvalidArgumentError(name + " is larger than " +
                                        std::to_string(max_bytes / (1024 * 1024)) + " MiB");
    }
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const cursorwire::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    return absl::InvalidArgumentError("cannot read " + path + ": " +
                                      std::generic_category().message(errno));
  }
  return ReadDescriptor(file.get(), path, max_bytes);
}

absl::StatusOr<std::string> ReadCertificates(const std::string& file) {
  absl::StatusOr<std::string> pem = ReadFile(file);
  if (!pem.ok()) return pem.status();
  if (pem->empty()) return absl::InvalidArgumentError(file + " is empty");
  const auto context = cursorwire::connect::TlsContext::Create({.ca_pem = *pem});
  if (context.ok()) return pem;
  return absl::InvalidArgumentError(file + ": " + std::string(context.status().message()));
}

}  // namespace cursor_apps
