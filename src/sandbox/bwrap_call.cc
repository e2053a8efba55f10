#include "sandbox/bwrap_call.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "sandbox/memory_file.h"

namespace cursorwire::sandbox {
namespace {

// Numbers of descriptors in bubblewrap.
constexpr int kArguments = 3;
constexpr int kStatus = 4;
constexpr int kBlock = 5;
constexpr int kFilter = 6;

void Append(std::string& arguments, std::string_view argument) {
  arguments += argument;
  arguments += '\0';
}

// The program's variables are set by bubblewrap inside.
std::string Joined(const std::vector<std::string>& options, const std::string& folder,
                   const std::vector<std::string>& environment) {
  std::string arguments;
  for (const std::string& option : options) Append(arguments, option);
  Append(arguments, "--chdir");
  Append(arguments, folder);
  for (const std::string& variable : environment) {
    const size_t name_end = variable.find('=');
    if (name_end == 0 || name_end == std::string::npos) continue;
    Append(arguments, "--setenv");
    Append(arguments, std::string_view(variable).substr(0, name_end));
    Append(arguments, std::string_view(variable).substr(name_end + 1));
  }
  return arguments;
}

// The command line of bubblewrap.
std::vector<std::string> CommandLine(const process::Program& program, bool with_filter) {
  std::vector<std::string> line = {"bwrap",
                                   "--args",
                                   absl::StrCat(kArguments),
                                   "--json-status-fd",
                                   absl::StrCat(kStatus),
                                   "--block-fd",
                                   absl::StrCat(kBlock)};
  if (with_filter) {
    line.insert(line.end(), {"--seccomp", absl::StrCat(kFilter)});
  }
  line.emplace_back("--");
  // Without a slash it would be looked for in PATH.
  const bool has_slash = program.file.find('/') != std::string::npos;
  line.push_back(has_slash ? program.file : "./" + program.file);
  for (size_t i = 1; i < program.arguments.size(); ++i) line.push_back(program.arguments[i]);
  return line;
}

}  // namespace

absl::StatusOr<std::string> FolderPath(int folder) {
  std::array<char, PATH_MAX> path{};
  const ssize_t size =
      ::readlink(absl::StrCat("/proc/self/fd/", folder).c_str(), path.data(), path.size() - 1);
  // What was removed has a note behind its path.
  const std::string text(path.data(), size > 0 ? static_cast<size_t>(size) : 0);
  if (!text.starts_with('/') || ::access(text.c_str(), F_OK) != 0) {
    return LocalError(absl::StatusCode::kNotFound,
                      "the folder of the command is not there any more");
  }
  return text;
}

absl::StatusOr<BwrapCall> BwrapCall::Make(const BwrapCallOptions& options,
                                          process::Program program) {
  const absl::StatusOr<std::string> folder = FolderPath(program.folder);
  if (!folder.ok()) return folder.status();
  absl::StatusOr<FileDescriptor> arguments =
      MemoryFile(Joined(options.arguments, *folder, program.environment));
  absl::StatusOr<FileDescriptor> filter = MemoryFile(options.filter);
  for (const absl::StatusOr<FileDescriptor>* file : {&arguments, &filter}) {
    if (!file->ok()) return file->status();
  }
  absl::StatusOr<StatusPipe> status = StatusPipe::Make();
  if (!status.ok())
    return LocalError(absl::StatusCode::kUnavailable, ToStd(status.status().message()));

  BwrapCall call;
  call.arguments_ = *std::move(arguments);
  call.filter_ = *std::move(filter);
  int gate[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, gate) != 0) {
    return LocalError(absl::StatusCode::kUnavailable,
                      "a pair of sockets cannot be made: " + std::system_category().message(errno));
  }
  call.gate_ = FileDescriptor(gate[0]);
  call.block_ = FileDescriptor(gate[1]);
  call.status_ = *std::move(status);
  program.arguments = CommandLine(program, !options.filter.empty());
  program.file = options.bwrap;
  program.environment.clear();
  program.descriptors = {{.from = call.arguments_.get(), .to = kArguments},
                         {.from = call.status_.write_end(), .to = kStatus},
                         {.from = call.block_.get(), .to = kBlock}};
  if (!options.filter.empty()) {
    program.descriptors.push_back({.from = call.filter_.get(), .to = kFilter});
  }
  call.program_ = std::move(program);
  return call;
}

absl::Status BwrapCall::LetRun() {
  constexpr char kByte = 'x';
  is_let_ = ::send(gate_.get(), &kByte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
  if (is_let_) return absl::OkStatus();
  return LocalError(absl::StatusCode::kUnavailable,
                    "the command cannot be run: " + std::system_category().message(errno));
}

// A command that was killed has no exit code, but its byte was read.
bool BwrapCall::WasSetUp() {
  status_.CloseWriteEnd();
  status_.Read();
  if (status_.status().exit_code.has_value()) return true;
  int unread = 0;
  return is_let_ && ::ioctl(block_.get(), FIONREAD, &unread) == 0 && unread == 0;
}

}  // namespace cursorwire::sandbox
