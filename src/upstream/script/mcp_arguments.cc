#include "upstream/script/mcp_arguments.h"

#include <absl/strings/escaping.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/map.h>
#include <google/protobuf/struct.pb.h>

#include <string>

#include "agent/tools/json_value.h"
#include "agent/v1/mcp.pb.h"
#include "base/error.h"

namespace cursorwire::upstream {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Accepts both names that protobuf's JSON mapping accepts.
const FieldDescriptor* FindField(const Descriptor& type, const std::string& name) {
  const FieldDescriptor* field = type.FindFieldByName(name);
  return field != nullptr ? field : type.FindFieldByCamelcaseName(name);
}

// The message type of a field; nullptr: the field holds no message of our schema.
const Descriptor* MessageTypeOf(const FieldDescriptor* field) {
  if (field == nullptr || field->message_type() == nullptr) return nullptr;
  const Descriptor* message =
      field->is_map() ? field->message_type()->map_value()->message_type() : field->message_type();
  return message == nullptr || message->file()->package() == "google.protobuf" ? nullptr : message;
}

// Calls `fn` with each object of arguments in the JSON form of a message, until `fn` fails.
template <typename Fn>
absl::Status ForEachArguments(const Descriptor& type, Json& object, Fn fn) {
  if (!object.is_object()) return absl::OkStatus();
  if (&type == ::agent::v1::McpArgs::descriptor()) {
    const auto args = object.find("args");
    return args == object.end() || !args->is_object() ? absl::OkStatus() : fn(*args);
  }
  for (const auto& item : object.items()) {
    const FieldDescriptor* field = FindField(type, item.key());
    const Descriptor* inner = MessageTypeOf(field);
    if (inner == nullptr) continue;
    Json& value = item.value();
    const bool several = value.is_array() || (value.is_object() && field->is_map());
    if (!several) {
      if (absl::Status status = ForEachArguments(*inner, value, fn); !status.ok()) return status;
      continue;
    }
    for (Json& element : value) {
      if (absl::Status status = ForEachArguments(*inner, element, fn); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// Deterministic, which the order of protobuf's maps is not by default.
std::string Serialize(const google::protobuf::Value& value) {
  std::string bytes;
  google::protobuf::io::StringOutputStream output(&bytes);
  google::protobuf::io::CodedOutputStream coded(&output);
  coded.SetSerializationDeterministic(true);
  value.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

absl::Status Pack(Json& args) {
  for (const auto& item : args.items()) {
    const std::string text = item.value().dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto value = agent::JsonToValue(text);
    if (!value.ok()) return Annotate(value.status(), "args." + item.key());
    item.value() = absl::Base64Escape(Serialize(*value));
  }
  return absl::OkStatus();
}

absl::Status Unpack(Json& args) {
  google::protobuf::Map<std::string, std::string> map;
  for (const auto& item : args.items()) {
    std::string bytes;
    if (item.value().is_string()) {
      absl::Base64Unescape(item.value().get<std::string>(), &bytes);
    }
    map[item.key()] = bytes;
  }
  args = Json::parse(agent::ArgumentsJson(map), nullptr, false);
  return absl::OkStatus();
}

}  // namespace

absl::Status PackMcpArguments(const Descriptor& type, Json& object) {
  return ForEachArguments(type, object, Pack);
}

void UnpackMcpArguments(const Descriptor& type, Json& object) {
  (void)ForEachArguments(type, object, Unpack);  // cannot fail
}

}  // namespace cursorwire::upstream
