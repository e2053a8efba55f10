#include "agent/events/drift.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/events/tool_bytes.h"
#include "support/proto_text.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;

using agent::FindDrift;
using agent::HasNoDrift;
using google::protobuf::Message;
using test::FromText;
using test::ToolCallOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Finds(const Message& message, std::string_view path = "") {
  std::vector<std::string> finds;
  FindDrift(message, path, [&finds](std::string_view find) { finds.emplace_back(find); });
  return finds;
}

// After whatever `message` has: a field that is in no schema.
void AddUnknown(Message& message, int number = 999) {
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(number, 1);
}

TEST(FindDrift, FindsNothingInWhatIsKnown) {
  EXPECT_THAT(Finds(pb::AgentServerMessage()), IsEmpty());
  EXPECT_THAT(
      Finds(FromText<pb::AgentServerMessage>(
          R"(interaction_update { thinking_delta { text: "x" thinking_style: THINKING_STYLE_GPT5 }
                                          message_started_at_ms: 5 })")),
      IsEmpty());
}

TEST(FindDrift, NamesFieldsByTheirNumbers) {
  pb::AgentServerMessage message;
  AddUnknown(message, 9);
  EXPECT_THAT(Finds(message), ElementsAre("9"));
  EXPECT_THAT(Finds(message, "some.place"), ElementsAre("some.place.9"));
  AddUnknown(*message.mutable_interaction_update()->mutable_text_delta(), 7);
  AddUnknown(*message.mutable_ttft_breakdown(), 8);
  EXPECT_THAT(Finds(message),
              ElementsAre("9", "interaction_update.text_delta.7", "ttft_breakdown.8"));
}

TEST(FindDrift, NamesValuesOfEnums) {
  pb::AgentServerMessage message;
  pb::ThinkingDeltaUpdate& delta = *message.mutable_interaction_update()->mutable_thinking_delta();
  delta.set_thinking_style(static_cast<pb::ThinkingStyle>(9));
  EXPECT_THAT(Finds(message), ElementsAre("interaction_update.thinking_delta.thinking_style=9"));
  delta.set_thinking_style(static_cast<pb::ThinkingStyle>(-1));
  EXPECT_THAT(Finds(message), ElementsAre("interaction_update.thinking_delta.thinking_style=-1"));
}

TEST(FindDrift, LooksIntoListsAndMaps) {
  pb::AgentServerMessage message;
  pb::McpToolCall& call = *message.mutable_interaction_update()
                               ->mutable_tool_call_started()
                               ->mutable_tool_call()
                               ->mutable_mcp_tool_call();
  pb::McpSuccess& success = *call.mutable_result()->mutable_success();
  success.add_content();
  AddUnknown(*success.add_content()->mutable_text(), 5);
  EXPECT_THAT(Finds(message), ElementsAre("interaction_update.tool_call_started.tool_call."
                                          "mcp_tool_call.result.success.content.text.5"));

  pb::GrepSuccess grep;
  AddUnknown((*grep.mutable_workspace_results())["secret"], 4);
  EXPECT_THAT(Finds(grep), ElementsAre("workspace_results.value.4"));
}

TEST(FindDrift, LooksIntoTheBytesOfToolCalls) {
  pb::AgentServerMessage message;
  pb::ToolCall& call =
      *message.mutable_interaction_update()->mutable_tool_call_started()->mutable_tool_call();
  call = ToolCallOf("shell_tool_call", R"(args { command: "ls" })");
  EXPECT_THAT(Finds(message), IsEmpty());
  // Once more the field `args`, with 99 in it.
  call.mutable_shell_tool_call()->append("\x0A\x03\x98\x06\x01");
  EXPECT_THAT(Finds(message), ElementsAre("interaction_update.tool_call_started.tool_call."
                                          "shell_tool_call.args.99"));
  call.set_shell_tool_call("\xFF");
  EXPECT_THAT(Finds(message), IsEmpty());
}

TEST(FindDrift, DoesNotLookIntoValuesOrOpaqueBytes) {
  pb::AgentServerMessage message;
  message.set_conversation_checkpoint_update("\x98\x06\x01");
  EXPECT_THAT(Finds(message), IsEmpty());

  pb::McpToolDefinition tool;
  AddUnknown(*tool.mutable_input_schema());
  EXPECT_THAT(Finds(tool), IsEmpty());
  AddUnknown(tool);
  EXPECT_THAT(Finds(tool), ElementsAre("999"));
}

TEST(FindDrift, CountsAListOfOneNumberOnce) {
  pb::AgentServerMessage message;
  for (int i = 0; i < 1000; ++i) AddUnknown(message, 9);
  AddUnknown(message, 10);
  EXPECT_THAT(Finds(message), ElementsAre("9", "10"));
}

TEST(FindDrift, StopsAfterManyFinds) {
  pb::AgentServerMessage message;
  for (int i = 0; i < 1000; ++i) AddUnknown(message, 1000 + i);
  AddUnknown(*message.mutable_interaction_update());
  EXPECT_THAT(Finds(message), SizeIs(256));
}

// An update of a sub-agent, `depth` sub-agents deep.
pb::InteractionUpdate OfSubAgent(int depth) {
  pb::InteractionUpdate update;
  AddUnknown(update);
  for (int i = 0; i < depth; ++i) {
    pb::ToolCallDeltaUpdate delta;
    // task_tool_call_delta = 2 { interaction_update = 1 }, lengths of five bytes each.
    const auto length = [](size_t size) {
      std::string bytes;
      for (int n = 0; n < 4; ++n, size >>= 7) bytes += static_cast<char>((size & 0x7F) | 0x80);
      return bytes + static_cast<char>(size);
    };
    const std::string inner = update.SerializeAsString();
    delta.set_tool_call_delta("\x12" + length(inner.size() + 6) + "\x0A" + length(inner.size()) +
                              inner);
    update.Clear();
    AddUnknown(update);
    *update.mutable_tool_call_delta() = std::move(delta);
  }
  return update;
}

TEST(FindDrift, LooksIntoSubAgentsAsFarAsAPathReaches) {
  constexpr char kStep[] =
      "tool_call_delta.tool_call_delta.task_tool_call_delta.interaction_update.";
  EXPECT_THAT(Finds(OfSubAgent(1)), ElementsAre("999", absl::StrCat(kStep, "999")));
  const std::vector<std::string> finds = Finds(OfSubAgent(2000));
  EXPECT_THAT(finds, SizeIs(512 / (sizeof(kStep) - 1) + 1));
  for (const std::string& find : finds) EXPECT_LE(find.size(), 512U);
}

TEST(FindDrift, DoesNotParseALargeToolCall) {
  for (const size_t size : {size_t{1000}, size_t{1024} * 1024}) {
    SCOPED_TRACE(size);
    pb::ToolCall call = ToolCallOf(
        "shell_tool_call", absl::StrCat(R"(args { command: ")", std::string(size, 'x'), "\" }"));
    call.mutable_shell_tool_call()->append("\x98\x06\x01");
    if (size == 1000) {
      EXPECT_THAT(Finds(call), ElementsAre("shell_tool_call.99"));
    } else {
      EXPECT_THAT(Finds(call), IsEmpty());
    }
  }
}

TEST(HasNoDrift, KnowsTheSmallMessages) {
  const char* cases[] = {
      R"(interaction_update { text_delta { text: "x" } })",
      R"(interaction_update { text_delta { text: "x" is_server_notice: true } message_started_at_ms: 1 })",
      R"(interaction_update { thinking_delta { text: "x" } })",
      R"(interaction_update { thinking_delta { text: "x" thinking_style: THINKING_STYLE_CODEX } })",
      "interaction_update { token_delta { tokens: 1 } }",
      "interaction_update { heartbeat {} }",
  };
  for (const char* text : cases) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(HasNoDrift(FromText<pb::AgentServerMessage>(text)));
    for (const char* place : {"message", "update", "delta"}) {
      SCOPED_TRACE(place);
      auto message = FromText<pb::AgentServerMessage>(text);
      pb::InteractionUpdate& update = *message.mutable_interaction_update();
      Message* changed = &message;
      if (place == std::string("update")) changed = &update;
      if (place == std::string("delta")) {
        const auto* field = update.GetReflection()->GetOneofFieldDescriptor(
            update, update.GetDescriptor()->oneof_decl(0));
        changed = update.GetReflection()->MutableMessage(&update, field);
      }
      AddUnknown(*changed);
      EXPECT_FALSE(HasNoDrift(message));
      EXPECT_THAT(Finds(message), SizeIs(1));
    }
  }
}

TEST(HasNoDrift, IsSureOfNoOther) {
  for (const char* text :
       {"", "interaction_update {}", "kv_server_message {}", "interaction_update { turn_ended {} }",
        "interaction_update { heartbeat {} } ttft_breakdown {}"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(HasNoDrift(FromText<pb::AgentServerMessage>(text)));
  }
  auto message = FromText<pb::AgentServerMessage>("interaction_update { thinking_delta {} }");
  message.mutable_interaction_update()->mutable_thinking_delta()->set_thinking_style(
      static_cast<pb::ThinkingStyle>(9));
  EXPECT_FALSE(HasNoDrift(message));
}

}  // namespace
}  // namespace cursorwire
