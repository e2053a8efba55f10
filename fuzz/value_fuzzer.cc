// Reads JSON as a google.protobuf.Value and writes it again, and reads arbitrary bytes as the
// arguments of a tool call.
//
// Input: all of it is used as JSON, as the bytes of a Value, and as the bytes of McpArgs. Also, the
// first byte is the name of an argument, and the rest is its value.

#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/tools/json_value.h"
#include "agent/v1/mcp.pb.h"
#include "base/strings.h"
#include "support/harness.h"
#include "wire/json.h"

namespace {

using agent::v1::McpArgs;
using cursorwire::agent::ArgumentsJson;
using cursorwire::agent::JsonToValue;
using cursorwire::agent::ValueToJson;
using cursorwire::fuzz::Check;

// Reading what was written and writing it again must give the same text.
void CheckStable(const std::string& json) {
  const auto value = JsonToValue(json);
  Check(value.ok());
  Check(ValueToJson(*value) == json);
}

void CheckArguments(const McpArgs& call) {
  const std::string json = ArgumentsJson(call.args());
  const auto parsed = cursorwire::wire::ParseJson(json);
  Check(parsed.ok());
  Check(parsed->is_object());
  Check(parsed->members.size() == call.args().size());
  CheckStable(json);
}

void ReadJson(std::string_view input) {
  const auto value = JsonToValue(input);
  if (!value.ok()) return;
  CheckStable(ValueToJson(*value));
  McpArgs call;
  (*call.mutable_args())["a"] = value->SerializeAsString();
  CheckArguments(call);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const google::protobuf::LogSilencer silencer;  // silences its complaints about bad UTF-8
  ReadJson(input);

  google::protobuf::Value value;
  const std::string bytes(input);
  if (value.ParseFromString(bytes)) CheckStable(ValueToJson(value));

  McpArgs call;
  if (call.ParseFromString(bytes)) CheckArguments(call);
  if (input.empty()) return 0;
  McpArgs one;
  (*one.mutable_args())[cursorwire::ToUtf8(input.substr(0, 1))] = input.substr(1);
  CheckArguments(one);
  return 0;
}
