#include "upstream/script/message_steps.h"

#include <utility>

#include "agent/v1/conversation.pb.h"
#include "upstream/script/json_fields.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using What = ScriptStep::What;

// Adds the unknown field to `inner`, which is a part of the message.
absl::StatusOr<What> FinishSay(Say&& say, const StepInput& in, google::protobuf::Message& inner) {
  say.packing = in.modifiers.packing;
  if (in.modifiers.unknown_field) {
    if (absl::Status status = AddUnknownField(*in.modifiers.unknown_field, inner); !status.ok()) {
      return status;
    }
  }
  return What(std::move(say));
}

absl::StatusOr<What> FinishUpdate(Say&& say, const StepInput& in) {
  pb::InteractionUpdate& update = *say.message.mutable_interaction_update();
  return FinishSay(std::move(say), in, update);
}

// For a step that has the name of its update.
absl::StatusOr<What> ReadNamedUpdate(const StepInput& in, const std::string& field) {
  Say say;
  const Json update = Json::object({{field, in.value}});
  absl::Status status = ReadMessage(update, in.name, *say.message.mutable_interaction_update());
  if (!status.ok()) return status;
  return FinishUpdate(std::move(say), in);
}

}  // namespace

absl::StatusOr<What> ReadTextStep(const StepInput& in) {
  if (!in.value.is_string()) return BadScript(in.name + " must be a string");
  Say say;
  pb::InteractionUpdate& update = *say.message.mutable_interaction_update();
  const auto text = in.value.get<std::string>();
  if (in.name == "text") {
    update.mutable_text_delta()->set_text(text);
  } else {
    update.mutable_thinking_delta()->set_text(text);
  }
  return FinishUpdate(std::move(say), in);
}

absl::StatusOr<What> ReadTokensStep(const StepInput& in) {
  if (!in.value.is_number_integer()) return BadScript("tokens must be an integer");
  return ReadNamedUpdate({Json::object({{"tokens", in.value}}), in.modifiers, in.name, in.number},
                         "token_delta");
}

absl::StatusOr<What> ReadUpdateStep(const StepInput& in) {
  Say say;
  absl::Status status = ReadMessage(in.value, in.name, *say.message.mutable_interaction_update());
  if (!status.ok()) return status;
  return FinishUpdate(std::move(say), in);
}

absl::StatusOr<What> ReadNamedUpdateStep(const StepInput& in) {
  return ReadNamedUpdate(in, in.name);
}

absl::StatusOr<What> ReadPartialToolCallStep(const StepInput& in) {
  return ReadNamedUpdate(in, "partial_tool_call");
}

absl::StatusOr<What> ReadMessageStep(const StepInput& in) {
  Say say;
  if (absl::Status status = ReadMessage(in.value, in.name, say.message); !status.ok()) {
    return status;
  }
  pb::AgentServerMessage& message = say.message;
  return FinishSay(std::move(say), in, message);
}

absl::StatusOr<What> ReadCheckpointStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const Json* state = fields.Find("state");
  const Json* of_request = fields.Find("request_state");
  std::optional<std::string> bytes = fields.Bytes();
  const int forms = (state != nullptr) + (of_request != nullptr) + bytes.has_value();
  if (forms != 1) fields.Fail("wants one of state, request_state, text, hex and base64");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  if (of_request != nullptr) {
    if (in.modifiers.unknown_field) return BadScript("unknown_field goes with no request_state");
    JsonFields inner(*of_request, in.name + ".request_state");
    const int64_t turns = inner.Integer("add_turns", 0, 10'000).value_or(0);
    if (absl::Status status = inner.Finish(); !status.ok()) return status;
    return What(SayRequestState{static_cast<int>(turns), in.modifiers.packing});
  }
  if (state != nullptr) {
    pb::ConversationStateStructure message;
    absl::Status status = ReadMessage(*state, in.name + ".state", message);
    if (!status.ok()) return status;
    bytes = message.SerializeAsString();
  }
  Say say;
  say.message.set_conversation_checkpoint_update(*std::move(bytes));
  pb::AgentServerMessage& message = say.message;
  return FinishSay(std::move(say), in, message);
}

}  // namespace cursorwire::upstream
