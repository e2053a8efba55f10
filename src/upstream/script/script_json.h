#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_JSON_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_JSON_H_

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "cursorwire/script.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// Checks a script, and makes of its JSON what can be played. Strict: whatever it does not know is
// an error, which names the step by its number, from 1, and the field.
//   kInvalidArgument
absl::StatusOr<CompiledScript> CompileScript(const Script& script);
// The same of several; the error says which, if there is more than one.
absl::StatusOr<std::vector<CompiledScript>> CompileScripts(std::span<const Script> scripts);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_JSON_H_
