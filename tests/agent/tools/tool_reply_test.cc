#include "cursorwire/tools.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "agent/tools/tool_answers.h"

namespace cursorwire {
namespace {

using test::Answers;
using test::ReplyInto;
using test::TextOf;

TEST(ToolReply, TakesTheFirstAnswerAlone) {
  Answers answers;
  const ToolReply reply = ReplyInto(answers);
  const ToolReply copy = reply;
  copy.Send(ToolResult::Text("first"));
  reply.Send(absl::UnknownError("second"));
  EXPECT_EQ(TextOf(answers), "first");
}

TEST(ToolReply, AnswersWhenTheLastCopyIsGone) {
  Answers answers;
  {
    std::optional<ToolReply> reply(ReplyInto(answers));
    const ToolReply copy = *reply;  // NOLINT(performance-unnecessary-copy-initialization)
    reply.reset();
    EXPECT_TRUE(answers.empty());
  }
  EXPECT_EQ(TextOf(answers), "the tool ended without an answer");
  ASSERT_TRUE(answers[0].ok());
  EXPECT_TRUE(answers[0]->is_error);
}

TEST(ToolReply, SaysNothingMoreWhenAnAnsweredCallIsGone) {
  Answers answers;
  ReplyInto(answers).Send(ToolResult::Text("a"));
  EXPECT_EQ(TextOf(answers), "a");
}

TEST(ToolReply, MayBeUsedWithinItsOwnSink) {
  // A sink that is called under a lock would wait for itself.
  std::optional<ToolReply> reply;
  int calls = 0;
  reply.emplace([&](const absl::StatusOr<ToolResult>&) {
    ++calls;
    reply->Send(ToolResult::Text("again"));
  });
  reply->Send(ToolResult::Text("a"));
  EXPECT_EQ(calls, 1);
}

TEST(ToolReply, TakesOneAnswerOfManyThreads) {
  Answers answers;
  {
    const ToolReply reply = ReplyInto(answers);
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([reply] { reply.Send(ToolResult::Text("a")); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(answers.size(), 1u);
}

}  // namespace
}  // namespace cursorwire
