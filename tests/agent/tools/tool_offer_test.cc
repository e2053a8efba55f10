#include "agent/tools/tool_offer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "agent/tools/json_value.h"
#include "agent/v1/run.pb.h"
#include "support/proto_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using test::Difference;
using test::FromText;
using ::testing::HasSubstr;
using ::testing::Not;

ToolRegistry Tools(std::initializer_list<const char*> names) {
  ToolRegistry tools;
  for (const char* name : names) {
    tools.Add({.name = name}, [](const ToolCall&) { return ToolResult::Text(""); });
  }
  EXPECT_TRUE(tools.status().ok());
  return tools;
}

TEST(ToolOffer, IsEmptyWithoutTools) {
  const ToolOffer offer{ToolRegistry()};
  EXPECT_TRUE(offer.empty());
  EXPECT_TRUE(offer.definitions().empty());
  EXPECT_EQ(offer.Hint(), "");
  EXPECT_EQ(offer.Find(FromText<pb::McpArgs>(R"(name: "a")")), std::nullopt);
}

// Parsers of protobuf refuse more than 100 messages within each other.
TEST(ToolOffer, FitsIntoMessagesWithTheDeepestSchema) {
  std::string schema = R"("x")";
  for (size_t i = 0; i < kMaxSchemaDepth; ++i) schema = R"({"a":)" + schema + "}";
  ToolRegistry tools;
  tools.Add({.name = "a", .input_schema = schema},
            [](const ToolCall&) { return ToolResult::Text(""); });
  ASSERT_TRUE(tools.status().ok()) << tools.status();
  const ToolOffer offer(tools);
  pb::AgentClientMessage run;
  *run.mutable_run_request()->mutable_mcp_tools()->add_mcp_tools() = offer.definitions()[0];
  pb::AgentClientMessage state;
  *state.mutable_exec_client_message()->mutable_mcp_state_exec_result()->mutable_success() =
      offer.State();
  for (const pb::AgentClientMessage* message : {&run, &state}) {
    pb::AgentClientMessage parsed;
    EXPECT_TRUE(parsed.ParseFromString(message->SerializeAsString()));
  }
}

TEST(ToolOffer, DefinesEachTool) {
  ToolRegistry tools;
  const auto handler = [](const ToolCall&) { return ToolResult::Text(""); };
  tools
      .Add({.name = "b", .description = "Does b.", .input_schema = R"({"type":"object"})"}, handler)
      .Add({.name = "a"}, handler);
  const ToolOffer offer(tools);
  ASSERT_EQ(offer.definitions().size(), 2u);
  EXPECT_EQ(Difference(FromText<pb::McpToolDefinition>(
                           R"(name: "b" description: "Does b." provider_identifier: "cursorwire"
                              tool_name: "b" input_schema { struct_value { fields {
                                key: "type" value { string_value: "object" } } } })"),
                       offer.definitions()[0]),
            "");
  EXPECT_EQ(ValueToJson(offer.definitions()[1].input_schema()),
            R"({"properties":{},"required":[],"type":"object"})");
}

TEST(ToolOffer, KeepsServersApart) {
  const auto handler = [](const ToolCall&) { return ToolResult::Text(""); };
  ToolRegistry tools;
  tools.Add({.name = "get"}, handler)
      .Add({.name = "a_get", .provider = "a", .tool_name = "get"}, handler)
      .Add({.name = "b_get", .provider = "b", .tool_name = "get"}, handler)
      .AddInstructions({.provider = "a", .server = "A", .text = "Get first."})
      .AddInstructions({.provider = "b"});
  ASSERT_TRUE(tools.status().ok());
  const ToolOffer offer(tools);
  EXPECT_EQ(Difference(FromText<pb::McpToolDefinition>(
                           R"(name: "a_get" provider_identifier: "a" tool_name: "get"
                              input_schema { struct_value {
                                fields { key: "type" value { string_value: "object" } }
                                fields { key: "properties" value { struct_value {} } }
                                fields { key: "required" value { list_value {} } } } })"),
                       offer.definitions()[1]),
            "");
  EXPECT_EQ(offer.Hint(), "Use mcp_cursorwire_get, mcp_a_get, mcp_b_get instead.");
  ASSERT_EQ(offer.instructions().size(), 1u);
  EXPECT_EQ(offer.instructions()[0].text, "Get first.");
  struct Case {
    const char* call;
    const char* tool;
  };
  const Case cases[] = {
      {R"(name: "mcp_b_get" provider_identifier: "b" tool_name: "get")", "b_get"},
      {R"(provider_identifier: "a" tool_name: "mcp_a_get")", "a_get"},
      {R"(name: "mcp_b_get")", "b_get"},
      {R"(name: "a_get")", "a_get"},
      {R"(name: "mcp_a_a_get" provider_identifier: "a")", "a_get"},
      {R"(name: "get")", "get"},
      {R"(name: "mcp_cursorwire_get")", "get"},
      {R"(provider_identifier: "cursorwire" tool_name: "get")", "get"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.call);
    EXPECT_EQ(offer.Find(FromText<pb::McpArgs>(c.call)), c.tool);
  }
}

TEST(ToolOffer, FindsTheToolThatACallMeans) {
  struct Case {
    const char* name;
    const char* call;
    const char* tool;  // "": none
  };
  const Case cases[] = {
      {"by tool_name", R"(tool_name: "get")", "get"},
      {"by name", R"(name: "get")", "get"},
      {"tool_name counts", R"(name: "set" tool_name: "get")", "get"},
      {"name is no substitute", R"(name: "get" tool_name: "other")", ""},
      {"our prefix", R"(name: "mcp_cursorwire_get")", "get"},
      {"our prefix of tool_name", R"(tool_name: "mcp_cursorwire_get" name: "x")", "get"},
      {"the prefix of the call", R"(name: "mcp_p_get" provider_identifier: "p")", "get"},
      {"ours, although it names another", R"(name: "mcp_cursorwire_get" provider_identifier: "p")",
       "get"},
      {"a prefix of neither", R"(name: "mcp_q_get" provider_identifier: "p")", ""},
      {"an empty provider", R"(name: "mcp__get")", ""},
      {"the prefix once", R"(name: "mcp_cursorwire_mcp_cursorwire_get")", ""},
      {"the whole name first", R"(name: "mcp_cursorwire_twice")", "mcp_cursorwire_twice"},
      {"part of a name", R"(name: "ge")", ""},
      {"another case", R"(name: "GET")", ""},
      {"the prefix alone", R"(name: "mcp_cursorwire_")", ""},
      {"nothing", "", ""},
  };
  const ToolRegistry tools = Tools({"get", "set", "twice", "mcp_cursorwire_twice"});
  const ToolOffer offer(tools);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(offer.Find(FromText<pb::McpArgs>(c.call)).value_or(""), c.tool);
  }
}

TEST(ToolOffer, NamesItsToolsWhereOneIsNotFound) {
  const ToolRegistry tools = Tools({"b", "a"});
  EXPECT_EQ(Difference(FromText<pb::McpResult>(
                           R"(tool_not_found { name: "x" available_tools: ["b", "a"] })"),
                       ToolOffer(tools).NotFound(FromText<pb::McpArgs>(R"(name: "x")"))),
            "");
}

TEST(ToolOffer, HintsAtTheFirstTools) {
  const ToolRegistry one = Tools({"get"});
  EXPECT_EQ(ToolOffer(one).Hint(), "Use mcp_cursorwire_get instead.");
  const ToolRegistry two = Tools({"get", "set"});
  EXPECT_EQ(ToolOffer(two).Hint(), "Use mcp_cursorwire_get, mcp_cursorwire_set instead.");

  ToolRegistry many;
  for (int i = 1; i <= 17; ++i) {
    many.Add({.name = "t" + std::to_string(i)},
             [](const ToolCall&) { return ToolResult::Text(""); });
  }
  const std::string hint = ToolOffer(many).Hint();
  EXPECT_THAT(hint, HasSubstr("mcp_cursorwire_t16, ..."));
  EXPECT_THAT(hint, Not(HasSubstr("t17")));
}

}  // namespace
}  // namespace cursorwire::agent
