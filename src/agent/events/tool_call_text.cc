#include "agent/events/tool_call_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "agent/events/tool_view.h"
#include "agent/tools/json_value.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr char kNothing[] = "{}";
// Limit of each JSON text; nobody reads a longer one.
constexpr size_t kMaxJsonBytes = size_t{1024} * 1024;

std::string Truncated(size_t bytes) {
  return absl::StrCat(R"({"truncated":true,"bytes":)", bytes, "}");
}

// JSON is hardly ever shorter than its input.
template <typename Make>
std::optional<std::string> IfShort(size_t input_bytes, Make make) {
  if (input_bytes > kMaxJsonBytes) return std::nullopt;
  std::string json = make();
  if (json.size() > kMaxJsonBytes) return std::nullopt;
  return json;
}

// One object with the members of both.
std::string Join(std::string object, const std::string& other) {
  if (other == kNothing) return object;
  if (object == kNothing) return other;
  object.back() = ',';
  return object.append(other, 1);
}

// nullopt: it is too long.
std::optional<std::string> ShortJson(const Message& message) {
  return IfShort(message.ByteSizeLong(), [&message] {
    google::protobuf::util::JsonPrintOptions options;
    options.preserve_proto_field_names = true;
    std::string json;
    if (!google::protobuf::util::MessageToJsonString(message, &json, options).ok()) json = kNothing;
    return json;
  });
}

// Texts and lists of a message are cut to so much.
struct Cut {
  size_t text_bytes;
  int items;
};
// From the first that is enough.
constexpr Cut kCuts[] = {{200 * 1024, 10'000}, {32 * 1024, 1'000}, {4 * 1024, 100}, {256, 10}};

void CutText(size_t bytes, std::string& text) {
  if (text.size() <= bytes) return;
  text =
      absl::StrCat(ToAbsl(Utf8Prefix(text, bytes)), "\n[cut here: ", text.size(), " bytes in all]");
}

// Bytes are no place for a notice.
void CutField(const Cut& cut, const FieldDescriptor& field, std::string& value) {
  if (field.type() == FieldDescriptor::TYPE_STRING) return CutText(cut.text_bytes, value);
  value.resize(std::min(value.size(), cut.text_bytes));
}

void CutMessage(const Cut& cut, Message& message);

void CutList(const Cut& cut, const FieldDescriptor& field, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  while (reflection.FieldSize(message, &field) > cut.items) reflection.RemoveLast(&message, &field);
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      CutMessage(cut, *reflection.MutableRepeatedMessage(&message, &field, i));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      std::string text = reflection.GetRepeatedString(message, &field, i);
      CutField(cut, field, text);
      reflection.SetRepeatedString(&message, &field, i, std::move(text));
    }
  }
}

void CutMessage(const Cut& cut, Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated()) {
      CutList(cut, *field, message);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      CutMessage(cut, *reflection.MutableMessage(&message, field));
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      std::string text = reflection.GetString(message, field);
      CutField(cut, *field, text);
      reflection.SetString(&message, field, std::move(text));
    }
  }
}

// Where it is too long, its texts and lists are cut, and "truncated" and "bytes" say so: which case
// a result has, and numbers such as an exit code, are worth more than the end of a text.
std::string ToJson(const Message& message) {
  if (std::optional<std::string> json = ShortJson(message)) return *std::move(json);
  std::string mark = Truncated(message.ByteSizeLong());
  for (const Cut& cut : kCuts) {
    const std::unique_ptr<Message> copy(message.New());
    copy->CopyFrom(message);
    CutMessage(cut, *copy);
    if (std::optional<std::string> json = ShortJson(*copy)) return Join(*std::move(json), mark);
  }
  return mark;
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
  const size_t bytes = call.args().ByteSizeLong();
  info.arguments_json = IfShort(bytes, [&call] {
                          return ArgumentsJson(call.args().args());
                        }).value_or(Truncated(bytes));
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
