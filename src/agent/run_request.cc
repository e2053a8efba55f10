#include "agent/run_request.h"

#include <string>
#include <string_view>

#include "wire/json.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// The service puts its own system prompt in place of a client's; small clients send one all the
// same, first in the list. Source: docs/protocol.md, first message.
constexpr std::string_view kSystemMessage = R"({"role":"system","content":"You are an agent."})";

// Rules reach the model as a user message. Source: docs/protocol.md, first message.
std::string RulesMessage(std::string_view rules) {
  std::string text = "<rules>\n";
  text += rules;
  text += "\n</rules>";
  std::string json = R"({"role":"user","content":[{"type":"text","text":)";
  wire::AppendJsonString(text, json);
  json += "}]}";
  return json;
}

pb::ConversationStateStructure FreshState(const ChatRequest& request, BlobStore& blobs) {
  pb::ConversationStateStructure state;
  state.add_root_prompt_messages_json(blobs.Put(kSystemMessage));
  if (!request.system.empty()) {
    state.add_root_prompt_messages_json(blobs.Put(RulesMessage(request.system)));
  }
  state.set_mode(pb::AGENT_MODE_AGENT);
  return state;
}

}  // namespace

pb::AgentClientMessage MakeRunRequest(const ChatRequest& request, IdSource& ids, BlobStore& blobs) {
  pb::AgentClientMessage message;
  pb::AgentRunRequest& run = *message.mutable_run_request();
  run.set_conversation_state(FreshState(request, blobs).SerializeAsString());
  run.set_conversation_id(request.conversation_id.empty() ? ids.Uuid() : request.conversation_id);
  run.set_run_id(ids.Uuid());
  run.mutable_requested_model()->set_model_id(request.model);
  pb::UserMessage& user =
      *run.mutable_action()->mutable_user_message_action()->mutable_user_message();
  user.set_text(request.prompt);
  user.set_message_id(ids.Uuid());
  user.set_mode(pb::AGENT_MODE_AGENT);
  return message;
}

}  // namespace cursorwire::agent
