#include "cursorwire/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::ElementsAre;
using enum absl::StatusCode;

std::unique_ptr<LocalExecHandler> Make(const ScratchFolder& folder, LocalExecOptions options = {}) {
  absl::StatusOr<std::unique_ptr<LocalExecHandler>> handler =
      LocalExecHandler::Create(folder.path(), options);
  EXPECT_THAT(handler, IsOk());
  return *std::move(handler);
}

TEST(LocalExecHandler, TellsTheAgentWhereToLook) {
  const ScratchFolder folder;
  const auto reader = Make(folder, {.shell = "/bin/sh"});
  Environment environment{.shell = "/usr/bin/fish"};
  reader->Describe(environment);
  EXPECT_EQ(environment.workspace, reader->folder());
  EXPECT_EQ(environment.shell, "/bin/sh") << "what runs is told";
  EXPECT_EQ(environment.terminals_folder, "") << "it runs no commands";

  const auto writer =
      Make(folder,
           {.policy = [](const LocalAction&, const ActionContext&) { return absl::OkStatus(); }});
  writer->Describe(environment);
  EXPECT_EQ(environment.terminals_folder, writer->terminals_folder());
  EXPECT_NE(environment.terminals_folder, "");
}

TEST(LocalExecHandler, GivesCommandsTheVariablesThatAreWanted) {
  const ScratchFolder scratch;
  EXPECT_THAT(LocalExecHandler::Create(scratch.path(), {.variables = {"A-B"}}),
              StatusIs(kInvalidArgument));
  const auto handler = Make(
      scratch, {.policy = [](const LocalAction&, const ActionContext&) { return absl::OkStatus(); },
                .variables = {"WANTED=a 'b'"}});
  EXPECT_EQ(handler->Shell({.command = "printf %s \"$WANTED\""}, {})->out, "a 'b'");
}

TEST(LocalExecHandler, NeedsAFolder) {
  const ScratchFolder scratch;
  scratch.Write("file", "");
  EXPECT_THAT(LocalExecHandler::Create(scratch.At("none")), StatusIs(kInvalidArgument));
  EXPECT_THAT(LocalExecHandler::Create(scratch.At("file")), StatusIs(kInvalidArgument));
  EXPECT_EQ(Make(scratch)->folder(), scratch.path());
}

TEST(LocalExecHandler, ServesTheFolderAndRefusesTheRest) {
  const ScratchFolder scratch;
  scratch.Write("a.txt", "one\ntwo\n");
  const std::unique_ptr<LocalExecHandler> handler = Make(scratch);

  const absl::StatusOr<ExecOutput> read = CallExecHandler(*handler, ReadArgs{.path = "a.txt"}, {});
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(std::get<ReadOutput>(*read).content, "one\ntwo\n");
  const absl::StatusOr<ExecOutput> ls = CallExecHandler(*handler, LsArgs{}, {});
  ASSERT_THAT(ls, IsOk());
  EXPECT_THAT(std::get<LsOutput>(*ls).root.files, ElementsAre("a.txt"));
  const absl::StatusOr<ExecOutput> grep = CallExecHandler(*handler, GrepArgs{.pattern = "t"}, {});
  ASSERT_THAT(grep, IsOk());
  EXPECT_EQ(std::get<GrepOutput>(*grep).total_matches, 1);

  EXPECT_THAT(CallExecHandler(*handler, WriteArgs{.path = "a.txt"}, {}),
              StatusIs(kPermissionDenied));
  EXPECT_THAT(CallExecHandler(*handler, DeleteArgs{.path = "a.txt"}, {}),
              StatusIs(kPermissionDenied));
  EXPECT_THAT(CallExecHandler(*handler, ShellArgs{.command = "true"}, {}),
              StatusIs(kPermissionDenied));
}

TEST(LocalExecHandler, KeepsToItsOptions) {
  const ScratchFolder scratch;
  scratch.Write("a", "xyz\n");
  scratch.Write("b", "xyz\n");
  const std::unique_ptr<LocalExecHandler> handler =
      Make(scratch,
           {.max_read_bytes = 2, .max_line_bytes = 1, .max_grep_lines = 1, .max_ls_entries = 1});
  EXPECT_EQ(handler->Read({.path = "a"}, {})->content, "xy");
  EXPECT_FALSE(handler->Ls({}, {})->root.listed);
  const absl::StatusOr<GrepOutput> grep = handler->Grep({.pattern = "x"}, {});
  ASSERT_THAT(grep, IsOk());
  EXPECT_TRUE(grep->truncated);
  EXPECT_EQ(grep->files.at(0).lines.at(0).text, "x");
}

TEST(LocalExecHandler, ServesSeveralThreads) {
  const ScratchFolder scratch;
  for (int i = 0; i < 20; ++i) scratch.Write("f" + std::to_string(i), "x\n");
  const std::unique_ptr<LocalExecHandler> handler = Make(scratch);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(handler->Grep({.pattern = "x"}, {})->total_files, 20);
        EXPECT_EQ(handler->Ls({}, {})->root.file_count, 20);
        EXPECT_EQ(handler->Read({.path = "f1"}, {})->content, "x\n");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cursorwire::workspace
