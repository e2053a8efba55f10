#include "agent/tools/json_value.h"

#include <absl/strings/charconv.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire::agent {
namespace {

using google::protobuf::Value;
using wire::Json;

constexpr double kLastExactInteger = 9007199254740992;  // 2^53

absl::Status Bad(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument, what);
}

// --- from JSON to Value

// False if a number is outside the range of a double. Recursive: ParseJson() bounds the depth.
bool Convert(const Json& json, Value& value) {
  switch (json.kind) {
    case Json::Kind::kNull:
      value.set_null_value(google::protobuf::NULL_VALUE);
      return true;
    case Json::Kind::kBool:
      value.set_bool_value(json.boolean);
      return true;
    case Json::Kind::kNumber: {
      const std::string& text = json.text;
      double number = 0;
      const auto read = absl::from_chars(text.data(), text.data() + text.size(), number);
      value.set_number_value(number);
      // A number that is too small becomes 0.
      return read.ec == std::errc() || std::abs(number) < 1;
    }
    case Json::Kind::kString:
      value.set_string_value(json.text);
      return true;
    case Json::Kind::kArray:
      value.mutable_list_value();
      for (const Json& item : json.items) {
        if (!Convert(item, *value.mutable_list_value()->add_values())) return false;
      }
      return true;
    case Json::Kind::kObject:
      value.mutable_struct_value();
      for (const Json::Member& member : json.members) {
        Value& field = (*value.mutable_struct_value()->mutable_fields())[member.name];
        if (!Convert(member.value, field)) return false;
      }
      return true;
  }
  return false;
}

// --- from Value to JSON

template <typename Number>
void AppendDigits(Number number, std::string& out) {
  char buffer[32];  // the longest double has 24 characters
  const std::to_chars_result end = std::to_chars(std::begin(buffer), std::end(buffer), number);
  out.append(buffer, end.ptr);
}

void AppendNumber(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
  } else if (std::abs(number) <= kLastExactInteger && std::trunc(number) == number) {
    AppendDigits(static_cast<int64_t>(number), out);
  } else {
    AppendDigits(number, out);
  }
}

// The entries of a protobuf map, which is unordered, sorted by name.
template <typename Entry>
std::map<std::string_view, const Entry*> Sorted(
    const google::protobuf::Map<std::string, Entry>& map) {
  std::map<std::string_view, const Entry*> sorted;
  for (const auto& entry : map) sorted.emplace(entry.first, &entry.second);
  return sorted;
}

void AppendValue(const Value& value, int depth, std::string& out);

void AppendList(const google::protobuf::ListValue& list, int depth, std::string& out) {
  const char* separator = "[";
  for (const Value& item : list.values()) {
    out += std::exchange(separator, ",");
    AppendValue(item, depth, out);
  }
  out += list.values().empty() ? "[]" : "]";
}

void AppendStruct(const google::protobuf::Struct& object, int depth, std::string& out) {
  const char* separator = "{";
  for (const auto& [name, value] : Sorted(object.fields())) {
    out += std::exchange(separator, ",");
    wire::AppendJsonString(name, out);
    out += ':';
    AppendValue(*value, depth, out);
  }
  out += object.fields().empty() ? "{}" : "}";
}

// `depth`: the number of lists and objects around the value.
void AppendValue(const Value& value, int depth, std::string& out) {
  const bool nests = value.has_list_value() || value.has_struct_value();
  if (nests && depth >= wire::kMaxJsonDepth) {
    out += "null";
    return;
  }
  switch (value.kind_case()) {
    case Value::kBoolValue:
      out += value.bool_value() ? "true" : "false";
      return;
    case Value::kNumberValue:
      return AppendNumber(value.number_value(), out);
    case Value::kStringValue:
      return wire::AppendJsonString(value.string_value(), out);
    case Value::kListValue:
      return AppendList(value.list_value(), depth + 1, out);
    case Value::kStructValue:
      return AppendStruct(value.struct_value(), depth + 1, out);
    default:
      out += "null";
  }
}

// False if the bytes are not a Value with a kind.
bool ParseValue(const std::string& bytes, Value& value) {
  // Each object takes three levels of messages, and protobuf's own limit is 100.
  constexpr int kLevels = 3 * wire::kMaxJsonDepth + 1;
  if (bytes.size() > size_t{std::numeric_limits<int>::max()}) return false;
  const google::protobuf::LogSilencer silencer;  // silences its complaints about bad UTF-8
  google::protobuf::io::ArrayInputStream input(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&input);
  coded.SetRecursionLimit(kLevels);
  return value.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage() &&
         value.kind_case() != Value::KIND_NOT_SET;
}

}  // namespace

absl::StatusOr<Value> JsonToValue(std::string_view json) {
  if (json.size() > kMaxValueJsonBytes) {
    return Bad(absl::StrCat("JSON of ", json.size(), " bytes over limit ", kMaxValueJsonBytes));
  }
  const absl::StatusOr<Json> parsed = wire::ParseJson(json);
  if (!parsed.ok()) return Bad(ToStd(parsed.status().message()));
  Value value;
  if (!Convert(*parsed, value)) return Bad("JSON: a number is out of the range of a double");
  return value;
}

std::string ValueToJson(const Value& value) {
  std::string json;
  AppendValue(value, 0, json);
  return json;
}

std::string ArgumentsJson(const google::protobuf::Map<std::string, std::string>& args) {
  std::string json;
  const char* separator = "{";
  for (const auto& [name, bytes] : Sorted(args)) {
    json += std::exchange(separator, ",");
    wire::AppendJsonString(name, json);
    json += ':';
    Value value;
    if (ParseValue(*bytes, value)) {
      AppendValue(value, 1, json);
    } else {
      wire::AppendJsonString(*bytes, json);
    }
  }
  return args.empty() ? "{}" : json + "}";
}

}  // namespace cursorwire::agent
