#include "agent/history/turn_blobs.h"

#include <string_view>
#include <variant>

#include "agent/history/prompt_message.h"
#include "agent/tools/json_value.h"
#include "agent/tools/tool_offer.h"
#include "agent/v1/conversation.pb.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

pb::ConversationStep StepOf(const HistoryText& text) {
  pb::ConversationStep step;
  step.mutable_assistant_message()->set_text(text.text);
  return step;
}

// Only tools of a ToolRegistry have a form that small clients write.
pb::ConversationStep StepOf(const HistoryToolCall& call) {
  pb::ConversationStep step;
  const std::string prefix = ToolOffer::ModelName("");
  if (!call.name.starts_with(prefix)) return step;
  pb::McpToolCall& tool = *step.mutable_tool_call()->mutable_mcp_tool_call();
  const std::string name = call.name.substr(prefix.size());
  tool.mutable_args()->set_name(name);
  tool.mutable_args()->set_tool_name(name);
  tool.mutable_args()->set_tool_call_id(call.call_id);
  const auto arguments = JsonToValue(call.arguments_json);
  if (arguments.ok()) {
    for (const auto& [key, value] : arguments->struct_value().fields()) {
      (*tool.mutable_args()->mutable_args())[key] = value.SerializeAsString();
    }
  }
  pb::McpSuccess& success = *tool.mutable_result()->mutable_success();
  success.add_content()->mutable_text()->set_text(call.result);
  success.set_is_error(call.is_error);
  return step;
}

// The blob of the turn; returns its id.
std::string PutTurn(const HistoryTurn& turn, BlobStore& blobs) {
  pb::UserMessage user;
  user.set_text(turn.prompt);
  pb::ConversationTurnStructure message;
  pb::AgentConversationTurnStructure& agent_turn = *message.mutable_agent_conversation_turn();
  agent_turn.set_user_message(blobs.Put(user.SerializeAsString()));
  for (const HistoryItem& item : turn.items) {
    const pb::ConversationStep step =
        std::visit([](const auto& part) { return StepOf(part); }, item);
    if (step.message_case() == pb::ConversationStep::MESSAGE_NOT_SET) continue;
    agent_turn.add_steps(blobs.Put(step.SerializeAsString()));
  }
  return blobs.Put(message.SerializeAsString());
}

}  // namespace

void AddPromptMessages(const HistoryTurn& turn, BlobStore& blobs,
                       pb::ConversationStateStructure& state) {
  for (const std::string& message : MessagesOf(turn)) {
    state.add_root_prompt_messages_json(blobs.Put(message));
  }
}

void AddTurn(const HistoryTurn& turn, BlobStore& blobs, pb::ConversationStateStructure& state) {
  AddPromptMessages(turn, blobs, state);
  state.add_turns(PutTurn(turn, blobs));
}

}  // namespace cursorwire::agent
