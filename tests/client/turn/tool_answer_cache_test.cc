#include "client/turn/tool_answer_cache.h"

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
ToolAnswerCache::Answer Got(std::string content) {
  return {.output = ExecOutput(ReadOutput{.content = std::move(content)})};
}
std::string ContentOf(const std::optional<ToolAnswerCache::Answer>& answer) {
  if (!answer) return "none";
  return std::get<ReadOutput>(*answer->output).content;
}

TEST(ToolAnswerCache, AnswersWhatAnEarlierAttemptDid) {
  ToolAnswerCache tool_answers;
  tool_answers.Add(1, ToolAnswerCache::KeyOf(Read("c")), Got("x"));
  EXPECT_EQ(ContentOf(tool_answers.Take(1, ToolAnswerCache::KeyOf(Read("c")))),
            "none");  // the same attempt
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("other")))), "none");
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("c", "b")))), "none");
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("c")))), "x");
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("c")))), "none");  // once
}

// One tool call may read a file before and after it writes it.
TEST(ToolAnswerCache, GivesSeveralAnswersInTheirOrder) {
  ToolAnswerCache tool_answers;
  tool_answers.Add(1, ToolAnswerCache::KeyOf(Read("c")), Got("before"));
  tool_answers.Add(1, ToolAnswerCache::KeyOf(Read("c")), Got("after"));
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("c")))), "before");
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("c")))), "after");
}

TEST(ToolAnswerCache, DoesNotKnowCallsWithoutAnId) {
  ToolAnswerCache tool_answers;
  tool_answers.Add(1, ToolAnswerCache::KeyOf(Read("")), Got("x"));
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("")))), "none");
}

TEST(ToolAnswerCache, KnowsThatSomethingLargeWasDone) {
  ToolAnswerCache tool_answers;
  tool_answers.Add(1, ToolAnswerCache::KeyOf(Read("c")),
                   Got(std::string((size_t{32} << 20) + 1, 'x')));
  const auto answer = tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("c")));
  ASSERT_TRUE(answer.has_value());
  EXPECT_THAT(answer->output.status(),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("was done before")));
}

TEST(ToolAnswerCache, KeepsWhatACommandPrintedUpToABound) {
  ToolAnswerCache::Answer answer;
  ToolAnswerCache::AddPiece("out", "err", answer);
  ToolAnswerCache::AddPiece("put", "", answer);
  EXPECT_EQ(answer.out, "output");
  EXPECT_EQ(answer.err, "err");
  EXPECT_FALSE(answer.is_cut);
  ToolAnswerCache::AddPiece(std::string(size_t{1} << 20, 'x'), "", answer);
  EXPECT_TRUE(answer.is_cut);
  ToolAnswerCache tool_answers;
  answer.output = ExecOutput(ShellOutput{});
  const HistoryToolCall key =
      ToolAnswerCache::KeyOf({.id = 1, .call_id = "c", .args = ShellArgs{.command = "make"}});
  tool_answers.Add(1, key, answer);
  EXPECT_FALSE(tool_answers.Take(2, key)->output.ok());
}

TEST(ToolAnswerCache, ForgetsTheOldest) {
  ToolAnswerCache tool_answers;
  for (int i = 0; i < 1025; ++i) {
    tool_answers.Add(1, ToolAnswerCache::KeyOf(Read(std::to_string(i).c_str())), Got("x"));
  }
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("0")))), "none");
  EXPECT_EQ(ContentOf(tool_answers.Take(2, ToolAnswerCache::KeyOf(Read("1")))), "x");
}

}  // namespace
}  // namespace cursorwire
