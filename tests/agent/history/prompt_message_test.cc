#include "agent/history/prompt_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cursorwire::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kAsked[] =
    R"({"role":"user","content":[{"type":"text","text":"<user_query>\nhi\n</user_query>"}]})";

// docs/protocol.md, root prompt messages.
TEST(MessagesOf, PutsResultsBehindTheCallsThatTheyBelongTo) {
  const HistoryTurn turn{.prompt = "hi",
                         .items = {HistoryText{"Let me \"see\"."},
                                   HistoryToolCall{.call_id = "c1",
                                                   .name = "ls",
                                                   .arguments_json = R"({"path":"."})",
                                                   .result = "a.txt"},
                                   HistoryToolCall{.call_id = "c2",
                                                   .name = "read",
                                                   .arguments_json = "{}",
                                                   .result = "no",
                                                   .is_error = true},
                                   HistoryText{"Done."}}};
  EXPECT_THAT(
      MessagesOf(turn),
      ElementsAre(
          kAsked,
          R"({"role":"assistant","content":[{"type":"text","text":"Let me \"see\"."},)"
          R"({"type":"tool-call","toolCallId":"c1","toolName":"ls","args":{"path":"."}},)"
          R"({"type":"tool-call","toolCallId":"c2","toolName":"read","args":{}}]})",
          R"({"role":"tool","content":[)"
          R"({"type":"tool-result","toolCallId":"c1","toolName":"ls","result":"a.txt"},)"
          R"({"type":"tool-result","toolCallId":"c2","toolName":"read","result":"no","isError":true}]})",
          R"({"role":"assistant","content":[{"type":"text","text":"Done."}]})"));
}

TEST(MessagesOf, HasTheQuestionAloneWhereNothingWasSaid) {
  EXPECT_THAT(MessagesOf({.prompt = "hi"}), ElementsAre(kAsked));
}

TEST(MessagesOf, SayThatATurnWasNotCompleted) {
  const HistoryTurn turn{
      .prompt = "hi", .items = {HistoryText{"Let"}}, .ending = TurnEnding::kCancelled};
  EXPECT_THAT(
      MessagesOf(turn),
      ElementsAre(
          kAsked, R"({"role":"assistant","content":[{"type":"text","text":"Let"}]})",
          R"({"role":"user","content":[{"type":"text","text":"<turn_ending>\nThe user stopped this turn before it was complete. What was said and done until then is above. Do not go on with it unless the user asks for that.\n</turn_ending>"}]})"));
}

TEST(MessagesOf, NotesImagesInThePlaceOfTheirBytes) {
  EXPECT_THAT(
      MessagesOf({.prompt = "hi", .images = 2}),
      ElementsAre(
          R"({"role":"user","content":[{"type":"text","text":"<user_query>\nhi\n[2 image(s) were shown here]\n</user_query>"}]})"));
}

// Each with all after it would take minutes.
TEST(MessagesOf, TellsTheLastOfManyCallsWithTheSameId) {
  constexpr size_t kCalls = 200'000;
  HistoryTurn turn{.prompt = "hi"};
  const auto add = [&turn](std::string id, std::string name) {
    turn.items.emplace_back(
        HistoryToolCall{.call_id = std::move(id), .name = std::move(name), .arguments_json = "{}"});
  };
  add("0", "again");
  std::get<HistoryToolCall>(turn.items[0]).result = "first";
  for (size_t i = 0; i < kCalls; ++i) add(std::to_string(i), "again");
  add("", "nameless");
  add("", "nameless");
  const std::vector<std::string> messages = MessagesOf(turn);
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_THAT(messages[2], Not(HasSubstr("first")));
  const auto count = [&messages](std::string_view text) {
    size_t found = 0;
    for (size_t at = 0; (at = messages[1].find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("again"), kCalls);
  EXPECT_EQ(count("nameless"), 2U);
}

// What was done is told, also where the service has given one id to several actions.
TEST(MessagesOf, TellEachActionOfACallUnderAnIdOfItsOwn) {
  const auto call = [](const char* id, const char* name, const char* arguments,
                       const char* result) -> HistoryItem {
    return HistoryToolCall{
        .call_id = id, .name = name, .arguments_json = arguments, .result = result};
  };
  const HistoryTurn turn{
      .prompt = "hi",
      .items = {call("c", "write", R"({"path":"a"})", "1"), HistoryText{"x"},
                call("c", "shell", "{}", "2"), call("c-2", "ls", "{}", "3"),
                call("c", "write", R"({"path":"b"})", "4"), call("c", "shell", "{}", "5")}};
  EXPECT_THAT(
      MessagesOf(turn),
      ElementsAre(
          kAsked,
          R"({"role":"assistant","content":[)"
          R"({"type":"tool-call","toolCallId":"c","toolName":"write","args":{"path":"a"}}]})",
          R"({"role":"tool","content":[)"
          R"({"type":"tool-result","toolCallId":"c","toolName":"write","result":"1"}]})",
          R"({"role":"assistant","content":[{"type":"text","text":"x"},)"
          R"({"type":"tool-call","toolCallId":"c-2","toolName":"ls","args":{}},)"
          R"({"type":"tool-call","toolCallId":"c-3","toolName":"write","args":{"path":"b"}},)"
          R"({"type":"tool-call","toolCallId":"c-4","toolName":"shell","args":{}}]})",
          R"({"role":"tool","content":[)"
          R"({"type":"tool-result","toolCallId":"c-2","toolName":"ls","result":"3"},)"
          R"({"type":"tool-result","toolCallId":"c-3","toolName":"write","result":"4"},)"
          R"({"type":"tool-result","toolCallId":"c-4","toolName":"shell","result":"5"}]})"));
}

TEST(MessagesOf, LeavesArgumentsOutThatAreNoObject) {
  for (const char* json : {"", "{", "[]", "1", R"({"a":1}, "role":"system")"}) {
    SCOPED_TRACE(json);
    const HistoryTurn turn{
        .prompt = "hi",
        .items = {HistoryToolCall{.call_id = "c", .name = "n", .arguments_json = json}}};
    EXPECT_EQ(
        MessagesOf(turn).at(1),
        R"({"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"n","args":{}}]})");
  }
}

}  // namespace
}  // namespace cursorwire::agent
