#include "session_kill.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "file_descriptor.h"

namespace cursor_chat {
namespace {

// Gives up on a session that begins processes faster than this.
constexpr int kRounds = 64;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// The session of a process, given its /proc folder, from its stat; 0 if the process is gone or a
// zombie. Source: man 5 proc: "pid (comm) state ppid pgrp session"; comm may contain anything.
pid_t SessionOf(const FileDescriptor& process) {
  const FileDescriptor file(::openat(process.get(), "stat", O_RDONLY | O_CLOEXEC));
  char buffer[512];
  const ssize_t count = file.open() ? ::read(file.get(), buffer, sizeof(buffer)) : -1;
  if (count <= 0) return 0;
  std::string_view text(buffer, static_cast<size_t>(count));
  const size_t comm_end = text.rfind(')');
  if (comm_end == text.npos || text.size() < comm_end + 3) return 0;
  const char state = text[comm_end + 2];
  if (state == 'Z' || state == 'X') return 0;
  text.remove_prefix(comm_end + 3);
  pid_t session = 0;
  for (int field = 0; field < 3; ++field) {  // ppid, pgrp, session
    const size_t start = text.find_first_not_of(' ');
    if (start == text.npos) return 0;
    text.remove_prefix(start);
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), session);
    if (error != std::errc()) return 0;
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
  }
  return session;
}

// A folder of /proc always stands for the same process, so the first way cannot hit another process
// that got the number later. Kernels before 5.1 have only the second.
void Kill(const FileDescriptor& process, pid_t id) {
#ifdef SYS_pidfd_send_signal
  if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0 ||
      errno != ENOSYS) {
    return;
  }
#endif
  ::kill(id, SIGKILL);
}

// Kills members that were not killed before; false if there were none.
bool KillMembers(pid_t session, std::set<pid_t>& killed) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc"));
  if (folder == nullptr) return false;
  bool found = false;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT: the stream is ours alone
    const std::string_view name = entry->d_name;
    pid_t id = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (error != std::errc() || *rest != '\0') continue;
    const FileDescriptor process(
        ::openat(::dirfd(folder.get()), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!process.open() || SessionOf(process) != session) continue;
    Kill(process, id);
    found = killed.insert(id).second || found;
  }
  return found;
}

}  // namespace

void KillSession(pid_t session) {
  ::kill(-session, SIGKILL);
  // A killed process starts no others. So if a round finds no new process, all are killed.
  std::set<pid_t> killed;
  for (int round = 0; round < kRounds && KillMembers(session, killed); ++round) {
  }
}

}  // namespace cursor_chat
