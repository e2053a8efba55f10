#include "sandbox/sandbox_fixture.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_descriptor.h"
#include "sandbox/support.h"

namespace cursorwire::test {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::minutes kPatience{1};

int LeftUntil(steady_clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

// Reads what is there. False: nothing will come any more.
bool ReadSome(int fd, std::string& text) {
  std::array<char, 4096> bytes{};
  const ssize_t size = ::read(fd, bytes.data(), bytes.size());
  if (size > 0) text.append(bytes.data(), static_cast<size_t>(size));
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

// Until both are closed. False: they are not, after kPatience.
bool ReadBoth(int out_fd, std::string& out, int err_fd, std::string& err) {
  const steady_clock::time_point deadline = steady_clock::now() + kPatience;
  std::array<pollfd, 2> ends = {{{out_fd, POLLIN, 0}, {err_fd, POLLIN, 0}}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const int count = ::poll(ends.data(), ends.size(), LeftUntil(deadline));
    if (count == 0) return false;
    if (count < 0) continue;
    if (ends[0].revents != 0 && !ReadSome(out_fd, out)) ends[0].fd = -1;
    if (ends[1].revents != 0 && !ReadSome(err_fd, err)) ends[1].fd = -1;
  }
  return true;
}

bool AwaitEnd(const process::ChildProcess& child) {
  const steady_clock::time_point deadline = steady_clock::now() + kPatience;
  while (!child.HasEnded()) {
    pollfd end = {child.end_fd(), POLLIN, 0};
    if (::poll(&end, 1, LeftUntil(deadline)) == 0) return false;
  }
  return true;
}

void ReadAndEnd(process::ChildProcess& child, SandboxRun& run) {
  const bool ended = ReadBoth(child.output().get(), run.out, child.error_output().get(), run.err) &&
                     AwaitEnd(child);
  EXPECT_TRUE(ended) << "the command did not end; it is killed. " << Text(run);
  const absl::StatusOr<process::ChildEnd> end = child.Kill();
  if (!end.ok()) {
    run.status = end.status();
    return;
  }
  run.exit_code = end->exit_code;
  run.signal = end->signal;
}

SandboxRun NotStarted(absl::Status status) { return {.status = std::move(status)}; }

}  // namespace

std::string Text(const SandboxRun& run) {
  return absl::StrCat("status: ", run.status.ToString(), "; exit code: ", run.exit_code,
                      "; signal: ", run.signal, "; out: ", run.out, "; err: ", run.err,
                      "; setup: ", run.end.setup.ToString(),
                      "; appeared: ", absl::StrJoin(run.end.appeared, " | "));
}

SandboxRun ReadToEnd(process::ChildProcess& child) {
  SandboxRun run;
  ReadAndEnd(child, run);
  return run;
}

StartedCommand::StartedCommand(std::unique_ptr<sandbox::SandboxedCommand> command,
                               std::unique_ptr<process::ChildProcess> child)
    : command_(std::move(command)), child_(std::move(child)) {}

std::string StartedCommand::ReadLine() {
  const steady_clock::time_point deadline = steady_clock::now() + kPatience;
  size_t end = 0;
  while ((end = out_.find('\n')) == std::string::npos) {
    pollfd output = {child_->output().get(), POLLIN, 0};
    if (::poll(&output, 1, LeftUntil(deadline)) == 0 || !ReadSome(output.fd, out_)) {
      ADD_FAILURE() << "no line came, but: " << out_;
      return std::exchange(out_, {});
    }
  }
  std::string line = out_.substr(0, end);
  out_.erase(0, end + 1);
  return line;
}

SandboxRun StartedCommand::Finish() {
  SandboxRun run{.out = std::move(out_)};
  ReadAndEnd(*child_, run);
  run.end = command_->Finish();
  return run;
}

std::string WhatIsWrongWithTemporaryFolder() {
  const char* given = std::getenv("TEST_TMPDIR");
  if (given == nullptr || *given == '\0') {
    return "TEST_TMPDIR is not set: give a folder that is not below /tmp, which is another one in "
           "the sandbox";
  }
  std::error_code error;
  const std::string real = std::filesystem::canonical(given, error);
  if (error) return absl::StrCat("TEST_TMPDIR is \"", given, "\": ", error.message());
  if (real == "/tmp" || std::string_view(real).starts_with("/tmp/")) {
    return absl::StrCat("TEST_TMPDIR is \"", real,
                        "\": give a folder that is not below /tmp, which is another one in the "
                        "sandbox");
  }
  return {};
}

void SandboxTest::SetUp() {
  const std::string wrong = WhatIsWrongWithTemporaryFolder();
  if (!wrong.empty()) FAIL() << wrong;
  const sandbox::Support& support = sandbox::OwnSupport();
  if (support.backend != sandbox::Backend::kFull) GTEST_SKIP() << support.why_not;
  folder_ = std::make_unique<ScratchFolder>();
  for (const char* name : {"workspace", "home", "outside"}) folder_->MakeFolder(name);
  environment_ = {"PATH=/usr/local/bin:/usr/bin:/bin",
                  "LC_ALL=C",
                  "HOME=" + home(),
                  "GIT_CONFIG_NOSYSTEM=1",
                  "GIT_AUTHOR_NAME=A",
                  "GIT_AUTHOR_EMAIL=a@example.com",
                  "GIT_COMMITTER_NAME=A",
                  "GIT_COMMITTER_EMAIL=a@example.com"};
  options_.workspace = workspace();
  options_.support = support;
}

sandbox::Sandbox* SandboxTest::sandbox() {
  if (sandbox_ != nullptr) return sandbox_.get();
  options_.environment = environment_;
  absl::StatusOr<std::unique_ptr<sandbox::Sandbox>> made = sandbox::Sandbox::Create(options_);
  EXPECT_TRUE(made.ok()) << made.status();
  if (made.ok()) sandbox_ = *std::move(made);
  return sandbox_.get();
}

process::Program SandboxTest::Shell(const std::string& line) const {
  return {.file = "/bin/sh", .arguments = {"sh", "-c", line}, .environment = environment_};
}

absl::StatusOr<StartedCommand> SandboxTest::Start(const SandboxPolicy& policy,
                                                  process::Program program,
                                                  process::ChildInput input) {
  if (sandbox() == nullptr) return absl::InternalError("there is no sandbox");
  const FileDescriptor own(::open(workspace().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (program.folder < 0) program.folder = own.get();
  absl::StatusOr<std::unique_ptr<sandbox::SandboxedCommand>> command =
      sandbox()->Prepare(policy, std::move(program));
  if (!command.ok()) return command.status();
  absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
      process::ChildProcess::Start((*command)->program(), input, running_);
  if (!child.ok()) return child.status();
  if (absl::Status admitted = (*command)->Admit(); !admitted.ok()) return admitted;
  return StartedCommand(*std::move(command), *std::move(child));
}

SandboxRun SandboxTest::Run(const SandboxPolicy& policy, process::Program program) {
  absl::StatusOr<StartedCommand> started = Start(policy, std::move(program));
  return started.ok() ? started->Finish() : NotStarted(started.status());
}

SandboxRun SandboxTest::Run(const SandboxPolicy& policy, const std::string& line) {
  return Run(policy, Shell(line));
}

SandboxRun SandboxTest::RunOutside(process::Program program) {
  const FileDescriptor own(::open(workspace().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (program.folder < 0) program.folder = own.get();
  absl::StatusOr<std::unique_ptr<process::ChildProcess>> child =
      process::ChildProcess::Start(program, process::ChildInput::kNone, running_);
  if (!child.ok()) return NotStarted(child.status());
  return ReadToEnd(**child);
}

SandboxRun SandboxTest::RunOutside(const std::string& line) { return RunOutside(Shell(line)); }

}  // namespace cursorwire::test
