#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_EXPECT_STEPS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_EXPECT_STEPS_H_

#include <absl/status/statusor.h>

#include "upstream/script/step_reader.h"

namespace cursorwire::upstream {

// Steps that check what the client has sent or must send, and the step that only waits.
absl::StatusOr<ScriptStep::What> ReadExpectRequestStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadExpectHeadersStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadExpectMessageStep(const StepInput& in);
absl::StatusOr<ScriptStep::What> ReadWaitStep(const StepInput& in);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_EXPECT_STEPS_H_
