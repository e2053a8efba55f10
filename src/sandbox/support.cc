#include "sandbox/support.h"

#include <absl/status/statusor.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/strings.h"
#include "process/child_process.h"
#include "process/running_commands.h"
#include "sandbox/bwrap_call.h"
#include "sandbox/filter.h"
#include "sandbox/landlock.h"
#include "sandbox/why_not.h"

namespace cursorwire::sandbox {
namespace {

using std::chrono::steady_clock;

constexpr size_t kMaxProbeBytes = size_t{32} * 1024;
constexpr int kLeastAbi = 2;

// Reads what is there. False: nothing will come any more.
bool ReadSome(int fd, std::string& text) {
  std::array<char, 4096> block{};
  const ssize_t count = ::read(fd, block.data(), block.size());
  if (count > 0 && text.size() < kMaxProbeBytes) {
    text.append(block.data(), static_cast<size_t>(count));
  }
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

// What a program wrote until it and all it started had ended.
struct ProbeOutput {
  std::string out{};
  std::string errors{};
  bool timed_out = false;
};

ProbeOutput ReadOutput(const process::ChildProcess& child, std::chrono::milliseconds timeout) {
  ProbeOutput output;
  const steady_clock::time_point deadline = steady_clock::now() + timeout;
  std::array<pollfd, 2> ends = {
      {{child.output().get(), POLLIN, 0}, {child.error_output().get(), POLLIN, 0}}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) {
      output.timed_out = true;
      break;
    }
    if (::poll(ends.data(), ends.size(), static_cast<int>(left)) <= 0) continue;
    if (ends[0].revents != 0 && !ReadSome(ends[0].fd, output.out)) ends[0].fd = -1;
    if (ends[1].revents != 0 && !ReadSome(ends[1].fd, output.errors)) ends[1].fd = -1;
  }
  return output;
}

int64_t NumberIn(const char* path) {
  const FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const ssize_t count = file.valid() ? ::read(file.get(), text.data(), text.size()) : -1;
  int64_t number = -1;
  if (count <= 0 ||
      !absl::SimpleAtoi(absl::string_view(text.data(), static_cast<size_t>(count)), &number)) {
    return -1;
  }
  return number;
}

bool IsProgram(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Never in PATH, which a workspace may be in: this program is what everything else relies on.
std::string FindBwrap(const ProbeOptions& options) {
  std::vector<std::string> paths = {"/usr/bin/bwrap", "/usr/local/bin/bwrap"};
  if (!options.bwrap.empty()) paths = {options.bwrap};
  for (const std::string& path : paths) {
    if (path.starts_with('/') && IsProgram(path)) return path;
  }
  return "";
}

// The trials of one bwrap.
class Trials {
 public:
  Trials(std::string bwrap, std::chrono::milliseconds timeout)
      : bwrap_(std::move(bwrap)),
        timeout_(timeout),
        root_(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

  // False as well if that could not be found out.
  bool KnowsDisableUserns() {
    const process::Program help{
        .file = bwrap_, .arguments = {"bwrap", "--help"}, .folder = root_.get()};
    const auto child = process::ChildProcess::Start(help, process::ChildInput::kNone, running_);
    if (!child.ok()) return false;
    const ProbeOutput output = ReadOutput(**child, timeout_);
    return absl::StrContains(output.out + output.errors, "--disable-userns");
  }

  // Why a command cannot be run as a plan does it; empty: it can.
  std::string Try(bool disable_userns) {
    std::vector<std::string> arguments = {"--unshare-user",
                                          "--unshare-pid",
                                          "--unshare-ipc",
                                          "--unshare-uts",
                                          "--unshare-net",
                                          "--die-with-parent",
                                          "--new-session",
                                          "--cap-drop",
                                          "ALL",
                                          "--ro-bind",
                                          "/",
                                          "/",
                                          "--dev",
                                          "/dev",
                                          "--proc",
                                          "/proc",
                                          "--ro-bind",
                                          "/proc/sys",
                                          "/proc/sys"};
    if (disable_userns) arguments.emplace_back("--disable-userns");
    const absl::StatusOr<std::string> filter = MakeFilter({.in_namespaces = true});
    if (!filter.ok()) return std::string(filter.status().message());
    absl::StatusOr<BwrapCall> call =
        BwrapCall::Make({.bwrap = bwrap_, .arguments = std::move(arguments), .filter = *filter},
                        {.file = "/bin/sh", .arguments = {"sh", "-c", ":"}, .folder = root_.get()});
    if (!call.ok()) return std::string(call.status().message());
    if (const absl::Status let = call->LetRun(); !let.ok()) return std::string(let.message());
    const auto child =
        process::ChildProcess::Start(call->program(), process::ChildInput::kNone, running_);
    if (!child.ok()) return std::string(child.status().message());
    ProbeOutput output = ReadOutput(**child, timeout_);
    call->status().CloseWriteEnd();
    call->status().Read();
    if (!output.timed_out && call->status().status().exit_code == 0) return "";
    return WhyBwrapFailed(
        {.timed_out = output.timed_out,
         .errors = std::move(output.errors),
         .max_user_namespaces = NumberIn("/proc/sys/user/max_user_namespaces"),
         .userns_clone = NumberIn("/proc/sys/kernel/unprivileged_userns_clone"),
         .apparmor_restricts = NumberIn("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")});
  }

 private:
  const std::string bwrap_;
  const std::chrono::milliseconds timeout_;
  const FileDescriptor root_;
  process::RunningCommands running_;
};

std::string NotInstalled(const ProbeOptions& options) {
  if (options.bwrap.empty()) {
    return "bubblewrap is not installed; install it, on Debian and Ubuntu by "
           "\"apt-get install bubblewrap\"";
  }
  if (!options.bwrap.starts_with('/')) return "the path of bubblewrap must be absolute";
  return absl::StrCat("there is no program ", Printable(options.bwrap, options.bwrap.size()),
                      "; give the path of bubblewrap, or none");
}

void TryBwrap(const ProbeOptions& options, Support& support) {
  support.bwrap = FindBwrap(options);
  if (support.bwrap.empty()) {
    support.why_not = NotInstalled(options);
    return;
  }
  Trials trials(support.bwrap, options.timeout);
  support.disables_userns = trials.KnowsDisableUserns();
  support.why_not = trials.Try(support.disables_userns);
  // It has to change a setting in /proc/sys, which containers forbid. The filter does the same.
  if (!support.why_not.empty() && support.disables_userns && HasFilter() &&
      trials.Try(false).empty()) {
    support.disables_userns = false;
    support.why_not.clear();
  }
  if (support.why_not.empty()) support.backend = Backend::kFull;
}

}  // namespace

Support Probe(const ProbeOptions& options) {
  Support support;
  support.has_filter = HasFilter();
  support.landlock_abi = LandlockAbi();
  TryBwrap(options, support);
  // Landlock does not hold sockets, and before ABI 3 not truncate(): the filter does.
  if (support.backend == Backend::kNone && support.landlock_abi >= kLeastAbi &&
      support.has_filter) {
    support.backend = Backend::kPartial;
  }
  return support;
}

const Support& OwnSupport() {
  static const Support support = Probe();
  return support;
}

}  // namespace cursorwire::sandbox
