#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_JSON_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_JSON_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "upstream/script/expectation.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// Checks one step, an object of JSON with its modifiers, and makes of it what can be played.
// `number` is that of the step in its script, from 1.
//   kInvalidArgument  the message does not name the number
absl::StatusOr<ScriptStep> CompileStep(const Json& object, size_t number);

// The names of all steps, and of what may stand beside them in one object.
std::vector<std::string_view> StepNames();
std::vector<std::string_view> ModifierNames();

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_STEP_JSON_H_
