#include "anthropic/messages_request.h"

#include <cursorwire/tools.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "api/conversation_key.h"
#include "api/dialog.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

json Say(const std::string& role, const json& content) {
  return {{"role", role}, {"content", content}};
}
json TextBlock(const std::string& text) { return {{"type", "text"}, {"text", text}}; }
json ToolUse(const std::string& id) {
  return {{"type", "tool_use"}, {"id", id}, {"name", "get_time"}, {"input", json::object()}};
}
json ToolResult(const std::string& id, const json& content) {
  return {{"type", "tool_result"}, {"tool_use_id", id}, {"content", content}};
}

std::string Body(const json& messages, const json& more = json::object()) {
  // Braces around one message are that message.
  const json list = messages.is_object() ? json::array({messages}) : messages;
  json body = {{"model", "m"}, {"max_tokens", 100}, {"messages", list}};
  body.update(more);
  return body.dump();
}

MessagesRequest Read(const json& messages, const json& more = json::object()) {
  absl::StatusOr<MessagesRequest> request = ReadMessagesRequest(Body(messages, more));
  EXPECT_TRUE(request.ok()) << request.status();
  return request.ok() ? *std::move(request) : MessagesRequest();
}

Dialog DialogOf(const json& messages, const json& more = json::object()) {
  absl::StatusOr<Dialog> dialog = SplitDialog(Read(messages, more).chat.messages);
  EXPECT_TRUE(dialog.ok()) << dialog.status();
  return dialog.ok() ? *std::move(dialog) : Dialog();
}

std::string KeyOf(const json& messages, const json& more = json::object()) {
  const Dialog dialog = DialogOf(messages, more);
  ConversationKey key("", dialog.rules);
  key.Add(DigestsOf(dialog.history));
  key.Add(DigestsOf(dialog.tail));
  return key.value();
}

ApiError Refusal(const json& messages, const json& more = json::object()) {
  const absl::StatusOr<MessagesRequest> request = ReadMessagesRequest(Body(messages, more));
  EXPECT_FALSE(request.ok());
  return ApiErrorOf(request.status());
}

const json kHi = json::array({Say("user", "hi")});

TEST(MessagesRequest, ReadsTheSystemFieldAsStringAndAsBlocks) {
  EXPECT_EQ(DialogOf(kHi, {{"system", "be brief"}}).rules, "be brief");
  EXPECT_EQ(DialogOf(kHi, {{"system", {TextBlock("be brief"), TextBlock("be kind")}}}).rules,
            "be brief\n\nbe kind");
}

TEST(MessagesRequest, DropsTheBillingBlockWhichDiffersInEverySession) {
  const json system = {TextBlock("x-anthropic-billing-header: cc_version=1; cch=1a2b;"),
                       TextBlock("be brief")};
  EXPECT_EQ(DialogOf(kHi, {{"system", system}}).rules, "be brief");
}

TEST(MessagesRequest, TakesSystemMessagesAnywhere) {
  const Dialog dialog =
      DialogOf({Say("user", "one"), Say("system", "first"), Say("assistant", "a"),
                Say("user", "two"), Say("system", json::array({TextBlock("last")}))},
               {{"system", "top"}});
  EXPECT_EQ(dialog.rules, "top\n\nfirst\n\nlast");
  EXPECT_EQ(dialog.former_rules, "top\n\nfirst");
  EXPECT_EQ(PromptOf(dialog), "two");  // a rule after it does not change what the turn is about
  EXPECT_EQ(dialog.kind, TailKind::kPrompt);
}

TEST(MessagesRequest, RefusesOtherRolesInWordsThatClientsKnow) {
  EXPECT_THAT(Refusal({Say("tool", "x")}).message, HasSubstr("role tool is not supported"));
}

TEST(MessagesRequest, ReadsABlockOfTextAndAStringAlike) {
  const json cached = {
      {"type", "text"}, {"text", "hi"}, {"cache_control", {{"type", "ephemeral"}, {"ttl", "1h"}}}};
  EXPECT_EQ(KeyOf({Say("user", json::array({cached}))}), KeyOf(kHi));
}

TEST(MessagesRequest, ReadsResultsInAnyOrderWithAnyContent) {
  const json error = {{"type", "tool_result"}, {"tool_use_id", "a"}, {"is_error", true}};
  const Dialog dialog = DialogOf(
      {Say("user", "x"), Say("assistant", {ToolUse("a"), ToolUse("b"), ToolUse("c")}),
       Say("user",
           {ToolResult("c", {{{"type", "tool_reference"}, {"tool_name", "mcp__x__do"}}}), error,
            ToolResult("b", {{{"type", "search_result"},
                              {"title", "T"},
                              {"source", "S"},
                              {"content", {TextBlock("found")}}}})})});
  EXPECT_EQ(dialog.kind, TailKind::kResults);
  ASSERT_THAT(dialog.tail, SizeIs(3));
  EXPECT_EQ(dialog.tail[0].call_id, "c");
  EXPECT_EQ(dialog.tail[0].text, "loaded: mcp__x__do");
  EXPECT_TRUE(dialog.tail[1].is_error);
  EXPECT_EQ(dialog.tail[1].text, "");
  EXPECT_EQ(dialog.tail[2].text, "T\n\nS\n\nfound");
}

TEST(MessagesRequest, TakesTextBehindResultsForPartOfTheLastOne) {
  const json call = Say("assistant", json::array({ToolUse("a")}));
  const json text = TextBlock("<system-reminder>tool loaded</system-reminder>");
  const json document = {
      {"type", "document"},
      {"source", {{"type", "text"}, {"media_type", "text/plain"}, {"data", "lines"}}}};
  const Dialog dialog =
      DialogOf({Say("user", "x"), call, Say("user", {ToolResult("a", "r"), text, document})});
  EXPECT_EQ(dialog.kind, TailKind::kResults);
  ASSERT_THAT(dialog.tail, SizeIs(1));
  EXPECT_EQ(dialog.tail[0].text, "r\n\n<system-reminder>tool loaded</system-reminder>\n\nlines");
  // The same in messages of their own, and in the history.
  EXPECT_EQ(DialogOf({Say("user", "x"), call, Say("user", json::array({ToolResult("a", "r")})),
                      Say("user", json::array({text}))})
                .kind,
            TailKind::kResults);
  const Dialog later =
      DialogOf({Say("user", "x"), call, Say("user", {ToolResult("a", "r"), text, document}),
                Say("assistant", "done"), Say("user", "y")});
  ASSERT_THAT(later.history, SizeIs(4));
  EXPECT_EQ(later.history[2], dialog.tail[0]);
}

TEST(MessagesRequest, TakesTextForAnInterruptionWhereResultsAreMissing) {
  const Dialog dialog =
      DialogOf({Say("user", "x"), Say("assistant", {ToolUse("a"), ToolUse("b")}),
                Say("user", {ToolResult("a", "r"), TextBlock("[Request interrupted by user]")})});
  EXPECT_EQ(dialog.kind, TailKind::kInterrupted);
  EXPECT_EQ(PromptOf(dialog), "[Request interrupted by user]");
  const Dialog none = DialogOf(
      {Say("user", "x"), Say("assistant", json::array({ToolUse("a")})), Say("user", "never mind")});
  EXPECT_EQ(none.kind, TailKind::kInterrupted);
}

TEST(MessagesRequest, RefusesAResultOfNoCallAndNamesIt) {
  const ApiError error = Refusal({Say("user", json::array({ToolResult("a", "r")}))});
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.param, "messages.0.content.0.tool_use_id");
}

TEST(MessagesRequest, SkipsThinkingAndBlocksOfServersTools) {
  const json thinking = {{"type", "thinking"}, {"thinking", "hm"}, {"signature", "of anybody"}};
  const json redacted = {{"type", "redacted_thinking"}, {"data", "AAAA"}};
  const json search = {
      {"type", "server_tool_use"}, {"id", "s"}, {"name", "web_search"}, {"input", {{"q", "x"}}}};
  const json found = {
      {"type", "web_search_tool_result"}, {"tool_use_id", "s"}, {"content", json::array()}};
  const json unknown = {{"type", "something_newer"}, {"data", 1}};
  const json plain = {Say("user", "x"), Say("assistant", "answer"), Say("user", "y")};
  const json full = {
      Say("user", "x"),
      Say("assistant", {thinking, redacted, search, found, unknown, TextBlock("answer")}),
      Say("user", "y")};
  EXPECT_EQ(KeyOf(full), KeyOf(plain));
}

TEST(MessagesRequest, HasTheSameKeyForTextBehindCallsAndEmptyTexts) {
  const json moved = {Say("user", "x"), Say("assistant", {TextBlock("one two"), ToolUse("a")}),
                      Say("user", json::array({ToolResult("a", "r")}))};
  const json made = {
      Say("user", "x"),
      Say("assistant", {TextBlock("one "), TextBlock(""), ToolUse("a"), TextBlock("two")}),
      Say("user", json::array({ToolResult("a", "r")}))};
  EXPECT_EQ(KeyOf(made), KeyOf(moved));
}

TEST(MessagesRequest, TakesNeighboursOfTheAssistantForOneMessage) {
  const Dialog dialog = DialogOf({Say("user", "x"), Say("assistant", json::array({ToolUse("a")})),
                                  Say("assistant", json::array({ToolUse("b")})),
                                  Say("user", {ToolResult("a", "r"), ToolResult("b", "s")})});
  EXPECT_EQ(dialog.kind, TailKind::kResults);
  EXPECT_THAT(dialog.history.back().calls, SizeIs(2));
}

// GIF89a is enough for the kind of an image.
const json kGif = {
    {"type", "image"},
    {"source",
     {{"type", "base64"}, {"media_type", "image/gif"}, {"data", "R0lGODlhAQABAAAAACw="}}}};

TEST(MessagesRequest, ReadsImagesOfUsersAndResults) {
  EXPECT_THAT(DialogOf({Say("user", json::array({kGif}))}).tail[0].images, SizeIs(1));
  const Dialog dialog =
      DialogOf({Say("user", "x"), Say("assistant", json::array({ToolUse("a")})),
                Say("user", json::array({ToolResult("a", json::array({kGif}))}))});
  EXPECT_EQ(dialog.kind, TailKind::kResults);
  EXPECT_THAT(dialog.tail[0].images, SizeIs(1));
  EXPECT_THAT(dialog.tail[0].text, IsEmpty());
}

TEST(MessagesRequest, RefusesAddressesOfImagesInTheLastMessageAlone) {
  const json url = {{"type", "image"}, {"source", {{"type", "url"}, {"url", "https://a/b.png"}}}};
  const ApiError error = Refusal({Say("user", json::array({url}))});
  EXPECT_EQ(error.param, "messages.0.content.0.source");
  EXPECT_THAT(error.message, HasSubstr("not fetched"));
  const Dialog dialog =
      DialogOf({Say("user", json::array({url})), Say("assistant", "a"), Say("user", "b")});
  EXPECT_THAT(dialog.history[0].text, HasSubstr("An image was left out"));
}

TEST(MessagesRequest, SaysThatAPdfWasLeftOut) {
  const json pdf = {
      {"type", "document"},
      {"title", "report.pdf"},
      {"source", {{"type", "base64"}, {"media_type", "application/pdf"}, {"data", "JVBERi0="}}}};
  EXPECT_EQ(PromptOf(DialogOf({Say("user", {pdf, TextBlock("what is in it?")})})),
            "report.pdf\n\n[A PDF document was left out here: it cannot be shown to the model.]\n\n"
            "what is in it?");
}

TEST(MessagesRequest, ReadsDocumentsOfContent) {
  const json document = {{"type", "document"},
                         {"source", {{"type", "content"}, {"content", {TextBlock("part")}}}}};
  EXPECT_EQ(PromptOf(DialogOf({Say("user", json::array({document}))})), "part");
}

TEST(MessagesRequest, OffersToolsWithAllThatClientsPutBesideThem) {
  const json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"type", "object"}};
  const MessagesRequest request = Read(
      kHi,
      {{"tools",
        {{{"name", "Bash"}, {"description", std::string(21'000, 'x')}, {"input_schema", schema}},
         {{"type", "custom"},
          {"name", "mcp__my_srv__do_it"},
          {"input_schema", schema},
          {"defer_loading", true},
          {"strict", nullptr}}}}});
  ASSERT_THAT(request.chat.tools, SizeIs(2));
  EXPECT_THAT(request.chat.tools[0].description, SizeIs(21'000));
  EXPECT_EQ(json::parse(request.chat.tools[1].parameters), schema);
  EXPECT_THAT(request.left_out, IsEmpty());
}

TEST(MessagesRequest, LeavesOutToolsOfServersAndNamesThem) {
  const json web = {{"type", "web_search_20250305"}, {"name", "web_search"}, {"max_uses", 8}};
  const json bash = {{"type", "bash_20250124"}, {"name", "bash"}};
  const MessagesRequest request =
      Read(kHi, {{"tools", {web, bash, {{"name", "t"}}}},
                 {"tool_choice", {{"type", "tool"}, {"name", "web_search"}}}});
  ASSERT_THAT(request.chat.tools, SizeIs(1));
  EXPECT_THAT(request.left_out, ElementsAre("web_search_20250305", "bash_20250124"));
  EXPECT_EQ(request.chat.tool_choice, ToolChoice::kAuto);
  EXPECT_EQ(request.chat.messages[0].text, "These tools cannot be used here: bash.");
}

TEST(MessagesRequest, ReadsTheChoiceOfTools) {
  const json tools = json::array({{{"name", "t"}}});
  const auto choice = [&](const json& value) {
    return Read(kHi, {{"tools", tools}, {"tool_choice", value}}).chat;
  };
  EXPECT_EQ(choice({{"type", "any"}}).tool_choice, ToolChoice::kRequired);
  EXPECT_EQ(choice({{"type", "none"}}).tool_choice, ToolChoice::kNone);
  EXPECT_EQ(choice({{"type", "tool"}, {"name", "t"}}).named_tool, "t");
  EXPECT_TRUE(choice({{"type", "auto"}}).parallel_tool_calls);
  EXPECT_FALSE(choice({{"type", "auto"}, {"disable_parallel_tool_use", true}}).parallel_tool_calls);
}

TEST(MessagesRequest, ShowsThinkingWhereItIsAskedFor) {
  const auto shows = [](const json& thinking) {
    return Read(kHi, {{"thinking", thinking}}).shows_thinking;
  };
  EXPECT_TRUE(shows({{"type", "enabled"}, {"budget_tokens", 31999}}));
  EXPECT_TRUE(shows({{"type", "adaptive"}, {"display", "summarized"}}));
  EXPECT_FALSE(shows({{"type", "adaptive"}, {"display", "omitted"}}));
  EXPECT_FALSE(shows({{"type", "disabled"}}));
  EXPECT_FALSE(shows(nullptr));
  EXPECT_FALSE(shows("what is this?"));
}

TEST(MessagesRequest, ReadsEffortAndFormat) {
  const json schema = {{"type", "object"}};
  const ChatCompletionRequest chat =
      Read(kHi, {{"output_config",
                  {{"effort", "high"}, {"format", {{"type", "json_schema"}, {"schema", schema}}}}}})
          .chat;
  EXPECT_EQ(chat.reasoning_effort, "high");
  EXPECT_TRUE(chat.wants_json);
  EXPECT_EQ(json::parse(chat.json_schema), schema);
}

TEST(MessagesRequest, IgnoresNullsAndFieldsItDoesNotKnow) {
  const MessagesRequest request = Read(kHi, {{"system", nullptr},
                                             {"tools", nullptr},
                                             {"tool_choice", nullptr},
                                             {"stop_sequences", nullptr},
                                             {"stream", nullptr},
                                             {"output_config", nullptr},
                                             {"thread", nullptr},
                                             {"metadata", {{"user_id", "private"}}},
                                             {"context_management", {{"edits", json::array()}}},
                                             {"temperature", 1},
                                             {"something_newer", {1, 2}}});
  EXPECT_THAT(request.chat.messages, SizeIs(1));
  EXPECT_FALSE(request.chat.stream);
}

TEST(MessagesRequest, RefusesThreadsSoThatTheSdkGoesOnWithoutThem) {
  const ApiError error = Refusal(kHi, {{"thread", {{"type", "create"}}}});
  EXPECT_EQ(error.code, "thread_unsupported_request");
  EXPECT_EQ(error.param, "thread");
}

TEST(MessagesRequest, RefusesAPrefill) {
  const MessagesRequest request = Read({Say("user", "x"), Say("assistant", "{")});
  EXPECT_FALSE(SplitDialog(request.chat.messages).ok());
}

TEST(MessagesRequest, NamesTheFieldThatIsWrong) {
  const json many_stops = std::vector<std::string>(kMaxStops + 1, "x");
  const struct {
    const char* name;
    json more;
    const char* param;
  } cases[] = {
      {"no messages", {{"messages", nullptr}}, "messages"},
      {"empty messages", {{"messages", json::array()}}, "messages"},
      {"no list", {{"messages", "hi"}}, "messages"},
      {"no content", {{"messages", {{{"role", "user"}}}}}, "messages.0.content"},
      {"no model", {{"model", nullptr}}, "model"},
      {"no text",
       {{"messages", {Say("user", json::array({{{"type", "text"}}}))}}},
       "messages.0.content.0.text"},
      {"tools", {{"tools", "t"}}, "tools"},
      {"schema", {{"tools", {{{"name", "t"}, {"input_schema", 1}}}}}, "tools.0.input_schema"},
      {"twice", {{"tools", {{{"name", "t"}}, {{"name", "t"}}}}}, "tools"},
      {"stops", {{"stop_sequences", many_stops}}, "stop_sequences"},
      {"stream", {{"stream", "yes"}}, "stream"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const ApiError error = Refusal(kHi, c.more);
    EXPECT_EQ(error.status, 400);
    EXPECT_EQ(error.param, c.param);
  }
}

TEST(MessagesRequest, RefusesASchemaThatIsNestedTooDeep) {
  json schema = json::object();
  for (size_t depth = 1; depth < cursorwire::kMaxSchemaDepth; ++depth) {
    schema = {{"properties", std::move(schema)}};
  }
  const auto body = [](const json& value) {
    return Body(kHi, {{"tools", {{{"name", "t"}, {"input_schema", value}}}}});
  };
  EXPECT_TRUE(ReadMessagesRequest(body(schema)).ok());
  const auto refused = ReadMessagesRequest(body({{"properties", schema}}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(ApiErrorOf(refused.status()).param, "tools.0.input_schema");
}

TEST(MessagesRequest, ReadsManyCallsAndResultsInLinearTime) {
  json calls = json::array();
  json results = json::array();
  for (int i = 0; i < 20'000; ++i) {
    calls.push_back(ToolUse(std::to_string(i)));
    results.push_back(ToolResult(std::to_string(i), "r"));
  }
  const MessagesRequest request =
      Read({Say("user", "x"), Say("assistant", calls), Say("user", results)});
  EXPECT_THAT(request.chat.messages, SizeIs(20'002));
}

// --- count_tokens

int64_t Count(const json& messages, const json& more = json::object()) {
  const absl::StatusOr<int64_t> tokens = CountTokens(Body(messages, more));
  EXPECT_TRUE(tokens.ok()) << tokens.status();
  return tokens.value_or(0);
}

TEST(CountTokens, CountsTextsResultsToolsAndRules) {
  const std::string page(4000, 'x');  // about 1,000 tokens
  const int64_t least = Count(kHi);
  EXPECT_GE(least, 1);
  EXPECT_GE(Count({Say("user", page)}), least + 1000);
  EXPECT_GE(Count({Say("user", "x"), Say("assistant", json::array({ToolUse("a")})),
                   Say("user", json::array({ToolResult("a", page)}))}),
            least + 1000);
  EXPECT_GE(Count(kHi, {{"system", page}}), least + 1000);
  EXPECT_GE(Count(kHi, {{"tools", {{{"name", "t"}, {"description", page}}}}}), least + 1000);
  EXPECT_LT(Count({Say("user", page)}), 1300);
}

TEST(CountTokens, CountsAnImageAsAConstant) {
  json large = kGif;
  large["source"]["data"] = std::string(1'000'000, 'A');
  EXPECT_EQ(Count({Say("user", json::array({large}))}), Count({Say("user", json::array({kGif}))}));
  EXPECT_GE(Count({Say("user", json::array({kGif}))}), 1600);
}

TEST(CountTokens, NeedsMessages) {
  EXPECT_EQ(ApiErrorOf(CountTokens("{}").status()).status, 400);
  EXPECT_EQ(ApiErrorOf(CountTokens("[1]").status()).status, 400);
  EXPECT_EQ(ApiErrorOf(CountTokens("{").status()).status, 400);
}

}  // namespace
}  // namespace cursor_gateway
