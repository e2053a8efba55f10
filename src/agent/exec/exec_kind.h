#ifndef CURSORWIRE_SRC_AGENT_EXEC_EXEC_KIND_H_
#define CURSORWIRE_SRC_AGENT_EXEC_EXEC_KIND_H_

#include <absl/status/status.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "agent/exec/stream_state.h"
#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// Counts of the schema have 32 bits: the largest one stands for all that are larger.
inline int32_t ToCount(int64_t count) {
  return static_cast<int32_t>(std::clamp<int64_t>(count, 0, std::numeric_limits<int32_t>::max()));
}

using ExecResults = std::vector<::agent::v1::ExecClientMessage>;

// A handler's failed status, for the wire. The text is UTF-8.
struct ExecFailure {
  absl::StatusCode code = absl::StatusCode::kUnknown;
  std::string text{};

  bool refused() const { return code == absl::StatusCode::kPermissionDenied; }
  bool not_found() const { return code == absl::StatusCode::kNotFound; }
  bool no_sandbox() const { return code == absl::StatusCode::kFailedPrecondition; }
  bool wrong_file() const { return code == absl::StatusCode::kInvalidArgument; }
};

// One kind of exec: how to read its arguments and how to write its success and its failure. The
// results have no ids yet. Source: docs/protocol.md, execs.
struct ExecKind {
  ::agent::v1::ExecServerMessage::MessageCase message;
  // The arguments for a handler. nullptr: no handler serves this kind.
  ExecArgs (*to_args)(const ::agent::v1::ExecServerMessage& exec);
  // Empty if the output belongs to another kind. Only shell streams use the state.
  ExecResults (*succeed)(const ::agent::v1::ExecServerMessage& exec, const ExecOutput& output,
                         StreamState state);
  ExecResults (*fail)(const ::agent::v1::ExecServerMessage& exec, const ExecFailure& failure,
                      StreamState state);
  // What is refused, such as "writing files", where no handler serves this kind but the protocol
  // has a form for the refusal.
  const char* not_served = nullptr;
};

// Defines a kind that has a single result: the field of its arguments, the field of its result, and
// the functions that read the arguments (ToArgs(args)) and write the result (Succeed(args, output,
// result), Fail(args, failure, result)).
template <typename Output, auto kArgs, auto kResult, auto kToArgs, auto kSucceed, auto kFail>
constexpr ExecKind MakeExecKind(::agent::v1::ExecServerMessage::MessageCase message) {
  using Server = ::agent::v1::ExecServerMessage;
  return {.message = message,
          .to_args = [](const Server& exec) -> ExecArgs { return kToArgs((exec.*kArgs)()); },
          .succeed =
              [](const Server& exec, const ExecOutput& output, StreamState) {
                ExecResults results;
                if (const auto* own = std::get_if<Output>(&output)) {
                  kSucceed((exec.*kArgs)(), *own, *(results.emplace_back().*kResult)());
                }
                return results;
              },
          .fail =
              [](const Server& exec, const ExecFailure& failure, StreamState) {
                ExecResults results(1);
                kFail((exec.*kArgs)(), failure, *(results[0].*kResult)());
                return results;
              }};
}

// --- shared by many kinds

// For kinds that no handler serves.
inline ExecResults NoOutput(const ::agent::v1::ExecServerMessage& /*exec*/,
                            const ExecOutput& /*output*/, StreamState /*state*/) {
  return {};
}

inline std::chrono::milliseconds MillisecondsOf(int64_t count) {
  return std::chrono::milliseconds(std::max<int64_t>(count, 0));
}

template <typename Rejected>
void RejectPath(const std::string& path, const ExecFailure& failure, Rejected& rejected) {
  rejected.set_path(path);
  rejected.set_reason(failure.text);
}

template <typename Error>
void FailPath(const std::string& path, const ExecFailure& failure, Error& error) {
  error.set_path(path);
  error.set_error(failure.text);
}

template <typename Args, typename Rejected>
void RejectCommand(const Args& args, const ExecFailure& failure, Rejected& rejected) {
  rejected.set_command(args.command());
  rejected.set_working_directory(args.working_directory());
  rejected.set_reason(failure.text);
}

template <typename Args, typename Error>
void FailCommand(const Args& args, const ExecFailure& failure, Error& error) {
  error.set_command(args.command());
  error.set_working_directory(args.working_directory());
  error.set_error(failure.text);
}

// For results whose only failure is a text.
template <typename Args, typename Result>
void FailWithError(const Args&, const ExecFailure& failure, Result& result) {
  result.mutable_error()->set_error(failure.text);
}

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_KIND_H_
