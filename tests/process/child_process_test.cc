#include "process/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "process/read_to_end.h"
#include "support/status_matchers.h"

namespace cursorwire::process {
namespace {

using test::ReadToEnd;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

FileDescriptor FileWith(std::string_view content) {
  FileDescriptor file(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  EXPECT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  return file;
}

class ChildProcessTest : public testing::Test {
 protected:
  ChildProcessTest() : folder_(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

  Program Script(const std::string& text) const {
    return {.file = "/bin/sh",
            .arguments = {"sh", "-c", text},
            .environment = {"PATH=/usr/bin:/bin"},
            .folder = folder_.get()};
  }
  std::string OutputOf(const Program& program) {
    const auto child = ChildProcess::Start(program, ChildInput::kNone, running_);
    if (!child.ok()) return std::string(child.status().message());
    return ReadToEnd((*child)->output());
  }

  const FileDescriptor folder_;
  RunningCommands running_;
};

// Lists the numbers that are open in a shell.
constexpr const char* kListOpen = "for n in /proc/self/fd/*; do [ -e $n ] && echo ${n##*/}; done";

TEST_F(ChildProcessTest, PassesNoDescriptorByDefault) {
  const int leaking = ::open("/dev/null", O_RDONLY);  // not closed on exec
  EXPECT_EQ(OutputOf(Script(kListOpen)), "0\n1\n2\n");
  ::close(leaking);
}

TEST_F(ChildProcessTest, PassesDescriptorsAndClosesThoseBetween) {
  const FileDescriptor one = FileWith("one");
  const FileDescriptor two = FileWith("two");
  const int leaking = ::open("/dev/null", O_RDONLY);
  for (int number = 3; number < 20; ++number) {
    if (::fcntl(number, F_GETFD) < 0) ::dup2(leaking, number);
  }
  Program program = Script(std::string("cat <&3; cat <&9; ") + kListOpen);
  program.descriptors = {{.from = one.get(), .to = 3}, {.from = two.get(), .to = 9}};
  EXPECT_EQ(OutputOf(program), "onetwo0\n1\n2\n3\n9\n");
  for (int number = 3; number < 20; ++number) {
    if (number != one.get() && number != two.get() && number != folder_.get()) ::close(number);
  }
}

TEST_F(ChildProcessTest, PassesDescriptorsThatSwapTheirNumbers) {
  const FileDescriptor one = FileWith("one");
  const FileDescriptor two = FileWith("two");
  Program program = Script("cat <&3; cat <&4; cat <&5");
  // Whatever the numbers are here: all of 3 to 5 stand on both sides.
  const FileDescriptor three = FileWith("three");
  ASSERT_LE(three.get(), kMaxPassedDescriptor);
  program.descriptors = {{.from = one.get(), .to = two.get()},
                         {.from = two.get(), .to = one.get()},
                         {.from = three.get(), .to = three.get()}};
  program.arguments[2] = "cat <&" + std::to_string(one.get()) + "; cat <&" +
                         std::to_string(two.get()) + "; cat <&" + std::to_string(three.get());
  EXPECT_EQ(OutputOf(program), "twoonethree");
}

TEST_F(ChildProcessTest, RefusesNumbersItCannotPass) {
  const FileDescriptor file = FileWith("");
  for (const int to : {-1, 0, 2, kMaxPassedDescriptor + 1}) {
    Program program = Script("");
    program.descriptors = {{.from = file.get(), .to = to}};
    EXPECT_THAT(ChildProcess::Start(program, ChildInput::kNone, running_),
                StatusIs(kInvalidArgument, HasSubstr(std::to_string(to))));
  }
  Program twice = Script("");
  twice.descriptors = {{.from = file.get(), .to = 3}, {.from = file.get(), .to = 3}};
  EXPECT_THAT(ChildProcess::Start(twice, ChildInput::kNone, running_), StatusIs(kInvalidArgument));
  Program closed = Script("");
  closed.descriptors = {{.from = -1, .to = 3}};
  EXPECT_THAT(ChildProcess::Start(closed, ChildInput::kNone, running_), StatusIs(kUnknown));
}

TEST_F(ChildProcessTest, StartsWhereItIsAskedTo) {
  std::thread::id starter;
  Program program = Script("echo done");
  program.run_spawn = [&](const std::function<void()>& spawn) {
    std::thread([&] {
      starter = std::this_thread::get_id();
      spawn();
    }).join();
    return absl::OkStatus();
  };
  EXPECT_EQ(OutputOf(program), "done\n");
  EXPECT_NE(starter, std::thread::id());
  EXPECT_NE(starter, std::this_thread::get_id());
}

TEST_F(ChildProcessTest, TellsWhyItWasNotStarted) {
  Program program = Script("");
  program.run_spawn = [](const std::function<void()>&) {
    return LocalError(kUnavailable, "no thread is left");
  };
  EXPECT_THAT(ChildProcess::Start(program, ChildInput::kNone, running_),
              StatusIs(kUnavailable, HasSubstr("no thread is left")));
  program.run_spawn = [](const std::function<void()>&) { return absl::OkStatus(); };
  EXPECT_THAT(ChildProcess::Start(program, ChildInput::kNone, running_), StatusIs(kInternal));
  program.file = "/nonexistent";
  program.run_spawn = [](const std::function<void()>& spawn) {
    spawn();
    return absl::OkStatus();
  };
  EXPECT_THAT(ChildProcess::Start(program, ChildInput::kNone, running_), StatusIs(kNotFound));
}

}  // namespace
}  // namespace cursorwire::process
