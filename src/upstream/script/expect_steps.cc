#include "upstream/script/expect_steps.h"

#include <chrono>

#include "upstream/script/expectation.h"
#include "upstream/script/json_fields.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using What = ScriptStep::What;

}  // namespace

absl::StatusOr<What> ReadExpectRequestStep(const StepInput& in) {
  absl::Status status = CheckPattern(in.value, pb::AgentRunRequest::descriptor());
  if (!status.ok()) return status;
  return What(ExpectRequest{in.value});
}

absl::StatusOr<What> ReadExpectHeadersStep(const StepInput& in) {
  if (!in.value.is_object()) return BadScript("expect_headers must be an object");
  if (absl::Status status = CheckPattern(in.value, nullptr); !status.ok()) return status;
  return What(ExpectHeaders{in.value});
}

absl::StatusOr<What> ReadExpectMessageStep(const StepInput& in) {
  absl::Status status = CheckPattern(in.value, pb::AgentClientMessage::descriptor());
  if (!status.ok()) return status;
  return What(ExpectMessage{in.value});
}

absl::StatusOr<What> ReadWaitStep(const StepInput& in) {
  if (!in.value.is_number_unsigned() || in.value > kMaxInteger) {
    return BadScript("wait must be a number of milliseconds");
  }
  return What(Wait{std::chrono::milliseconds(in.value.get<int64_t>())});
}

}  // namespace cursorwire::upstream
