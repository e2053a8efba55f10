#include "agent/exec/exec_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ExecResults FailRecordScreen(const pb::ExecServerMessage& /*exec*/, const ExecFailure& failure,
                             StreamState /*state*/) {
  ExecResults results(1);
  results[0].mutable_record_screen_result()->mutable_failure()->set_error(failure.text);
  return results;
}

ExecResults FailComputerUse(const pb::ExecServerMessage& /*exec*/, const ExecFailure& failure,
                            StreamState /*state*/) {
  ExecResults results(1);
  results[0].mutable_computer_use_result()->mutable_error()->set_error(failure.text);
  return results;
}

}  // namespace

const ExecKind kRecordScreenExec = {.message = pb::ExecServerMessage::kRecordScreenArgs,
                                    .to_args = nullptr,
                                    .succeed = NoOutput,
                                    .fail = FailRecordScreen,
                                    .not_served = "recording the screen"};

const ExecKind kComputerUseExec = {.message = pb::ExecServerMessage::kComputerUseArgs,
                                   .to_args = nullptr,
                                   .succeed = NoOutput,
                                   .fail = FailComputerUse,
                                   .not_served = "using the mouse and the keyboard"};

}  // namespace cursorwire::agent
