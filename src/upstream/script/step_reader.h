#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_READER_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_READER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <google/protobuf/message.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "upstream/script/expectation.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// The members that stand beside the name of a step in its object.
struct Modifiers {
  Packing packing{};
  std::optional<Json> unknown_field{};
  std::optional<Json> expect{};
  std::optional<Json> expect_throw{};
  std::optional<std::chrono::milliseconds> within{};
  bool await = true;
};

// One step as written. Valid only during the call.
struct StepInput {
  const Json& value;
  const Modifiers& modifiers;
  std::string name{};
  size_t number = 0;  // number of the step, from 1
};

// Reads the value of one kind of step, or of a few kinds that differ by `name`. It was already
// checked that the step accepts these modifiers.
//   kInvalidArgument  the message names the field, but not the number of the step
using StepReader = absl::StatusOr<ScriptStep::What> (*)(const StepInput&);

// The error for anything wrong in a script.
absl::Status BadScript(std::string_view what);

// Reads protobuf's JSON mapping, except for the arguments of tools
// (upstream/script/mcp_arguments.h). Error messages begin with `where`.
absl::Status ReadMessage(const Json& json, std::string_view where,
                         google::protobuf::Message& message);

// Adds the field that the modifier unknown_field describes.
absl::Status AddUnknownField(const Json& json, google::protobuf::Message& message);

// Checks that the value is an object without members.
absl::Status CheckEmpty(const StepInput& in);

// Reads a step that has no parameters.
template <typename T>
absl::StatusOr<ScriptStep::What> ReadEmptyStep(const StepInput& in) {
  if (absl::Status status = CheckEmpty(in); !status.ok()) return status;
  return ScriptStep::What(T{});
}

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_READER_H_
