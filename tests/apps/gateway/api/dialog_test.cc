#include "api/dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/api_error.h"
#include "api/json_text.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::HistoryText;
using cursorwire::HistoryToolCall;
using cursorwire::HistoryTurn;
using cursorwire::test::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Message System(const std::string& text) { return {.role = Role::kSystem, .text = text}; }
Message User(const std::string& text) { return {.role = Role::kUser, .text = text}; }
Message Said(const std::string& text, std::vector<FunctionCall> calls = {}) {
  return {.role = Role::kAssistant, .text = text, .calls = std::move(calls)};
}
Message Result(const std::string& id, const std::string& text) {
  return {.role = Role::kTool, .text = text, .call_id = id};
}

ApiError ErrorOf(const std::vector<Message>& messages) {
  const auto dialog = SplitDialog(messages);
  EXPECT_FALSE(dialog.ok());
  return ApiErrorOf(dialog.status());
}

TEST(Dialog, CollectsRulesWhereverTheyStand) {
  const auto dialog = SplitDialog({System("one"), User("hi"), System("two")});
  ASSERT_THAT(dialog, IsOk());
  EXPECT_EQ(dialog->rules, "one\n\ntwo");
  EXPECT_EQ(dialog->kind, TailKind::kPrompt);
  EXPECT_EQ(PromptOf(*dialog), "hi");
  EXPECT_THAT(dialog->history, IsEmpty());
}

TEST(Dialog, KeepsRulesOfTheConversationInTheirPlaces) {
  const std::vector<Message> messages = {System("own"), System("one"),
                                         User("a"),     Said("b"),
                                         System(""),    Said("", {{"c1", "f", "{}"}}),
                                         System("two"), Result("c1", "42"),
                                         User("c"),     System("three")};
  const auto dialog = SplitDialog(messages, {.own_rules = 1});
  ASSERT_THAT(dialog, IsOk());
  EXPECT_EQ(dialog->rules, "own\n\none\n\ntwo\n\nthree");
  EXPECT_EQ(dialog->former_rules, "own\n\none");
  EXPECT_EQ(NewRulesOf(*dialog), "two\n\nthree");
  EXPECT_THAT(MessagesOf(*dialog),
              ElementsAre(System("one"), User("a"), Said("b", {{"c1", "f", "{}"}}), System("two"),
                          Result("c1", "42"), User("c"), System("three")));
  const auto none = SplitDialog({User("a"), System("one")});
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(NewRulesOf(*none), "one");
  EXPECT_THAT(MessagesOf(*none), ElementsAre(User("a"), System("one")));
}

TEST(Dialog, SplitsTheTailOff) {
  const auto dialog =
      SplitDialog({User("a"), Said("b"), User("c"), Said("d"), User("e"), User("f")});
  ASSERT_THAT(dialog, IsOk());
  EXPECT_EQ(PromptOf(*dialog), "e\n\nf");
  EXPECT_THAT(HistoryOf(*dialog, HistoryEnd::kBeforeTail),
              ElementsAre(HistoryTurn{.prompt = "a", .items = {HistoryText{"b"}}},
                          HistoryTurn{.prompt = "c", .items = {HistoryText{"d"}}}));
}

TEST(Dialog, RefusesWhatAsksForNothing) {
  EXPECT_EQ(ErrorOf({System("only rules")}).param, "messages");
  EXPECT_THAT(ErrorOf({User("a"), Said("prefill")}).message, HasSubstr("assistant"));
  EXPECT_EQ(ErrorOf({User("a"), Result("c1", "x")}).param, "messages.[1].tool_call_id");
  EXPECT_EQ(ErrorOf({User("a"), Said("", {{"c1", "f", "{}"}}), Result("c2", "x")}).param,
            "messages.[2].tool_call_id");
}

TEST(Dialog, NamesResultsThatAreMissing) {
  const std::vector<FunctionCall> calls = {{"c1", "f", "{}"}, {"c2", "g", "{}"}};
  EXPECT_THAT(ErrorOf({User("a"), Said("", calls), Result("c1", "x")}).message, HasSubstr("c2"));
  EXPECT_THAT(ErrorOf({User("a"), Said("", calls)}).message, HasSubstr("c1, c2"));
}

TEST(Dialog, KnowsResultsFromAPrompt) {
  const Message call = Said("let me see", {{"c1", "f", "{\"x\":1}"}});
  const auto results = SplitDialog({User("a"), call, Result("c1", "42")});
  ASSERT_THAT(results, IsOk());
  EXPECT_EQ(results->kind, TailKind::kResults);
  const auto turns = HistoryOf(*results, HistoryEnd::kWithResults);
  ASSERT_THAT(turns, SizeIs(1));
  EXPECT_THAT(turns[0].items,
              ElementsAre(cursorwire::HistoryItem(HistoryText{"let me see"}),
                          cursorwire::HistoryItem(HistoryToolCall{.call_id = "c1",
                                                                  .name = "mcp_cursorwire_f",
                                                                  .arguments_json = "{\"x\":1}",
                                                                  .result = "42"})));

  const auto both = SplitDialog({User("a"), call, Result("c1", "42"), User("and?")});
  ASSERT_THAT(both, IsOk());
  EXPECT_EQ(both->kind, TailKind::kInterrupted);
  EXPECT_EQ(PromptOf(*both), "and?");
}

TEST(Dialog, TakesACallWithoutResultForInterrupted) {
  const auto dialog = SplitDialog({User("a"), Said("", {{"c1", "f", "{}"}}), User("never mind")});
  ASSERT_THAT(dialog, IsOk());
  EXPECT_EQ(dialog->kind, TailKind::kInterrupted);
  const auto turns = HistoryOf(*dialog, HistoryEnd::kWithResults);
  EXPECT_EQ(std::get<HistoryToolCall>(turns.at(0).items.at(0)).result, kNoResult);
}

TEST(Dialog, HasTextsForWhatHasNone) {
  Message image{.role = Role::kUser, .images = {"bytes"}};
  EXPECT_EQ(PromptOf(*SplitDialog({image})), "See the image.");
  EXPECT_THAT(ImagesOf(*SplitDialog({image})), ElementsAre("bytes"));
  EXPECT_EQ(PromptOf(*SplitDialog({User("")})), " ");
  const auto greeted = SplitDialog({Said("welcome"), User("hi")});
  ASSERT_THAT(greeted, IsOk());
  EXPECT_FALSE(HistoryOf(*greeted, HistoryEnd::kBeforeTail).at(0).prompt.empty());
  const auto shown = SplitDialog({image, Said("a cat"), User("sure?")});
  EXPECT_EQ(HistoryOf(*shown, HistoryEnd::kBeforeTail).at(0).images, 1U);
}

TEST(Dialog, ShowsImagesOfResults) {
  Message shot = Result("c1", "");
  shot.images = {"bytes"};
  const auto dialog = SplitDialog({User("a"), Said("", {{"c1", "f", "{}"}}), shot});
  ASSERT_THAT(dialog, IsOk());
  EXPECT_THAT(ImagesOf(*dialog), ElementsAre("bytes"));
  const auto turns = HistoryOf(*dialog, HistoryEnd::kWithResults);
  EXPECT_EQ(std::get<HistoryToolCall>(turns.at(0).items.at(0)).result, "(an image)");
}

TEST(Dialog, TakesAResultOfAnyCallOfTheTurn) {
  const Message first = Said("", {{"c1", "f", "{}"}, {"c2", "g", "{}"}});
  const auto dialog =
      SplitDialog({User("a"), first, Result("c1", "1"), Said("one more"), Result("c2", "2")});
  ASSERT_THAT(dialog, IsOk());
  EXPECT_EQ(dialog->kind, TailKind::kResults);
  EXPECT_THAT(dialog->open_calls, ElementsAre("c2"));
  const auto turns = HistoryOf(*dialog, HistoryEnd::kWithResults);
  ASSERT_THAT(turns, SizeIs(1));
  EXPECT_EQ(std::get<HistoryToolCall>(turns[0].items.at(0)).result, "1");
  EXPECT_EQ(std::get<HistoryToolCall>(turns[0].items.at(1)).result, "2");
  // Those of an earlier turn are over.
  EXPECT_EQ(ErrorOf({User("a"), first, User("b"), Said("c"), Result("c1", "1")}).param,
            "messages.[4].tool_call_id");
}

TEST(Dialog, TellsResultsOfCallsThatAreGone) {
  const auto dialog =
      SplitDialog({User("summary"), Result("c1", "42")}, {.list = "input", .tells_orphans = true});
  ASSERT_THAT(dialog, IsOk());
  EXPECT_EQ(dialog->kind, TailKind::kPrompt);
  EXPECT_THAT(PromptOf(*dialog), HasSubstr("42"));
  const auto refused = SplitDialog({System("rules")}, {.list = "input"});
  EXPECT_EQ(ApiErrorOf(refused.status()).param, "input");
  EXPECT_THAT(ApiErrorOf(refused.status()).message, HasSubstr("'input'"));
}

TEST(Dialog, JoinsAnAnswerWhoseCallsCameApart) {
  const FunctionCall one{"c1", "f", "{}"};
  const FunctionCall two{"c2", "g", "{}"};
  const auto apart = SplitDialog({User("a"), Said("let me see"), Said("", {one}), Said("", {two}),
                                  Result("c1", "1"), Result("c2", "2")});
  ASSERT_THAT(apart, IsOk());
  EXPECT_THAT(apart->history, ElementsAre(User("a"), Said("let me see", {one, two})));
  EXPECT_EQ(apart->kind, TailKind::kResults);
  EXPECT_THAT(apart->open_calls, ElementsAre("c1", "c2"));
  // Two texts, and calls of two rounds, stay two messages.
  const auto texts = SplitDialog({User("a"), Said("b"), Said("c", {one}), Result("c1", "1"),
                                  Said("", {two}), Result("c2", "2")});
  ASSERT_THAT(texts, IsOk());
  EXPECT_THAT(texts->history, ElementsAre(User("a"), Said("b"), Said("c", {one}), Result("c1", "1"),
                                          Said("", {two})));
}

TEST(Dialog, TakesLinearTimeForResultsAndCalls) {
  constexpr size_t kCalls = kMaxDialogParts / 2 - 1;  // beside two messages
  Message calls = Said("");
  std::vector<Message> messages = {User("a"), calls};
  for (size_t i = 0; i < kCalls; ++i) {
    messages[1].calls.push_back({"call_" + std::to_string(i), "f", "{}"});
    messages.push_back(Result("call_" + std::to_string(kCalls - 1 - i), ""));
  }
  const auto dialog = SplitDialog(std::move(messages));
  ASSERT_THAT(dialog, IsOk());
  EXPECT_EQ(dialog->kind, TailKind::kResults);
  EXPECT_THAT(dialog->open_calls, SizeIs(kCalls));
}

// A client may have many parts in few messages.
TEST(Dialog, CountsMessagesCallsAndImages) {
  const auto split = [](size_t calls, size_t images) {
    Message said = Said("", std::vector<FunctionCall>(calls, {"c", "f", "{}"}));
    Message user = User("b");
    user.images.assign(images, "x");
    return SplitDialog({User("a"), std::move(said), std::move(user)}, {.list = "input"}).status();
  };
  EXPECT_THAT(split(kMaxDialogParts - 4, 1), IsOk());
  for (const auto& status : {split(kMaxDialogParts - 3, 1), split(1, kMaxDialogParts - 3)}) {
    EXPECT_EQ(ApiErrorOf(status).param, "input");
    EXPECT_THAT(ApiErrorOf(status).message, HasSubstr("begin a new one"));
  }
  EXPECT_EQ(ErrorOf(std::vector<Message>(kMaxDialogParts + 1, User("a"))).status, 400);
}

// They are parsed to know the conversation again.
TEST(Dialog, CountsTheValuesOfArguments) {
  const auto split = [](size_t values) {
    std::string list = "[";
    for (size_t i = 1; i < values / 2; ++i) list += "0,";
    list += "0]";
    return SplitDialog({User("a"), Said("", {{"c1", "f", list}, {"c2", "f", list}}), User("b")},
                       {.list = "input"})
        .status();
  };
  EXPECT_THAT(split(kMaxJsonValues), IsOk());
  const ApiError error = ApiErrorOf(split(kMaxJsonValues + 2));
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.param, "input");
  EXPECT_THAT(error.message, HasSubstr("more than 1000000 values"));
}

TEST(Dialog, KeepsRoundsOfCallsInOneTurn) {
  const auto dialog =
      SplitDialog({User("a"), Said("", {{"c1", "f", "{}"}}), Result("c1", "1"),
                   Said("", {{"c1", "f", "{}"}}), Result("c1", "2"), Said("end"), User("b")});
  ASSERT_THAT(dialog, IsOk());
  const auto turns = HistoryOf(*dialog, HistoryEnd::kBeforeTail);
  ASSERT_THAT(turns, SizeIs(1));
  ASSERT_THAT(turns[0].items, SizeIs(3));
  EXPECT_EQ(std::get<HistoryToolCall>(turns[0].items[0]).result, "1");
  EXPECT_EQ(std::get<HistoryToolCall>(turns[0].items[1]).result, "2");
}

}  // namespace
}  // namespace cursor_gateway
