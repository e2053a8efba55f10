#include "agent/exec/exec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <variant>

#include "agent/exec/exec_answers.h"
#include "agent/v1/exec.pb.h"
#include "agent/v1/run.pb.h"
#include "support/hex.h"
#include "support/proto_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using test::FromText;

TEST(ToExecArgs, ReadsEachKindThatAHandlerServes) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.args);
    const std::optional<ExecArgs> args = ToExecArgs(FromText<pb::ExecServerMessage>(row.args));
    const bool of_tools = row.number == 11 || row.number == 36;  // the Run has the tools
    const bool not_served = row.number == 21 || row.number == 22;
    EXPECT_EQ(args.has_value(), !of_tools && !not_served);
  }
  for (const int number : kThrown) {
    EXPECT_FALSE(ToExecArgs(WithUnknownField(number)).has_value()) << number;
  }
}

TEST(ToExecArgs, KeepsWhatWasAsked) {
  const auto args = [](const char* text) {
    return *ToExecArgs(FromText<pb::ExecServerMessage>(text));
  };
  const auto read = std::get<ReadArgs>(args(R"(read_args { path: "f" offset: -3 limit: 4 })"));
  EXPECT_EQ(read.path, "f");
  EXPECT_EQ(read.offset, -3);
  EXPECT_EQ(read.limit, 4u);
  EXPECT_FALSE(std::get<ReadArgs>(args(R"(read_args { path: "f" })")).offset.has_value());

  const auto ls = std::get<LsArgs>(args(R"(ls_args { path: "d" ignore: "x" timeout_ms: 5 })"));
  EXPECT_EQ(ls.path, "d");
  EXPECT_THAT(ls.ignore, testing::ElementsAre("x"));
  EXPECT_EQ(ls.timeout, std::chrono::milliseconds(5));

  const auto grep = std::get<GrepArgs>(args(
      R"(grep_args { pattern: "p" path: "d" glob: "*.cc" type: "cpp" output_mode: "count"
         context: 2 context_after: 5 case_insensitive: true multiline: true sort: "modified"
         sort_ascending: false head_limit: 6 offset: 7 })"));
  EXPECT_EQ(grep.pattern, "p");
  EXPECT_EQ(grep.path, "d");
  EXPECT_EQ(grep.glob, "*.cc");
  EXPECT_EQ(grep.type, "cpp");
  EXPECT_EQ(grep.mode, GrepMode::kCount);
  EXPECT_EQ(grep.context_before, 2);
  EXPECT_EQ(grep.context_after, 5);
  EXPECT_TRUE(grep.case_insensitive);
  EXPECT_TRUE(grep.multiline);
  EXPECT_EQ(grep.sort, "modified");
  EXPECT_FALSE(grep.sort_ascending);
  EXPECT_EQ(grep.head_limit, 6);
  EXPECT_EQ(grep.offset, 7);

  // Text, or bytes if there are any.
  EXPECT_EQ(std::get<WriteArgs>(args(R"(write_args { path: "f" file_text: "t" })")).content, "t");
  EXPECT_EQ(
      std::get<WriteArgs>(args(R"(write_args { path: "f" file_text: "t" file_bytes: "\377" })"))
          .content,
      "\xFF");
  EXPECT_EQ(std::get<ShellArgs>(args(R"(shell_args { command: "c" timeout: -1 })")).timeout,
            std::chrono::milliseconds(0));
  EXPECT_FALSE(std::get<ShellArgs>(args(R"(shell_args { command: "c" })")).streamed);
  EXPECT_TRUE(std::get<ShellArgs>(args(R"(shell_stream_args { command: "c" })")).streamed);
}

}  // namespace
}  // namespace cursorwire::agent
