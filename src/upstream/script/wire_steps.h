#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_WIRE_STEPS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_WIRE_STEPS_H_

#include <absl/status/statusor.h>

#include "upstream/script/step_reader.h"

namespace cursorwire::upstream {

// Steps that send bytes, valid or not, and steps that act on the stream and its connection.
absl::StatusOr<ScriptStep::What> ReadEnvelopeStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadRawBodyStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadRawConnectionStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadSplitStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadResetStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadGoAwayStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadDropStep(const StepInput& in);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_WIRE_STEPS_H_
