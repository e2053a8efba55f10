#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_MESSAGE_STEPS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_MESSAGE_STEPS_H_

#include <absl/status/statusor.h>

#include "upstream/script/step_reader.h"

namespace cursorwire::upstream {

// Steps whose messages the client does not answer.
absl::StatusOr<ScriptStep::What> ReadTextStep(const StepInput& in);  // text, thinking
absl::StatusOr<ScriptStep::What> ReadTokensStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadUpdateStep(const StepInput& in);       // any update
absl::StatusOr<ScriptStep::What> ReadNamedUpdateStep(const StepInput& in);  // has its update's name
absl::StatusOr<ScriptStep::What> ReadPartialToolCallStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadMessageStep(const StepInput& in);  // any message
absl::StatusOr<ScriptStep::What> ReadCheckpointStep(const StepInput& in);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_MESSAGE_STEPS_H_
