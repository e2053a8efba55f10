// Commands that go on after their answer, output that is too much for one, and where a shell
// ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/run_options.h"
#include "cursorwire/workspace.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "workspace/recorded_policy.h"
#include "workspace/shell/output_folder.h"
#include "workspace/shell/processes.h"
#include "workspace/shell/shell.h"

namespace cursorwire::workspace {
namespace {

using std::chrono::milliseconds;
using test::Await;
using test::AwaitNumber;
using test::IsAlive;
using test::IsOk;
using test::RecordedPolicy;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using enum absl::StatusCode;

constexpr milliseconds kShort{300};
// Longer than any test may take.
constexpr milliseconds kNever{3'600'000};

// The parameter is LocalExecOptions::shell.
class ShellBackgroundTest : public testing::TestWithParam<const char*> {
 protected:
  ShellBackgroundTest() {
    options_.policy = policy_.Get();
    options_.shell = GetParam();
    handler_ = Make();
  }

  std::unique_ptr<LocalExecHandler> Make() {
    absl::StatusOr<std::unique_ptr<LocalExecHandler>> handler =
        LocalExecHandler::Create(scratch_.path(), options_);
    EXPECT_THAT(handler, IsOk());
    return *std::move(handler);
  }
  ShellOutput Run(const ShellArgs& args) {
    absl::StatusOr<ShellOutput> output = handler_->Shell(args, {});
    EXPECT_THAT(output, IsOk());
    return output.ok() ? *std::move(output) : ShellOutput{};
  }
  std::string Content(const std::string& path) {
    const absl::StatusOr<ReadOutput> read = handler_->Read({.path = path}, {});
    return read.ok() ? read->content : read.status().ToString();
  }

  ScratchFolder scratch_;
  RecordedPolicy policy_;
  LocalExecOptions options_;
  std::unique_ptr<LocalExecHandler> handler_;
};

INSTANTIATE_TEST_SUITE_P(Shells, ShellBackgroundTest, testing::Values("/bin/sh", "/bin/bash"),
                         [](const auto& test) {
                           return std::string_view(test.param) == "/bin/sh" ? "Sh" : "Bash";
                         });

TEST_P(ShellBackgroundTest, ACommandGoesOnBehindItsTimeout) {
  const ShellOutput output = Run(
      {.command = "echo before; until [ -e go ]; do sleep 0.01; done; echo after; echo 1 > done",
       .timeout = kShort,
       .timeout_behavior = TimeoutBehavior::kBackground});
  ASSERT_TRUE(output.backgrounded.has_value());
  EXPECT_FALSE(output.timed_out);
  EXPECT_EQ(output.backgrounded->reason, BackgroundReason::kTimeout);
  EXPECT_EQ(output.backgrounded->shell_id, 1U);
  EXPECT_TRUE(IsAlive(static_cast<pid_t>(output.backgrounded->process_id.value_or(0))));
  EXPECT_GE(output.duration, kShort);
  const std::string file = output.backgrounded->output_path;
  EXPECT_EQ(file, handler_->terminals_folder() + "/1.txt");

  scratch_.Write("go", "");
  AwaitNumber(scratch_.At("done"));
  Await([&] { return Content(file) == "before\nafter\n"; });
  // The last word of the shell makes no file that nobody knows of.
  const auto pid = static_cast<pid_t>(output.backgrounded->process_id.value_or(0));
  Await([pid] { return !IsAlive(pid); });
  const std::filesystem::directory_iterator folder(handler_->terminals_folder());
  EXPECT_EQ(std::distance(begin(folder), end(folder)), 1);
}

TEST_P(ShellBackgroundTest, ACommandThatEndsInTimeIsNotChanged) {
  const ShellOutput output = Run({.command = "echo out; exit 3",
                                  .timeout = kNever,
                                  .timeout_behavior = TimeoutBehavior::kBackground});
  EXPECT_FALSE(output.backgrounded.has_value());
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_EQ(output.out, "out\n");
  EXPECT_FALSE(output.output_location.has_value());
}

TEST_P(ShellBackgroundTest, TheHardTimeoutKillsIt) {
  for (const bool in_background : {false, true}) {
    SCOPED_TRACE(in_background);
    const ShellOutput output = Run({.command = "echo $$ > pid; sleep 3600",
                                    .timeout = milliseconds(1),
                                    .timeout_behavior = TimeoutBehavior::kBackground,
                                    .hard_timeout = kShort,
                                    .in_background = in_background});
    ASSERT_TRUE(output.backgrounded.has_value());
    const auto pid = static_cast<pid_t>(output.backgrounded->process_id.value_or(0));
    Await([pid] { return !IsAlive(pid); });
  }
}

TEST_P(ShellBackgroundTest, WithoutRoomTheTimeoutKillsIt) {
  options_.max_background_shells = 0;
  handler_ = Make();
  const ShellOutput output = Run({.command = "echo $$ > pid; sleep 3600",
                                  .timeout = kShort,
                                  .timeout_behavior = TimeoutBehavior::kBackground});
  EXPECT_FALSE(output.backgrounded.has_value());
  EXPECT_TRUE(output.timed_out);
  EXPECT_EQ(output.signal, "SIGKILL");
  EXPECT_THAT(handler_->Shell({.command = "true", .in_background = true}, {}),
              StatusIs(kResourceExhausted));
}

TEST_P(ShellBackgroundTest, StartsThereAtOnceWhenAsked) {
  const ShellOutput output =
      Run({.command = "read line; echo \"got $line\"; sleep 3600", .in_background = true});
  EXPECT_TRUE(policy_.last<ShellAction>().in_background);
  ASSERT_TRUE(output.backgrounded.has_value());
  EXPECT_EQ(output.backgrounded->reason, BackgroundReason::kRequested);
  const uint32_t id = output.backgrounded->shell_id;
  ASSERT_THAT(handler_->WriteShellStdin({.shell_id = id, .chars = "x\n"}, {}), IsOk());
  Await([&] { return Content(output.backgrounded->output_path) == "got x\n"; });
}

TEST_P(ShellBackgroundTest, HasNoInputIfThatIsClosed) {
  const ShellOutput output = Run(
      {.command = "cat; echo 1 > done; sleep 3600", .in_background = true, .close_stdin = true});
  AwaitNumber(scratch_.At("done"));
  EXPECT_THAT(
      handler_->WriteShellStdin({.shell_id = output.backgrounded->shell_id, .chars = "x\n"}, {}),
      StatusIs(kNotFound));
}

TEST_P(ShellBackgroundTest, WhatIsTooMuchForTheAnswerIsInAFile) {
  const ShellArgs args{.command = "yes | head -c 100000; echo end >&2",
                       .file_output_threshold_bytes = 40'000};
  const ShellOutput output = Run(args);
  ASSERT_TRUE(output.output_location.has_value());
  const OutputLocation& location = *output.output_location;
  EXPECT_EQ(location.file_bytes, 100'004);
  EXPECT_EQ(location.lines, 50'001);
  EXPECT_EQ(output.out.substr(0, 4), "y\ny\n");
  EXPECT_EQ(output.out.substr(40'000),
            "\n[60000 more bytes of stdout were left out; all is in " + location.path + "]\n");
  EXPECT_EQ(output.err, "end\n");
  const absl::StatusOr<ReadOutput> read =
      handler_->Read({.path = location.path, .offset = 50'000, .limit = 2}, {});
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->content, testing::AnyOf("y\nend\n", "y\ny\n"));  // in the order it came
  EXPECT_EQ(read->total_lines, 50'001);
}

TEST_P(ShellBackgroundTest, LittleOutputNeedsNoFile) {
  const ShellOutput output = Run({.command = "echo out", .file_output_threshold_bytes = 4});
  EXPECT_EQ(output.out, "out\n");
  EXPECT_FALSE(output.output_location.has_value());
}

TEST_P(ShellBackgroundTest, AFileHasItsLimit) {
  options_.max_output_file_bytes = 1000;
  handler_ = Make();
  const ShellOutput output =
      Run({.command = "yes | head -c 100000", .file_output_threshold_bytes = 10});
  const std::string notice = "\n[the rest was left out]\n";
  EXPECT_EQ(output.output_location->file_bytes, 1000 + static_cast<int64_t>(notice.size()));
  EXPECT_THAT(Content(output.output_location->path), testing::EndsWith(notice));
}

TEST_P(ShellBackgroundTest, KeepsTheLastOfManyFiles) {
  std::vector<std::string> paths;
  for (size_t i = 0; i <= OutputFolder::kKeptFiles; ++i) {
    const ShellOutput output = Run({.command = "echo text", .file_output_threshold_bytes = 0});
    paths.push_back(output.output_location->path);
  }
  EXPECT_NE(Content(paths.front()), "text\n");
  EXPECT_EQ(Content(paths[1]), "text\n");
}

TEST_P(ShellBackgroundTest, FilesAreTheUsersAndGoWithTheHandler) {
  const ShellOutput output = Run({.command = "echo text", .file_output_threshold_bytes = 0});
  const std::string path = output.output_location->path;
  EXPECT_THAT(path, StartsWith(handler_->terminals_folder() + "/"));
  EXPECT_THAT(handler_->Read({.path = handler_->terminals_folder() + "/none"}, {}),
              StatusIs(kPermissionDenied));
  const std::string folder = handler_->terminals_folder();
  EXPECT_EQ(::access(folder.c_str(), F_OK), 0);
  handler_.reset();
  EXPECT_NE(::access(folder.c_str(), F_OK), 0);
}

TEST_P(ShellBackgroundTest, TheLastFolderOfTheShellIsTold) {
  struct Case {
    std::string name;
    std::string command;
    std::string last;
  };
  const std::string start = scratch_.path();
  const Case cases[] = {
      {"nowhere else", "true", start},
      {"deeper", "mkdir -p sub/d && cd sub/d && pwd", start + "/sub/d"},
      {"outside", "cd /", "/"},
      {"before exit", "cd /; exit 3", "/"},
      {"a link", "ln -sfn sub link && cd link", start + "/sub"},
      {"a subshell", "(cd /)", start},
      {"another program", "cd /; exec true", start},
      {"a signal", "cd /; kill -9 $$", start},
      {"a folder that is gone", "mkdir x; cd x; rmdir ../x", start},
      {"a syntax error", "cd /; (", start},
      {"a comment", "cd / # and no more", "/"},
      {"a file of its own", "exec 3>out 9>out; cd /", "/"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ShellOutput output = Run({.command = c.command});
    EXPECT_EQ(output.last_folder, c.last) << output.err;
    EXPECT_EQ(output.err.find("pwd"), std::string::npos) << output.err;
  }
  EXPECT_EQ(Content("out"), "");
  Environment told;
  handler_->Describe(told);
  const std::string name = told.shell.substr(told.shell.rfind('/') + 1);
  EXPECT_THAT(Run({.command = "echo \"$# $0\"; trap"}).out, StartsWith("0 " + name + "\n"));
}

}  // namespace
}  // namespace cursorwire::workspace
