#include "cursorwire/tool_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Answers = std::vector<absl::StatusOr<ToolResult>>;

ToolReply ReplyInto(Answers& answers) {
  return ToolReply(
      [&answers](absl::StatusOr<ToolResult> result) { answers.push_back(std::move(result)); });
}

// The text of the only item of the only answer.
std::string TextOf(const Answers& answers) {
  if (answers.size() != 1) return "not one answer";
  if (!answers[0].ok()) return answers[0].status().ToString();
  if (answers[0]->content.size() != 1) return "not one item";
  return std::get<std::string>(answers[0]->content[0]);
}

ToolRegistry::Handler Echo() {
  return [](const ToolCall& call) { return ToolResult::Text(call.arguments_json); };
}

TEST(ToolResult, IsMadeOfOneItem) {
  EXPECT_EQ(std::get<std::string>(ToolResult::Text("a").content.at(0)), "a");
  EXPECT_FALSE(ToolResult::Text("a").is_error);
  EXPECT_EQ(std::get<std::string>(ToolResult::Error("b").content.at(0)), "b");
  EXPECT_TRUE(ToolResult::Error("b").is_error);
  EXPECT_EQ(std::get<ToolImage>(ToolResult::Image("c").content.at(0)).bytes, "c");
  EXPECT_FALSE(ToolResult::Image("c").is_error);
}

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

TEST(ToolRegistry, KeepsDefinitionsInTheirOrder) {
  ToolRegistry tools;
  EXPECT_TRUE(tools.empty());
  tools.Add({.name = "b", .description = "B"}, Echo())
      .AddLater({.name = "a"}, [](const ToolCall&, const ToolReply&) {});
  EXPECT_THAT(tools.status(), IsOk());
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_EQ(tools.definition(0).name, "b");
  EXPECT_EQ(tools.definition(0).description, "B");
  EXPECT_EQ(tools.definition(1).name, "a");
}

TEST(ToolRegistry, ChecksDefinitions) {
  struct Case {
    const char* name;
    ToolDefinition definition;
    const char* error;  // "": it is good
  };
  const Case cases[] = {
      {"every character", {.name = "Az09_-"}, ""},
      {"the longest name", {.name = std::string(64, 'a')}, ""},
      {"a schema", {.name = "a", .input_schema = R"({"type":"object"})"}, ""},
      {"no name", {.name = ""}, "a name is"},
      {"a name too long", {.name = std::string(65, 'a')}, "a name is"},
      {"a space", {.name = "a b"}, "a name is"},
      {"a letter with an accent", {.name = "\xC3\xA9"}, "a name is"},
      {"a bad description", {.name = "a", .description = "\xFF"}, "description"},
      {"a schema that is no JSON", {.name = "a", .input_schema = "{"}, "schema"},
      {"a schema that is no object", {.name = "a", .input_schema = "[]"}, "no JSON object"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ToolRegistry tools;
    tools.Add(c.definition, Echo());
    if (*c.error == '\0') {
      EXPECT_THAT(tools.status(), IsOk());
      EXPECT_EQ(tools.size(), 1u);
    } else {
      EXPECT_THAT(tools.status(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.error)));
      EXPECT_TRUE(tools.empty());
    }
  }
}

TEST(ToolRegistry, WantsAHandler) {
  EXPECT_THAT(ToolRegistry().Add({.name = "a"}, nullptr).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no handler")));
  EXPECT_THAT(ToolRegistry().AddLater({.name = "a"}, nullptr).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no handler")));
}

TEST(ToolRegistry, KeepsTheFirstError) {
  ToolRegistry tools;
  tools.Add({.name = "a"}, Echo()).Add({.name = "a"}, Echo()).Add({.name = ""}, Echo());
  EXPECT_THAT(tools.status(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("name a")));
  EXPECT_EQ(tools.size(), 1u);
}

TEST(ToolRegistry, CallsTheHandlerOfThatName) {
  ToolRegistry tools;
  tools.Add({.name = "echo"}, Echo())
      .Add({.name = "fails"}, [](const ToolCall&) { return absl::UnavailableError("down"); })
      .AddLater({.name = "later"}, [](const ToolCall& call, const ToolReply& reply) {
        reply.Send(ToolResult::Text("later " + call.call_id));
      });
  const ToolRegistry copy = tools;
  const auto answer = [&copy](const ToolCall& call) {
    Answers answers;
    copy.Call(call, ReplyInto(answers));
    return TextOf(answers);
  };
  EXPECT_EQ(answer({.name = "echo", .arguments_json = R"({"a":1})"}), R"({"a":1})");
  EXPECT_THAT(answer({.name = "fails"}), HasSubstr("UNAVAILABLE: down"));
  EXPECT_EQ(answer({.name = "later", .call_id = "7"}), "later 7");
  EXPECT_THAT(answer({.name = "none"}), AllOf(HasSubstr("NOT_FOUND"), HasSubstr("'none'")));
}

TEST(ToolRegistry, MakesAnErrorOfWhatAHandlerThrows) {
  ToolRegistry tools;
  tools
      .Add({.name = "throws"},
           [](const ToolCall&) -> absl::StatusOr<ToolResult> { throw std::runtime_error("oh"); })
      .Add({.name = "number"}, [](const ToolCall&) -> absl::StatusOr<ToolResult> { throw 1; })
      .AddLater({.name = "answered"}, [](const ToolCall&, const ToolReply& reply) {
        reply.Send(ToolResult::Text("answer"));
        throw std::runtime_error("too late");
      });
  const auto answer = [&tools](const char* name) {
    Answers answers;
    tools.Call({.name = name}, ReplyInto(answers));
    return TextOf(answers);
  };
  EXPECT_THAT(answer("throws"), HasSubstr("the tool threw: oh"));
  EXPECT_THAT(answer("number"), HasSubstr("not a std::exception"));
  EXPECT_EQ(answer("answered"), "answer");
}

TEST(ToolRegistry, AnswersLaterFromAnotherThread) {
  std::optional<ToolReply> kept;
  ToolRegistry tools;
  tools.AddLater({.name = "a"},
                 [&kept](const ToolCall&, ToolReply reply) { kept = std::move(reply); });
  Answers answers;
  tools.Call({.name = "a"}, ReplyInto(answers));
  EXPECT_TRUE(answers.empty());
  std::thread([&kept] { std::exchange(kept, std::nullopt)->Send(ToolResult::Text("b")); }).join();
  EXPECT_EQ(TextOf(answers), "b");
}

TEST(ToolRegistry, AnswersForAHandlerThatForgetsTo) {
  ToolRegistry tools;
  tools.AddLater({.name = "a"}, [](const ToolCall&, const ToolReply&) {});
  Answers answers;
  tools.Call({.name = "a"}, ReplyInto(answers));
  EXPECT_THAT(TextOf(answers), HasSubstr("without an answer"));
}

TEST(ToolRegistry, QuotesNoControlCharactersOfAName) {
  Answers answers;
  ToolRegistry().Call({.name = "a\nb"}, ReplyInto(answers));
  EXPECT_THAT(TextOf(answers), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace cursorwire
