#include "standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace h2_bridge {
namespace {

mode_t KindOf(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

// Fails where pipes have no more room.
void GrowPipe(int fd) {
  if (::fcntl(fd, F_GETPIPE_SZ) < kMaxPipeBytes) (void)::fcntl(fd, F_SETPIPE_SZ, kMaxPipeBytes);
}

// The same pipe in place of `fd`, with flags of our own.
bool ReopenPipe(int fd) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const int own = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (own < 0) return false;
  const bool replaced = ::dup2(own, fd) == fd;
  ::close(own);
  return replaced;
}

ssize_t SendNow(int fd, std::string_view bytes) {
  return ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

void OpenMissingStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor, which is `fd`. Without /dev/null nothing can be
    // done.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

// Standard input needs no flag: it is read once poll() says that there is something.
StandardStreams::StandardStreams() : output_is_socket_(KindOf(STDOUT_FILENO) == S_IFSOCK) {
  if (KindOf(STDIN_FILENO) == S_IFIFO) GrowPipe(STDIN_FILENO);
  if (KindOf(STDOUT_FILENO) != S_IFIFO) return;
  GrowPipe(STDOUT_FILENO);
  if (ReopenPipe(STDOUT_FILENO)) return;
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) != 0) return;
  shared_flags_ = flags;
  (void)::fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
}

StandardStreams::~StandardStreams() {
  if (shared_flags_) (void)::fcntl(STDOUT_FILENO, F_SETFL, *shared_flags_);
}

ssize_t StandardStreams::Write(std::string_view bytes) const {
  if (output_is_socket_) return SendNow(STDOUT_FILENO, bytes);
  return ::write(STDOUT_FILENO, bytes.data(), bytes.size());
}

void WriteErrorLine(std::string_view line) {
  const std::string text = std::string(line.substr(0, kMaxErrorLineBytes - 1)) + "\n";
  if (KindOf(STDERR_FILENO) == S_IFSOCK) return (void)SendNow(STDERR_FILENO, text);
  pollfd entry{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&entry, 1, 0) != 1 || (entry.revents & POLLOUT) == 0) return;
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace h2_bridge
