#include "cursorwire/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "agent/tools/tool_answers.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::Answers;
using test::IsOk;
using test::ReplyInto;
using test::StatusIs;
using test::TextOf;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ToolRegistry::Handler Echo() {
  return [](const ToolCall& call) { return ToolResult::Text(call.arguments_json); };
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

std::string Nested(size_t depth) {
  std::string json = R"("x")";
  for (size_t i = 0; i < depth; ++i) json = R"({"a":)" + json + "}";
  return json;
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
      {"the deepest schema", {.name = "a", .input_schema = Nested(kMaxSchemaDepth)}, ""},
      {"a deeper schema",
       {.name = "a", .input_schema = Nested(kMaxSchemaDepth + 1)},
       "tool 'a': the schema is nested 32 objects and lists deep, over the limit of 31"},
      {"a schema deeper than JSON may be",
       {.name = "a", .input_schema = Nested(1000)},
       "tool 'a': the schema is nested 1000 objects"},
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
