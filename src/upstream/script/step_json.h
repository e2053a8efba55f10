#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_JSON_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_JSON_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "upstream/script/expectation.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// Checks one step, a JSON object with modifiers, and converts it for playing. `number` is the
// step's number in its script, from 1.
//   kInvalidArgument  the message does not include the number
absl::StatusOr<ScriptStep> CompileStep(const Json& object, size_t number);

// The names of all steps, and of all modifiers that may stand beside them in an object.
std::vector<std::string_view> StepNames();
std::vector<std::string_view> ModifierNames();

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_JSON_H_
