#include "client/turn/shown_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/turn/shown_calls.h"
#include "support/for_each_split.h"

namespace cursorwire {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(ShownText, LeavesOutWhatComesAgainHoweverItIsCut) {
  test::ForEachSplit("Hello world, again", [](const auto& pieces) {
    ShownText shown;
    ASSERT_THAT(shown.Add("Hello world"), Optional(Eq("Hello world")));
    shown.OnRestart("Hello world");
    std::string fresh;
    for (const std::string_view piece : pieces) {
      const auto part = shown.Add(piece);
      ASSERT_TRUE(part.has_value());
      fresh += *part;
    }
    EXPECT_EQ(fresh, ", again");
  });
}

TEST(ShownText, NoticesOtherWords) {
  ShownText shown;
  ASSERT_TRUE(shown.Add("Hello world"));
  shown.OnRestart("Hello world");
  EXPECT_THAT(shown.Add("Hello "), Optional(Eq("")));
  EXPECT_EQ(shown.Add("you"), std::nullopt);
}

TEST(ShownText, ForgetsWhatACheckpointHolds) {
  ShownText shown;
  ASSERT_TRUE(shown.Add("one "));
  shown.OnCheckpoint();
  EXPECT_TRUE(shown.empty());
  ASSERT_TRUE(shown.Add("two"));
  shown.OnRestart("two");
  // Half of it comes again, and is in a checkpoint then.
  EXPECT_THAT(shown.Add("t"), Optional(Eq("")));
  shown.OnCheckpoint();
  shown.OnRestart("");
  EXPECT_THAT(shown.Add("wo!"), Optional(Eq("!")));
}

TEST(ShownText, KnowsWhetherAllOfItCameAgain) {
  ShownText shown;
  ASSERT_TRUE(shown.Add("one"));
  EXPECT_FALSE(shown.is_behind());
  shown.OnRestart("one");
  EXPECT_TRUE(shown.is_behind());
  ASSERT_TRUE(shown.Add("one"));
  EXPECT_FALSE(shown.is_behind());
}

TEST(ShownText, KeepsTheLongestOfSeveralAttempts) {
  ShownText shown;
  ASSERT_TRUE(shown.Add("one two"));
  shown.OnRestart("one two");
  EXPECT_THAT(shown.Add("one"), Optional(Eq("")));
  EXPECT_FALSE(shown.empty());
  // This one got less far.
  shown.OnRestart("one");
  EXPECT_THAT(shown.Add("one two three"), Optional(Eq(" three")));
  shown.OnRestart("one two three");
  EXPECT_EQ(shown.Add("one two four"), std::nullopt);
}

TEST(ShownText, ForgetsAllWhereTheTurnIsToldAnew) {
  ShownText shown;
  ASSERT_TRUE(shown.Add("one"));
  shown.OnRestart("one");
  shown.Clear();
  EXPECT_TRUE(shown.empty());
  EXPECT_THAT(shown.Add("two"), Optional(Eq("two")));
}

TEST(ShownCalls, KnowsTheCallsOfEarlierAttempts) {
  const ChatEvent started = ToolCallStarted{{.call_id = "c"}};
  const ChatEvent completed = ToolCallCompleted{{.call_id = "c"}};
  const ChatEvent partial = ToolCallPartial{{.call_id = "c"}, "{"};
  ShownCalls shown;
  EXPECT_FALSE(shown.WasShown(partial));
  EXPECT_FALSE(shown.WasShown(started));
  EXPECT_FALSE(shown.WasShown(started));  // in one attempt, all is shown
  shown.OnRestart();
  EXPECT_TRUE(shown.WasShown(partial));
  EXPECT_TRUE(shown.WasShown(started));
  EXPECT_FALSE(shown.WasShown(completed));
  shown.OnRestart();
  EXPECT_TRUE(shown.WasShown(completed));
  EXPECT_FALSE(shown.WasShown(TextDelta{"c"}));
}

TEST(ShownCalls, CallsWithoutAnIdAreAllShown) {
  const ChatEvent events[] = {ToolCallPartial{{.kind = "read"}, "{"},
                              ToolCallStarted{{.kind = "read"}},
                              ToolCallCompleted{{.kind = "read"}}};
  ShownCalls shown;
  for (int attempt = 0; attempt < 3; ++attempt) {
    for (const ChatEvent& event : events) EXPECT_FALSE(shown.WasShown(event)) << attempt;
    shown.OnRestart();
  }
}

}  // namespace
}  // namespace cursorwire
