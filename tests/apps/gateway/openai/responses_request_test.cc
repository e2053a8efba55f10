#include "openai/responses_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "api/api_error.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

absl::StatusOr<ResponsesRequest> Read(const std::string& body, const FindItem& find_item = {}) {
  return ReadResponsesRequest(nlohmann::json::parse(body), find_item);
}

std::string InputOf(const std::string& items) { return R"({"model":"m","input":[)" + items + "]}"; }

TEST(ResponsesRequest, ReadsATextAndInstructions) {
  const auto request = Read(
      R"({"model":"m","instructions":"be brief","input":"hi","reasoning":{"effort":"high"},
          "store":false,"include":[],"truncation":"auto","temperature":1})");
  ASSERT_THAT(request, IsOk());
  EXPECT_THAT(request->chat.messages,
              ElementsAre(Message{.role = Role::kSystem, .text = "be brief"},
                          Message{.role = Role::kUser, .text = "hi"}));
  EXPECT_EQ(request->chat.reasoning_effort, "high");
  EXPECT_FALSE(request->store);
  EXPECT_EQ(request->echo["instructions"], "be brief");
  EXPECT_EQ(request->echo["tool_choice"], "auto");
}

TEST(ResponsesRequest, MakesMessagesOfItems) {
  const auto request = Read(R"({"model":"m","input":[
      {"role":"developer","content":"rules"},
      {"type":"message","role":"user","content":[{"type":"input_text","text":"weather?"}]},
      {"type":"reasoning","id":"rs_1","summary":[]},
      {"type":"message","id":"msg_1","role":"assistant","status":"completed",
       "content":[{"type":"output_text","text":"let me ","annotations":[]}]},
      {"type":"message","role":"assistant","content":"see"},
      {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},
      {"type":"function_call","call_id":"c2","name":"g","arguments":"{\"a\":1}"},
      {"type":"function_call_output","call_id":"c1","output":"one"},
      {"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"}]}
    ]})");
  ASSERT_THAT(request, IsOk());
  EXPECT_THAT(request->chat.messages,
              ElementsAre(Message{.role = Role::kSystem, .text = "rules"},
                          Message{.role = Role::kUser, .text = "weather?"},
                          Message{.role = Role::kAssistant,
                                  .text = "let me see",
                                  .calls = {{"c1", "f", "{}"}, {"c2", "g", "{\"a\":1}"}}},
                          Message{.role = Role::kTool, .text = "one", .call_id = "c1"},
                          Message{.role = Role::kTool, .text = "two", .call_id = "c2"}));
}

TEST(ResponsesRequest, FindsItemsByTheirIds) {
  const char* body = R"({"model":"m","input":[{"role":"user","content":"a"},
      {"type":"item_reference","id":"msg_1"},{"role":"user","content":"b"}]})";
  const auto item = nlohmann::json::parse(R"({"id":"msg_1","type":"message","role":"assistant",
        "content":[{"type":"output_text","text":"x","annotations":[]}]})");
  const FindItem find = [&item](const std::string& id) { return id == "msg_1" ? &item : nullptr; };
  const auto request = Read(body, find);
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->chat.messages.at(1), (Message{.role = Role::kAssistant, .text = "x"}));
  EXPECT_EQ(ApiErrorOf(Read(body).status()).param, "input.[1].id");
}

TEST(ResponsesRequest, SkipsToolsThatAreNoFunctions) {
  const auto request = Read(R"({"model":"m","input":"hi","tools":[
      {"type":"web_search"}, {"type":"image_generation"}, {"type":"tool_search"},
      {"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true}],
      "tool_choice":{"type":"function","name":"f"},
      "text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"}}}})");
  ASSERT_THAT(request, IsOk());
  ASSERT_THAT(request->chat.tools, SizeIs(1));
  EXPECT_EQ(request->chat.tools[0].name, "f");
  EXPECT_EQ(request->chat.named_tool, "f");
  EXPECT_EQ(request->chat.json_schema, R"({"type":"object"})");
  EXPECT_THAT(request->echo["tools"], SizeIs(4));
  EXPECT_EQ(request->echo["text"]["format"]["name"], "n");
  EXPECT_EQ(Read(R"({"model":"m","input":"hi"})")->echo["text"]["format"]["type"], "text");
  EXPECT_THAT(request->tools.left_out(),
              ElementsAre("web_search", "image_generation", "tool_search"));
}

TEST(ResponsesRequest, NamesTheFieldThatIsWrong) {
  struct Case {
    const char* members;
    const char* param;
  };
  const Case cases[] = {
      {R"("input":"hi")", "model"},
      {R"("model":"m")", "input"},
      {R"("model":"m","input":7)", "input"},
      {R"("model":"m","input":[])", "input"},
      {R"("model":"m","input":[{"type":"item_reference","id":"x"}])", "input.[0].id"},
      {R"("model":"m","input":[{"type":"function_call","name":"f"}])", "input.[0].call_id"},
      {R"("model":"m","input":[{"role":"tool","content":"x"}])", "input.[0].role"},
      {R"("model":"m","input":[{"type":7}])", "input.[0].type"},
      {R"("model":"m","input":[{"type":"function_call_output","call_id":"c","output":{"x":1}}])",
       "input.[0].output"},
      {R"("model":"m","input":"hi","reasoning":{"effort":1})", "reasoning.effort"},
      {R"("model":"m","input":"hi","text":{"format":{"type":"xml"}})", "text.format.type"},
      {R"("model":"m","input":"hi","conversation":"conv_1")", "conversation"},
      {R"("model":"m","input":"hi","prompt":{"id":"pmpt_1"})", "prompt"},
      {R"("model":"m","input":"hi","background":true)", "background"},
      {R"("model":"m","input":"hi","tools":[{"type":"function"}])", "tools.[0].name"},
      {R"("model":"m","input":"hi","tools":[{"type":"namespace","name":"n","tools":[
          {"type":"function","name":"f","parameters":7}]}])",
       "tools.[0].tools.[0].parameters"},
      {R"("model":"m","input":[{"role":"user","content":[{"type":"input_file"}]}])",
       "input.[0].content.[0].type"},
      {R"("model":"m","input":"hi","instructions":1)", "instructions"},
      {R"("model":"m","input":"hi","previous_response_id":1)", "previous_response_id"},
      {R"("model":"m","input":"hi","reasoning":"high")", "reasoning"},
      {R"("model":"m","input":"hi","tools":{})", "tools"},
      {R"("model":"m","input":"hi","tool_choice":{"type":"function"})", "tool_choice"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.members);
    const auto request = Read("{" + std::string(c.members) + "}");
    ASSERT_FALSE(request.ok());
    EXPECT_EQ(ApiErrorOf(request.status()).status, 400);
    EXPECT_EQ(ApiErrorOf(request.status()).param, c.param);
  }
}

TEST(ResponsesRequest, TakesLinearTimeForARowOfItems) {
  // Copies of all that came before would be 20,000 times 1 kB of text in each step.
  constexpr size_t kItems = kMaxMessages - 1;  // and one of the user
  nlohmann::json input = nlohmann::json::array({{{"role", "user"}, {"content", "a"}}});
  const std::string text(1000, 'x');
  for (size_t i = 0; i < kItems; ++i) {
    input.push_back({{"type", "message"}, {"role", "assistant"}, {"content", text}});
  }
  const auto request = ReadResponsesRequest({{"model", "m"}, {"input", std::move(input)}});
  ASSERT_THAT(request, IsOk());
  ASSERT_THAT(request->chat.messages, SizeIs(2));
  EXPECT_EQ(request->chat.messages[1].text.size(), kItems * text.size());
}

TEST(ResponsesRequest, LooksAtSoManyFoundToolsAlone) {
  const nlohmann::json found = {{"type", "function"}, {"name", "f"}};
  const auto ask = [&found](size_t refused) {
    nlohmann::json tools(refused, nlohmann::json());
    tools.push_back(found);
    nlohmann::json input = nlohmann::json::array({{{"role", "user"}, {"content", "a"}}});
    input.push_back({{"type", "tool_search_output"}, {"call_id", "c"}, {"tools", tools}});
    input.push_back({{"type", "additional_tools"}, {"tools", tools}});
    return ReadResponsesRequest({{"model", "m"}, {"input", std::move(input)}});
  };
  const auto few = ask(kMaxToolEntries - 1);
  ASSERT_THAT(few, IsOk());
  EXPECT_THAT(few->chat.tools, SizeIs(1));
  EXPECT_THAT(few->chat.messages.back().text, HasSubstr("f"));
  const auto many = ask(kMaxToolEntries);
  ASSERT_THAT(many, IsOk());
  EXPECT_THAT(many->chat.tools, SizeIs(0));
  EXPECT_EQ(many->chat.messages.back().text, "No tool was found.");
  EXPECT_THAT(many->tools.left_out(), SizeIs(kMaxToolEntries + 1));  // with "more tools"
  const auto offered = ReadResponsesRequest(
      {{"model", "m"},
       {"input", "a"},
       {"tools", nlohmann::json(kMaxToolEntries + 1, nlohmann::json{{"type", "web_search"}})}});
  ASSERT_FALSE(offered.ok());
  EXPECT_EQ(ApiErrorOf(offered.status()).param, "tools");
}

TEST(ResponsesRequest, CountsWhatReferencesStandFor) {
  const nlohmann::json item = {
      {"type", "message"}, {"role", "assistant"}, {"content", std::string(1024 * 1024, 'x')}};
  size_t asked = 0;
  const FindItem find = [&](const std::string&) {
    ++asked;
    return &item;
  };
  nlohmann::json input = nlohmann::json::array();
  for (size_t i = 0; i < kMaxReferences; ++i) {
    input.push_back({{"type", "item_reference"}, {"id", "msg_1"}});
  }
  const auto request = ReadResponsesRequest({{"model", "m"}, {"input", input}}, find);
  ASSERT_FALSE(request.ok());
  EXPECT_EQ(ApiErrorOf(request.status()).status, 413);
  EXPECT_LE(asked, kMaxReferencedBytes / (1024 * 1024) + 1);
}

TEST(ResponsesRequest, SkipsOrTellsItemsOfOtherProviders) {
  const auto request = Read(InputOf(R"(
      {"role":"user","content":"first"},
      {"type":"web_search_call","id":"ws_1","action":{"type":"search"}},
      {"type":"local_shell_call","call_id":"c1","action":{"command":["ls"]}},
      {"type":"function_call_output","call_id":"c1","output":"a.txt"},
      {"type":"ghost_snapshot"}, {"type":"mcp_call","id":"m"}, {"type":"something_new"},
      {"type":"tool_search_call","call_id":null,"execution":"server"},
      {"type":"tool_search_output","call_id":null,"tools":[]},
      {"type":"compaction","encrypted_content":"b3BhcXVl"},
      {"role":"assistant","content":[{"type":"output_text","text":"Done."},
                                     {"type":"reasoning","text":"hm"}]},
      {"role":"user","content":"go on"})"));
  ASSERT_THAT(request, IsOk());
  const std::vector<Message>& read = request->chat.messages;
  ASSERT_THAT(read, SizeIs(6));
  EXPECT_THAT(read[1].calls,
              ElementsAre(FunctionCall{"c1", "local_shell_call", R"({"command":["ls"]})"}));
  EXPECT_EQ(read[2], (Message{.role = Role::kTool, .text = "a.txt", .call_id = "c1"}));
  EXPECT_EQ(read[3].role, Role::kSystem);
  EXPECT_THAT(read[3].text, HasSubstr("another provider"));
  EXPECT_EQ(read[4].text, "Done.");
}

TEST(ResponsesRequest, FlattensNamespacesAndFreeText) {
  const auto request = Read(R"({"model":"m","tools":[
      {"type":"function","name":"lookup"},
      {"type":"namespace","name":"mcp__docs","tools":[{"type":"function","name":"lookup"}]},
      {"type":"namespace","name":"mcp__tickets","tools":[{"type":"function","name":"lookup"}]},
      {"type":"namespace","name":"empty","tools":[]},
      {"type":"custom","name":"apply_patch","description":"Patches.",
       "format":{"type":"grammar","syntax":"lark","definition":"start: x"}},
      {"type":"tool_search","execution":"client","description":"d","parameters":{"type":"object"}},
      {"type":"web_search"}],
      "input":[{"role":"user","content":"a"},
      {"type":"function_call","call_id":"c1","namespace":"mcp__tickets","name":"lookup",
       "arguments":"{\"id\":1}"},
      {"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** \"ä\"\n"},
      {"type":"tool_search_call","call_id":"c3","execution":"client","arguments":{"query":"x"}},
      {"type":"function_call_output","call_id":"c1","output":"one"},
      {"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"}]},
      {"type":"tool_search_output","call_id":"c3","tools":[{"type":"namespace","name":"found",
        "tools":[{"type":"function","name":"do_it"}]}]}]})");
  ASSERT_THAT(request, IsOk());
  std::vector<std::string> names;
  for (const FunctionTool& tool : request->chat.tools) names.push_back(tool.name);
  EXPECT_THAT(names, ElementsAre("lookup", "mcp__docs__lookup", "mcp__tickets__lookup",
                                 "apply_patch", "tool_search", "found__do_it"));
  EXPECT_THAT(request->chat.tools[3].description, HasSubstr("start: x"));
  EXPECT_THAT(request->tools.left_out(), ElementsAre("web_search"));
  EXPECT_THAT(request->chat.messages[1].calls,
              ElementsAre(FunctionCall{"c1", "mcp__tickets__lookup", R"({"id":1})"},
                          FunctionCall{"c2", "apply_patch", R"({"input":"*** \"ä\"\n"})"},
                          FunctionCall{"c3", "tool_search", R"({"query":"x"})"}));
  EXPECT_EQ(request->chat.messages[3].text, "two");
  EXPECT_THAT(request->chat.messages[4].text, HasSubstr("found__do_it"));
  const ClientTool* tool = request->tools.Find("mcp__docs__lookup");
  ASSERT_NE(tool, nullptr);
  EXPECT_EQ(tool->space, "mcp__docs");
  EXPECT_EQ(tool->name, "lookup");
  EXPECT_EQ(request->tools.Find("unknown"), nullptr);
}

TEST(ResponsesRequest, TakesToolsOfAnItem) {
  const auto request = Read(InputOf(R"({"type":"additional_tools","role":"developer","tools":[
      {"type":"namespace","name":"functions","tools":[
        {"type":"custom","name":"exec","description":"Runs."}, {"type":"function","name":"wait"},
        {"type":"function"}]}]},
      {"role":"developer","content":"be brief"}, {"role":"user","content":"hi"})"));
  ASSERT_THAT(request, IsOk());
  ASSERT_THAT(request->chat.tools, SizeIs(2));
  EXPECT_EQ(request->chat.tools[0].name, "exec");
  EXPECT_EQ(request->tools.Find("exec")->form, ToolForm::kCustom);
  EXPECT_EQ(request->tools.Find("exec")->space, "functions");
}

TEST(ResponsesRequest, NamesWhatNoNameFits) {
  const std::string space(60, 's');
  const std::string body = R"({"model":"m","input":"a","tools":[{"type":"namespace","name":")" +
                           space + R"(","tools":[{"type":"function","name":"do.it"}]},
      {"type":"function","name":"a__b"},
      {"type":"namespace","name":"a","tools":[{"type":"function","name":"b"}]}]})";
  const auto request = Read(body);
  ASSERT_THAT(request, IsOk());
  ASSERT_THAT(request->chat.tools, SizeIs(3));
  for (const FunctionTool& tool : request->chat.tools) EXPECT_TRUE(IsToolName(tool.name));
  EXPECT_EQ(request->tools.Find(request->chat.tools[0].name)->name, "do.it");
  EXPECT_EQ(request->chat.tools[1].name, "a__b");
  EXPECT_EQ(request->tools.Find(request->chat.tools[2].name)->space, "a");
  EXPECT_EQ(request->tools.NameOf("a", "b"), request->chat.tools[2].name);
  EXPECT_EQ(Read(body)->chat.tools[0].name, request->chat.tools[0].name);
}

TEST(ResponsesRequest, NarrowsToAllowedTools) {
  const auto request = Read(R"({"model":"m","input":"hi","tools":[
      {"type":"function","name":"f"},{"type":"custom","name":"g"},{"type":"function","name":"h"}],
      "tool_choice":{"type":"allowed_tools","mode":"required","tools":[
        {"type":"custom","name":"g"},{"type":"web_search"}]}})");
  ASSERT_THAT(request, IsOk());
  ASSERT_THAT(request->chat.tools, SizeIs(1));
  EXPECT_EQ(request->chat.tools[0].name, "g");
  EXPECT_EQ(request->chat.tool_choice, ToolChoice::kRequired);
}

TEST(ResponsesRequest, AsksForASummary) {
  const auto request = Read(InputOf(R"({"role":"user","content":"a"},
      {"role":"assistant","content":"b"}, {"type":"compaction_trigger"})"));
  ASSERT_THAT(request, IsOk());
  EXPECT_TRUE(request->compacts);
  EXPECT_EQ(request->chat.tool_choice, ToolChoice::kNone);
  EXPECT_EQ(request->chat.messages.back().text, kSummaryPrompt);
  const auto next = Read(InputOf(R"({"type":"compaction","encrypted_content":")" +
                                 CompactionContent("They built ä house.") +
                                 R"("},{"role":"user","content":"go on"})"));
  ASSERT_THAT(next, IsOk());
  EXPECT_FALSE(next->compacts);
  ASSERT_THAT(next->chat.messages, SizeIs(2));
  EXPECT_EQ(next->chat.messages[0].role, Role::kUser);
  EXPECT_THAT(next->chat.messages[0].text, HasSubstr("They built ä house."));
}

TEST(ResponsesRequest, KeepsWhatTheUserSaidBesideASummary) {
  const auto request =
      ReadResponsesRequest(nlohmann::json::parse(R"({"model":"m","stream":true,"input":"a"})"), {},
                           ResponsesPath::kCompact);
  ASSERT_THAT(request, IsOk());
  EXPECT_FALSE(request->chat.stream);
  ASSERT_THAT(request->kept_items, SizeIs(1));
  EXPECT_EQ(request->kept_items[0]["content"], "a");
}

TEST(ResponsesRequest, TellsWhatStandsInPlaceOfNull) {
  const auto request =
      Read(R"({"model":"m","input":"hi","tools":null,"tool_choice":null,"metadata":null})");
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->echo["tools"], nlohmann::json::array());
  EXPECT_EQ(request->echo["tool_choice"], "auto");
  EXPECT_EQ(request->echo["metadata"], nlohmann::json::object());
}

TEST(ReferencesOf, FindsWhatABodyNames) {
  const auto all = ReferencesOf(nlohmann::json::parse(
      R"({"previous_response_id": "resp_1", "input": [{"type": "item_reference", "id": "msg_2"},
          {"type": "item_reference", "id": "msg_1"}, {"type": "item_reference", "id": "msg_2"},
          {"type": "message", "id": "msg_3"}, 7]})"));
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(all->response_id, "resp_1");
  EXPECT_EQ(all->item_ids, (std::vector<std::string>{"msg_1", "msg_2"}));
  for (const char* body : {"7", R"({"input": "item_reference"})", R"(["previous_response_id"])",
                           R"({"previous_response_id": 1})"}) {
    const auto none = ReferencesOf(nlohmann::json::parse(body));
    ASSERT_THAT(none, IsOk());
    EXPECT_EQ(none->response_id, "") << body;
    EXPECT_EQ(none->item_ids.size(), 0U) << body;
  }
}

TEST(ReferencesOf, IsBounded) {
  nlohmann::json input = nlohmann::json::array();
  for (size_t i = 0; i < kMaxReferences; ++i) {
    input.push_back({{"type", "item_reference"}, {"id", std::to_string(i)}});
  }
  EXPECT_THAT(ReferencesOf({{"input", input}}), IsOk());
  input.push_back({{"type", "item_reference"}, {"id", "1"}});
  EXPECT_EQ(ApiErrorOf(ReferencesOf({{"input", input}}).status()).param, "input");
}

}  // namespace
}  // namespace cursor_gateway
