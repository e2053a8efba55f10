#include "process/pipe.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include "process/system_error.h"

namespace cursorwire::process {
namespace {

constexpr int kFirstFree = 3;  // after standard error

FileDescriptor AboveStandard(FileDescriptor file) {
  if (file.get() >= kFirstFree) return file;
  return FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstFree));
}

// While it lives, holds back a SIGPIPE of this thread; then discards it.
class SigpipeHeld {
 public:
  SigpipeHeld() {
    ::sigemptyset(&sigpipe_);
    ::sigaddset(&sigpipe_, SIGPIPE);
    sigset_t pending{};
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &sigpipe_, &old_mask_);
  }
  ~SigpipeHeld() {
    constexpr timespec kAtOnce{};
    while (!was_pending_ && ::sigtimedwait(&sigpipe_, nullptr, &kAtOnce) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  SigpipeHeld(const SigpipeHeld&) = delete;
  SigpipeHeld& operator=(const SigpipeHeld&) = delete;

 private:
  sigset_t sigpipe_{};
  sigset_t old_mask_{};
  bool was_pending_ = false;
};

}  // namespace

absl::StatusOr<Pipe> MakePipe() {
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0) return SystemError(errno);
  Pipe pipe{.read_end = AboveStandard(FileDescriptor(fds[0])),
            .write_end = AboveStandard(FileDescriptor(fds[1]))};
  if (pipe.read_end.get() < 0 || pipe.write_end.get() < 0) return SystemError(EMFILE);
  return pipe;
}

void SetNonBlocking(const FileDescriptor& end) {
  ::fcntl(end.get(), F_SETFL, ::fcntl(end.get(), F_GETFL) | O_NONBLOCK);
}

ptrdiff_t WriteToPipe(const FileDescriptor& end, const char* bytes, size_t size) {
  const SigpipeHeld held;
  const ssize_t count = ::write(end.get(), bytes, size);
  return count < 0 ? -errno : count;
}

}  // namespace cursorwire::process
