#include "log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace h2_bridge {

absl::StatusOr<LogFile> LogFile::Open(const std::string& path, cursorwire::connect::TimePoint now) {
  // Without waiting for whoever reads a pipe, and not through a link, whose target is another's.
  cursorwire::FileDescriptor fd(
      ::open(path.c_str(),
             O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW, 0600));
  if (!fd.valid()) {
    return absl::InvalidArgumentError("cannot open " + path + ": " +
                                      std::generic_category().message(errno));
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(path + " is not a regular file");
  }
  // One that was there may have been open to others.
  if ((info.st_mode & 0777) != 0600 && ::fchmod(fd.get(), 0600) != 0) {
    return absl::InvalidArgumentError(path + " belongs to somebody else");
  }
  return LogFile(std::move(fd), now);
}

void LogFile::Write(std::string_view line, cursorwire::connect::TimePoint now) {
  const auto time = std::chrono::floor<std::chrono::milliseconds>(now - start_);
  const std::string text = std::to_string(::getpid()) + " " + std::to_string(time.count()) +
                           " ms: " + std::string(line) + "\n";
  // A full disk must not end the relay.
  (void)!::write(fd_.get(), text.data(), text.size());
}

}  // namespace h2_bridge
