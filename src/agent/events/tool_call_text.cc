#include "agent/events/tool_call_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <google/protobuf/util/json_util.h>

#include <utility>
#include <vector>

#include "agent/events/tool_view.h"
#include "agent/tools/json_value.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr char kNothing[] = "{}";
// Limit of each JSON text; nobody reads a longer one.
constexpr size_t kMaxJsonBytes = size_t{1024} * 1024;

// The result of `make`, unless it or its input of `bytes` bytes is too long. JSON is hardly ever
// shorter than its input.
template <typename Make>
std::string Bounded(size_t bytes, Make make) {
  if (bytes <= kMaxJsonBytes) {
    std::string json = make();
    if (json.size() <= kMaxJsonBytes) return json;
  }
  return absl::StrCat(R"({"truncated":true,"bytes":)", bytes, "}");
}

std::string ToJson(const Message& message) {
  return Bounded(message.ByteSizeLong(), [&message] {
    google::protobuf::util::JsonPrintOptions options;
    options.preserve_proto_field_names = true;
    std::string json;
    if (!google::protobuf::util::MessageToJsonString(message, &json, options).ok()) json = kNothing;
    return json;
  });
}

// One object with the members of both.
std::string Join(std::string object, const std::string& other) {
  if (other == kNothing) return object;
  if (object == kNothing) return other;
  object.back() = ',';
  return object.append(other, 1);
}

// nullptr if `call` has no single message field of that name.
const Message* FindPart(const Message& call, const char* name) {
  const FieldDescriptor* field = call.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
      field->is_repeated() || !call.GetReflection()->HasField(call, field)) {
    return nullptr;
  }
  return &call.GetReflection()->GetMessage(call, field);
}

bool Has(const Message* message, const std::string& name) {
  if (message == nullptr) return false;
  const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(name);
  return field != nullptr && !field->is_repeated() &&
         message->GetReflection()->HasField(*message, field);
}

// Removes the arguments, the result, and fields that are also among the arguments.
void KeepTheRest(Message& call) {
  const Message* args = FindPart(call, "args");
  const Reflection& reflection = *call.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(call, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->name() != "args" && Has(args, field->name())) reflection.ClearField(&call, field);
  }
  for (const char* name : {"args", "result"}) {
    const FieldDescriptor* field = call.GetDescriptor()->FindFieldByName(name);
    if (field != nullptr) reflection.ClearField(&call, field);
  }
}

void FillTexts(Message& call, ToolCallInfo& info) {
  if (const Message* result = FindPart(call, "result")) info.result_json = ToJson(*result);
  if (const Message* args = FindPart(call, "args")) info.arguments_json = ToJson(*args);
  KeepTheRest(call);
  info.arguments_json = Join(std::move(info.arguments_json), ToJson(call));
}

void FillMcpTexts(const pb::McpToolCall& call, ToolCallInfo& info) {
  info.name = call.args().tool_name().empty() ? call.args().name() : call.args().tool_name();
  info.arguments_json =
      Bounded(call.args().ByteSizeLong(), [&call] { return ArgumentsJson(call.args().args()); });
  if (call.has_result()) info.result_json = ToJson(call.result());
}

}  // namespace

ToolCallInfo ToToolCallInfo(std::string call_id, std::string model_call_id,
                            const pb::ToolCall& call) {
  ToolCallInfo info{.call_id = std::move(call_id),
                    .model_call_id = std::move(model_call_id),
                    .arguments_json = kNothing};
  const Reflection& reflection = *call.GetReflection();
  const FieldDescriptor* field =
      reflection.GetOneofFieldDescriptor(call, pb::ToolCall::descriptor()->FindOneofByName("tool"));
  if (field == nullptr) return info;
  info.kind = std::string(absl::StripSuffix(field->name(), "_tool_call"));
  if (call.has_mcp_tool_call()) {
    FillMcpTexts(call.mcp_tool_call(), info);
    return info;
  }
  std::string scratch;
  const std::string& bytes = reflection.GetStringReference(call, field, &scratch);
  if (const auto message = ParseToolBytes(*field, bytes)) FillTexts(*message, info);
  return info;
}

std::string ToolCallDeltaJson(const pb::ToolCallDeltaUpdate& update) {
  const FieldDescriptor& field = *pb::ToolCallDeltaUpdate::descriptor()->FindFieldByNumber(
      pb::ToolCallDeltaUpdate::kToolCallDeltaFieldNumber);
  const auto delta = ParseToolBytes(field, update.tool_call_delta());
  return delta == nullptr ? kNothing : ToJson(*delta);
}

}  // namespace cursorwire::agent
