#include "upstream/script/expectation.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <memory>

#include "base/error.h"
#include "upstream/script/mcp_arguments.h"

namespace cursorwire::upstream {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

absl::Status Bad(const std::string& path, const std::string& what) {
  return LocalError(absl::StatusCode::kInvalidArgument,
                    absl::StrCat(path.empty() ? "" : path + ": ", what));
}

bool IsOperators(const Json& pattern) {
  return pattern.is_object() && !pattern.empty() && pattern.begin().key().starts_with('$');
}

std::string Below(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, ".", name);
}

std::string Element(const std::string& path, size_t index) {
  return absl::StrCat(path, "[", index, "]");
}

const Descriptor* MessageType(const std::string& name) {
  return google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName("agent.v1." +
                                                                                   name);
}

// --- checking a pattern

absl::Status Check(const Json& pattern, const Descriptor* type, const std::string& path);

absl::Status CheckOperator(const std::string& name, const Json& operand, const Descriptor* type,
                           const std::string& path) {
  if (name == "$contains") {
    return operand.is_string() ? absl::OkStatus() : Check(operand, type, path);
  }
  if (name == "$starts_with" || name == "$hex") {
    const bool good = operand.is_string() &&
                      (name != "$hex" || (operand.get<std::string>().size() % 2 == 0 &&
                                          operand.get<std::string>().find_first_not_of(
                                              "0123456789abcdefABCDEF") == std::string::npos));
    return good ? absl::OkStatus()
                : Bad(path, name + (name == "$hex" ? " wants a string of pairs of hex digits"
                                                   : " wants a string"));
  }
  if (name == "$any" || name == "$absent") {
    return operand == true ? absl::OkStatus() : Bad(path, name + " wants true");
  }
  if (name == "$size") {
    return operand.is_number_unsigned() ? absl::OkStatus() : Bad(path, "$size wants a number");
  }
  if (name == "$text" || name == "$json") return Check(operand, nullptr, path);
  if (name == "$as") {
    if (!operand.is_object() || operand.size() != 1) {
      return Bad(path, R"($as wants {"MESSAGE": pattern})");
    }
    const Descriptor* message = MessageType(operand.begin().key());
    if (message == nullptr) return Bad(path, "no message agent.v1." + operand.begin().key());
    return Check(operand.begin().value(), message, path);
  }
  return Bad(path, "unknown operator " + name);
}

// Types whose JSON does not have a member for each field.
bool IsFree(const Descriptor* type) {
  return type == nullptr || type->file()->package() == "google.protobuf";
}

absl::Status Check(const Json& pattern, const Descriptor* type, const std::string& path) {
  if (pattern.is_array()) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (absl::Status status = Check(pattern[i], type, Element(path, i)); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
  if (!pattern.is_object()) {
    // A message never equals a text or a number.
    return IsFree(type)
               ? absl::OkStatus()
               : Bad(path, absl::StrCat("a pattern of ", type->full_name(), " must be an object"));
  }
  const bool operators = IsOperators(pattern);
  for (const auto& [name, value] : pattern.items()) {
    absl::Status status;
    if (name.starts_with('$') != operators) {
      return Bad(path, "operators and fields in one object");
    }
    if (operators) {
      status = CheckOperator(name, value, type, path);
    } else if (IsFree(type)) {
      status = Check(value, nullptr, Below(path, name));
    } else {
      const FieldDescriptor* field = type->FindFieldByName(name);
      if (field == nullptr) {
        return Bad(path, absl::StrCat(type->full_name(), " has no field ", name));
      }
      const bool plain = field->type() != FieldDescriptor::TYPE_MESSAGE || field->is_map();
      status = Check(value, plain ? nullptr : field->message_type(), Below(path, name));
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// --- comparing a value with a pattern

using Result = std::optional<std::string>;

Result Compare(const Json& pattern, const Json* actual, const std::string& path);

Result Differs(const std::string& path, const std::string& expected, const Json* actual) {
  return absl::StrCat(path.empty() ? "" : "at " + path + ": ", "expected ", expected, ", got ",
                      actual == nullptr ? "nothing" : Excerpt(*actual));
}

std::optional<std::string> BytesOf(const Json* actual) {
  std::string bytes;
  if (actual == nullptr || !actual->is_string()) return std::nullopt;
  if (!absl::Base64Unescape(actual->get<std::string>(), &bytes)) return std::nullopt;
  return bytes;
}

Result CompareContains(const Json& operand, const Json* actual, const std::string& path) {
  if (actual != nullptr && actual->is_string() && operand.is_string() &&
      actual->get<std::string>().find(operand.get<std::string>()) != std::string::npos) {
    return std::nullopt;
  }
  if (actual != nullptr && actual->is_array()) {
    for (const Json& element : *actual) {
      if (!Compare(operand, &element, path)) return std::nullopt;
    }
  }
  return Differs(path, "something that contains " + Excerpt(operand), actual);
}

Result CompareAs(const Json& operand, const Json* actual, const std::string& path) {
  const std::string& name = operand.begin().key();
  const std::optional<std::string> bytes = BytesOf(actual);
  const google::protobuf::LogSilencer silencer;
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(MessageType(name))
          ->New());
  if (!bytes || !message->ParseFromString(*bytes)) {
    return Differs(path, "the bytes of agent.v1." + name, actual);
  }
  const Json decoded = MessageToJson(*message);
  return Compare(operand.begin().value(), &decoded, path);
}

// Discarded if it is not JSON, or nested so deep that printing it could exhaust the stack.
Json ParseFlat(const std::string& text) {
  constexpr int kMaxDepth = 200;
  bool deep = false;
  Json json = Json::parse(
      text,
      [&deep](int depth, Json::parse_event_t, Json&) {
        deep = deep || depth > kMaxDepth;
        return !deep;
      },
      false);
  return deep ? Json(Json::value_t::discarded) : json;
}

Result CompareOperator(const std::string& name, const Json& operand, const Json* actual,
                       const std::string& path) {
  if (name == "$any") return actual != nullptr ? Result() : Differs(path, "any value", actual);
  if (name == "$absent") return actual == nullptr ? Result() : Differs(path, "nothing", actual);
  if (name == "$contains") return CompareContains(operand, actual, path);
  if (name == "$as") return CompareAs(operand, actual, path);
  if (name == "$size") {
    const bool string = actual != nullptr && actual->is_string();
    const bool list = actual != nullptr && actual->is_array();
    const size_t size = string ? actual->get<std::string>().size() : list ? actual->size() : 0;
    if ((string || list) && size == operand.get<size_t>()) return std::nullopt;
    return Differs(path, absl::StrCat("size ", operand.get<size_t>()), actual);
  }
  if (name == "$starts_with") {
    const bool good = actual != nullptr && actual->is_string() &&
                      actual->get<std::string>().starts_with(operand.get<std::string>());
    return good ? Result()
                : Differs(path, "something that starts with " + Excerpt(operand), actual);
  }
  if (name == "$json") {
    const Json json = actual != nullptr && actual->is_string()
                          ? ParseFlat(actual->get<std::string>())
                          : Json(Json::value_t::discarded);
    if (json.is_discarded()) return Differs(path, "a string of JSON", actual);
    return Compare(operand, &json, path);
  }
  const std::optional<std::string> bytes = BytesOf(actual);
  if (!bytes) return Differs(path, "bytes", actual);
  if (name == "$hex") {
    const bool equal = absl::HexStringToBytes(operand.get<std::string>()) == *bytes;
    return equal ? Result() : Differs(path, "the bytes " + Excerpt(operand), actual);
  }
  const Json text = *bytes;  // $text
  return Compare(operand, &text, path);
}

Result CompareObject(const Json& pattern, const Json* actual, const std::string& path) {
  if (actual == nullptr || !actual->is_object()) return Differs(path, Excerpt(pattern), actual);
  for (const auto& [name, expected] : pattern.items()) {
    const auto found = actual->find(name);
    const Json* value = found == actual->end() ? nullptr : &*found;
    if (Result result = Compare(expected, value, Below(path, name))) {
      // Show the members that exist when one is missing: mostly it is another case of a oneof.
      if (value != nullptr || IsOperators(expected)) return result;
      return Differs(path, "a member " + name, actual);
    }
  }
  return std::nullopt;
}

Result CompareList(const Json& pattern, const Json* actual, const std::string& path) {
  if (actual == nullptr || !actual->is_array() || actual->size() != pattern.size()) {
    return Differs(path, absl::StrCat("a list of ", pattern.size()), actual);
  }
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (Result result = Compare(pattern[i], &(*actual)[i], Element(path, i))) return result;
  }
  return std::nullopt;
}

Result Compare(const Json& pattern, const Json* actual, const std::string& path) {
  if (IsOperators(pattern)) {
    for (const auto& [name, operand] : pattern.items()) {
      if (Result result = CompareOperator(name, operand, actual, path)) return result;
    }
    return std::nullopt;
  }
  if (pattern.is_object()) return CompareObject(pattern, actual, path);
  if (pattern.is_array()) return CompareList(pattern, actual, path);
  const bool equal =
      actual != nullptr && (pattern == *actual || (pattern.is_number() && actual->is_string() &&
                                                   actual->get<std::string>() == pattern.dump()));
  return equal ? Result() : Differs(path, Excerpt(pattern), actual);
}

}  // namespace

absl::Status CheckPattern(const Json& pattern, const Descriptor* type) {
  return Check(pattern, type, "");
}

std::optional<std::string> FindMismatch(const Json& pattern, const Json& actual) {
  return Compare(pattern, &actual, "");
}

Json MessageToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) return Json();
  Json json = Json::parse(text, nullptr, false);
  UnpackMcpArguments(*message.GetDescriptor(), json);
  return json;
}

std::string Excerpt(const Json& json, size_t max_bytes) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > max_bytes) {
    text.resize(max_bytes);
    text += "...";
  }
  return text;
}

}  // namespace cursorwire::upstream
