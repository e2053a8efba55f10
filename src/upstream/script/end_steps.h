#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_END_STEPS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_END_STEPS_H_

#include <absl/status/statusor.h>

#include "upstream/script/step_reader.h"

namespace cursorwire::upstream {

// Steps that begin or end a response as the Connect protocol and HTTP require: headers, the
// end-stream with or without an error, a response with another status.
absl::StatusOr<ScriptStep::What> ReadResponseHeadersStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadEndStreamStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadErrorStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadHttpStatusStep(const StepInput& in);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_END_STEPS_H_
