#include "client/turn/tool_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

ExecRequest Read(const char* call_id, const char* path = "a") {
  return {.id = 1, .call_id = call_id, .args = ReadArgs{.path = path}};
}
ToolLedger::Answer Got(std::string content) {
  return {.output = ExecOutput(ReadOutput{.content = std::move(content)})};
}
std::string ContentOf(const std::optional<ToolLedger::Answer>& answer) {
  if (!answer) return "none";
  return std::get<ReadOutput>(*answer->output).content;
}

TEST(ToolLedger, AnswersWhatAnEarlierAttemptDid) {
  ToolLedger ledger;
  ledger.Add(1, ToolLedger::KeyOf(Read("c")), Got("x"));
  EXPECT_EQ(ContentOf(ledger.Take(1, ToolLedger::KeyOf(Read("c")))), "none");  // the same attempt
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("other")))), "none");
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("c", "b")))), "none");
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("c")))), "x");
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("c")))), "none");  // once
}

// One tool call may read a file before and after it writes it.
TEST(ToolLedger, GivesSeveralAnswersInTheirOrder) {
  ToolLedger ledger;
  ledger.Add(1, ToolLedger::KeyOf(Read("c")), Got("before"));
  ledger.Add(1, ToolLedger::KeyOf(Read("c")), Got("after"));
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("c")))), "before");
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("c")))), "after");
}

TEST(ToolLedger, DoesNotKnowCallsWithoutAnId) {
  ToolLedger ledger;
  ledger.Add(1, ToolLedger::KeyOf(Read("")), Got("x"));
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("")))), "none");
}

TEST(ToolLedger, KnowsThatSomethingLargeWasDone) {
  ToolLedger ledger;
  ledger.Add(1, ToolLedger::KeyOf(Read("c")), Got(std::string((size_t{32} << 20) + 1, 'x')));
  const auto answer = ledger.Take(2, ToolLedger::KeyOf(Read("c")));
  ASSERT_TRUE(answer.has_value());
  EXPECT_THAT(answer->output.status(),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("was done before")));
}

TEST(ToolLedger, KeepsWhatACommandPrintedUpToABound) {
  ToolLedger::Answer answer;
  ToolLedger::AddPiece("out", "err", answer);
  ToolLedger::AddPiece("put", "", answer);
  EXPECT_EQ(answer.out, "output");
  EXPECT_EQ(answer.err, "err");
  EXPECT_FALSE(answer.is_cut);
  ToolLedger::AddPiece(std::string(size_t{1} << 20, 'x'), "", answer);
  EXPECT_TRUE(answer.is_cut);
  ToolLedger ledger;
  answer.output = ExecOutput(ShellOutput{});
  const HistoryToolCall key =
      ToolLedger::KeyOf({.id = 1, .call_id = "c", .args = ShellArgs{.command = "make"}});
  ledger.Add(1, key, answer);
  EXPECT_FALSE(ledger.Take(2, key)->output.ok());
}

TEST(ToolLedger, ForgetsTheOldest) {
  ToolLedger ledger;
  for (int i = 0; i < 1025; ++i) {
    ledger.Add(1, ToolLedger::KeyOf(Read(std::to_string(i).c_str())), Got("x"));
  }
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("0")))), "none");
  EXPECT_EQ(ContentOf(ledger.Take(2, ToolLedger::KeyOf(Read("1")))), "x");
}

}  // namespace
}  // namespace cursorwire
