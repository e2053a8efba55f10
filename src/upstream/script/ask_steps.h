#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_STEPS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_STEPS_H_

#include <absl/status/statusor.h>

#include "upstream/script/step_reader.h"

namespace cursorwire::upstream {

// Steps whose messages the client answers, each with the expected answer.
absl::StatusOr<ScriptStep::What> ReadExecStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadCallToolStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadQueryStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadGetBlobStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadSetBlobStep(const StepInput& in);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_STEPS_H_
