#include "process/process_session.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/strings.h"

namespace cursorwire::process {
namespace {

constexpr std::string_view kMarkName = "CURSORWIRE_COMMAND";
constexpr size_t kMarkBytes = 16;
constexpr size_t kMaxEnvironBytes = size_t{256} * 1024;
constexpr size_t kMaxNamedProcesses = 8;
constexpr size_t kMaxArgumentBytes = 256;  // of one of these
// A killed process may have started others just before. A round takes about a millisecond.
constexpr int kMaxRounds = 500;

// Fields of /proc/PID/stat; man 5 proc.
struct ProcessFacts {
  char state = 0;
  pid_t session = 0;
  uint64_t start = 0;  // in clock ticks since the system started
};

// The first `max_bytes` of a procfs file, whose size is not known in advance.
std::string ReadStart(int folder, const char* name, size_t max_bytes) {
  const FileDescriptor file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  std::string content;
  if (file.get() < 0) return content;
  std::array<char, 4096> block{};
  while (content.size() < max_bytes) {
    const ssize_t count = ::read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    content.append(block.data(), static_cast<size_t>(count));
  }
  return content;
}

std::optional<ProcessFacts> FactsOf(const FileDescriptor& process) {
  constexpr size_t kMaxStatBytes = 4096;
  const std::string stat = ReadStart(process.get(), "stat", kMaxStatBytes);
  // The name is in parentheses, and may contain any character.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<absl::string_view> fields =
      absl::StrSplit(absl::string_view(stat).substr(name_end + 1), ' ', absl::SkipEmpty());
  constexpr size_t kState = 0;
  constexpr size_t kSession = 3;
  constexpr size_t kStart = 19;
  ProcessFacts facts;
  if (fields.size() <= kStart || !absl::SimpleAtoi(fields[kSession], &facts.session) ||
      !absl::SimpleAtoi(fields[kStart], &facts.start)) {
    return std::nullopt;
  }
  facts.state = fields[kState].front();
  return facts;
}

bool HasMark(const FileDescriptor& process, std::string_view mark) {
  const std::string variables = ReadStart(process.get(), "environ", kMaxEnvironBytes);
  const std::vector<absl::string_view> list = absl::StrSplit(variables, '\0');
  return std::find(list.begin(), list.end(), ToAbsl(mark)) != list.end();
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

// The processes of one command.
class Session {
 public:
  Session(const FileDescriptor& proc, pid_t leader, std::string_view mark)
      : proc_(proc), leader_(leader), mark_(mark) {
    const FileDescriptor process(OpenProcess(absl::StrCat(leader)));
    if (const std::optional<ProcessFacts> facts = FactsOf(process)) start_ = facts->start;
  }

  // Those that it found alive, but for the leader.
  LeftProcesses KillAll() const {
    LeftProcesses left;
    KillEach([&left, this](const FileDescriptor& process, pid_t id) {
      // A process without arguments is about to end by itself.
      std::string arguments = ReadStart(process.get(), "cmdline", kMaxArgumentBytes);
      if (id == leader_ || arguments.empty()) return;
      ++left.count;
      arguments.resize(std::min(arguments.size(), kMaxArgumentBytes));
      if (left.first.size() < kMaxNamedProcesses) {
        left.first.push_back({.id = id, .arguments = std::move(arguments)});
      }
    });
    return left;
  }

  // True if it found a process that was alive.
  bool KillRest() const {
    return KillEach([](const FileDescriptor& /*process*/, pid_t /*id*/) {});
  }

 private:
  // Calls `look` before it kills a process.
  template <typename Look>
  bool KillEach(const Look& look) const {
    bool found = false;
    // Opened anew, so that reading starts at the first entry.
    FileDescriptor folder(::openat(proc_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) return false;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.get()), &::closedir);
    if (entries == nullptr) return false;
    folder.Release();
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's readdir() is safe for different streams
    while (const dirent* entry = ::readdir(entries.get())) {
      pid_t id = 0;
      if (!absl::SimpleAtoi(entry->d_name, &id) || id == ::getpid()) continue;
      const FileDescriptor process(OpenProcess(entry->d_name));
      if (!IsOfCommand(process)) continue;
      look(process, id);
      Kill(process, id);
      found = true;
    }
    return found;
  }

  int OpenProcess(const std::string& id) const {
    return ::openat(proc_.get(), id.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }

  bool IsOfCommand(const FileDescriptor& process) const {
    const std::optional<ProcessFacts> facts = FactsOf(process);
    if (!facts || facts->state == 'Z' || facts->state == 'X') return false;
    if (facts->session == leader_) return true;
    return facts->start >= start_ && HasMark(process, mark_);
  }

  const FileDescriptor& proc_;
  const pid_t leader_;
  const std::string_view mark_;
  uint64_t start_ = 0;
};

}  // namespace

std::string MakeCommandMark() {
  std::string bytes(kMarkBytes, '\0');
  // getrandom() returns so few bytes in full, once the system is up.
  [[maybe_unused]] const ssize_t count = ::getrandom(bytes.data(), bytes.size(), 0);
  return absl::StrCat(ToAbsl(kMarkName), "=", absl::BytesToHexString(bytes));
}

LeftProcesses KillSession(pid_t leader, std::string_view mark) {
  constexpr int kPauseMilliseconds = 1;
  const FileDescriptor proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (proc.get() < 0) {
    ::kill(-leader, SIGKILL);
    return {};
  }
  const Session session(proc, leader, mark);
  LeftProcesses left = session.KillAll();
  ::kill(-leader, SIGKILL);
  for (int round = 0; round < kMaxRounds && session.KillRest(); ++round) {
    ::poll(nullptr, 0, kPauseMilliseconds);
  }
  return left;
}

}  // namespace cursorwire::process
