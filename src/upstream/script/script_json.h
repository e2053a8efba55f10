#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_JSON_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_JSON_H_

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "cursorwire/script.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// Checks a script and converts its JSON into steps that can be played. Strict: anything unknown is
// an error, which names the field and the step by its number, from 1.
//   kInvalidArgument
absl::StatusOr<CompiledScript> CompileScript(const Script& script);
// Compiles several scripts; if there is more than one, an error says which one it is in.
absl::StatusOr<std::vector<CompiledScript>> CompileScripts(std::span<const Script> scripts);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_SCRIPT_JSON_H_
