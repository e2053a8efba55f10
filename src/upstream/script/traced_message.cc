#include "upstream/script/traced_message.h"

#include <absl/strings/escaping.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <variant>
#include <vector>

#include "agent/v1/conversation.pb.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "upstream/script/mcp_arguments.h"
#include "upstream/script/script_json.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

std::string Base64Object(const std::string& bytes) {
  return Json::object({{"base64", absl::Base64Escape(bytes)}}).dump();
}

// As scripts have a message, without the fields that have their default.
Json ScriptJson(const google::protobuf::Message& message) {
  const google::protobuf::LogSilencer silencer;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) return nullptr;
  Json json = Json::parse(text, nullptr, false);
  UnpackMcpArguments(*message.GetDescriptor(), json);
  return json;
}

std::string DumpScriptJson(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// With the elements of maps in a fixed order.
std::string SerializeInOrder(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream output(&bytes);
  google::protobuf::io::CodedOutputStream coded(&output);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// Whether the step sends just this message.
bool Sends(const Script& script, const pb::AgentServerMessage& message) {
  const absl::StatusOr<CompiledScript> compiled = CompileScript(script);
  if (!compiled.ok() || compiled->steps.size() != 1) return false;
  const auto* say = std::get_if<Say>(&compiled->steps[0].what);
  const auto* asks = std::get_if<AskAll>(&compiled->steps[0].what);
  if (say == nullptr && asks == nullptr) return false;
  return SerializeInOrder(say != nullptr ? say->message : asks->asks[0].message) ==
         SerializeInOrder(message);
}

// The step that is named after an update, if there is one, and those for any update and message.
std::vector<Script> UpdateSteps(const pb::AgentServerMessage& message) {
  const pb::InteractionUpdate& update = message.interaction_update();
  std::vector<Script> steps;
  if (update.has_text_delta()) steps.push_back(Script().Text(update.text_delta().text()));
  if (update.has_thinking_delta()) {
    steps.push_back(Script().Thinking(update.thinking_delta().text()));
  }
  if (update.has_token_delta()) steps.push_back(Script().Tokens(update.token_delta().tokens()));
  if (update.has_heartbeat()) steps.push_back(Script().Heartbeat());
  const Json json = ScriptJson(update);
  constexpr std::pair<const char*, const char*> kNamed[] = {
      {"turn_ended", "turn_ended"},
      {"partial_tool_call", "tool_call_partial"},
      {"tool_call_started", "tool_call_started"},
      {"tool_call_completed", "tool_call_completed"}};
  for (const auto& [field, step] : kNamed) {
    if (json.is_object() && json.contains(field)) {
      steps.push_back(Script().Step(step, DumpScriptJson(json[field])));
    }
  }
  steps.push_back(Script().Update(DumpScriptJson(json)));
  return steps;
}

Script AskStep(const char* name, Json json, uint32_t id, const google::protobuf::Message& asked,
               const pb::AgentServerMessage& message) {
  if (json.is_object()) {
    json["id"] = id;
    Script script = Script().Step(name, DumpScriptJson(json));
    if (Sends(script, message)) return script;
  }
  return Script().Step(name, Base64Object(SerializeInOrder(asked)));
}

// Whatever the client answers is right: it may have other blobs.
constexpr char kAnyAnswer[] = "{}";

Script GetBlobStep(const pb::KvServerMessage& kv, const RootPrompts& root_prompts) {
  const std::string& id = kv.get_blob_args().blob_id();
  const auto prompt = root_prompts.find(id);
  Json json = {{"kv_id", kv.id()}};
  if (prompt != root_prompts.end()) {
    json["root_prompt"] = prompt->second;
    return Script().Step("get_blob", json.dump());
  }
  json["id"] = absl::BytesToHexString(id);
  return Script().Step("get_blob", json.dump()).Expect(kAnyAnswer);
}

Script SetBlobStep(const pb::KvServerMessage& kv) {
  const std::string& id = kv.set_blob_args().blob_id();
  const std::string& bytes = kv.set_blob_args().blob_data();
  Json json = {{"kv_id", kv.id()}, {"base64", absl::Base64Escape(bytes)}};
  if (id != Sha256(bytes)) json["id"] = absl::BytesToHexString(id);
  return Script().Step("set_blob", json.dump()).Expect(kAnyAnswer);
}

std::vector<Script> SayingSteps(const pb::AgentServerMessage& message) {
  std::vector<Script> steps;
  if (message.has_interaction_update()) steps = UpdateSteps(message);
  if (message.has_conversation_checkpoint_update()) {
    steps.push_back(
        Script().Step("checkpoint", Base64Object(message.conversation_checkpoint_update())));
  }
  steps.push_back(Script().Message(DumpScriptJson(ScriptJson(message))));
  return steps;
}

}  // namespace

std::optional<AskId> AskedBy(const pb::AgentServerMessage& message) {
  using Kind = Ask::Kind;
  if (message.has_exec_server_message()) {
    return AskId(Kind::kExec, message.exec_server_message().id());
  }
  if (message.has_interaction_query()) {
    return AskId(Kind::kQuery, message.interaction_query().id());
  }
  const pb::KvServerMessage& kv = message.kv_server_message();
  if (kv.has_get_blob_args() || kv.has_set_blob_args()) return AskId(Kind::kGetBlob, kv.id());
  return std::nullopt;
}

std::optional<AskId> AnsweredBy(const pb::AgentClientMessage& message) {
  using Kind = Ask::Kind;
  if (message.exec_client_control_message().has_stream_close()) {
    return AskId(Kind::kExec, message.exec_client_control_message().stream_close().id());
  }
  if (message.has_interaction_response()) {
    return AskId(Kind::kQuery, message.interaction_response().id());
  }
  if (message.has_kv_client_message()) {
    return AskId(Kind::kGetBlob, message.kv_client_message().id());
  }
  return std::nullopt;
}

RootPrompts RootPromptsOf(const pb::AgentRunRequest& request) {
  RootPrompts places;
  pb::ConversationStateStructure state;
  const google::protobuf::LogSilencer silencer;
  if (!state.ParseFromString(request.conversation_state())) return places;
  for (int i = 0; i < state.root_prompt_messages_json_size(); ++i) {
    places.emplace(state.root_prompt_messages_json(i), i);
  }
  return places;
}

Script StepOf(const pb::AgentServerMessage& message, const RootPrompts& root_prompts) {
  const pb::KvServerMessage& kv = message.kv_server_message();
  if (message.has_exec_server_message()) {
    const pb::ExecServerMessage& exec = message.exec_server_message();
    return AskStep("exec", ScriptJson(exec), exec.id(), exec, message);
  }
  if (message.has_interaction_query()) {
    const pb::InteractionQuery& query = message.interaction_query();
    return AskStep("query", ScriptJson(query), query.id(), query, message);
  }
  if (kv.has_get_blob_args()) return GetBlobStep(kv, root_prompts);
  if (kv.has_set_blob_args()) return SetBlobStep(kv);
  for (Script& step : SayingSteps(message)) {
    if (Sends(step, message)) return std::move(step);
  }
  return StepOfBytes(SerializeInOrder(message));
}

Script StepOfBytes(const std::string& bytes) {
  return Script().Step("envelope",
                       Json::object({{"flags", 0}, {"base64", absl::Base64Escape(bytes)}}).dump());
}

}  // namespace cursorwire::upstream
