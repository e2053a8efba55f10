#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

RecordScreenArgs ToRecordScreen(const pb::RecordScreenArgs& args) {
  RecordScreenMode mode = RecordScreenMode::kStart;
  if (args.mode() == pb::RECORDING_MODE_SAVE_RECORDING) mode = RecordScreenMode::kSave;
  if (args.mode() == pb::RECORDING_MODE_DISCARD_RECORDING) mode = RecordScreenMode::kDiscard;
  return {.mode = mode, .save_as = args.save_as_filename()};
}

void FillRecordScreen(const pb::RecordScreenArgs& args, const RecordScreenOutput& output,
                      pb::RecordScreenResult& result) {
  switch (args.mode()) {
    case pb::RECORDING_MODE_SAVE_RECORDING:
      result.mutable_save_success()->set_path(ToUtf8(output.path));
      result.mutable_save_success()->set_recording_duration_ms(output.duration.count());
      return;
    case pb::RECORDING_MODE_DISCARD_RECORDING:
      result.mutable_discard_success();
      return;
    default:
      result.mutable_start_success();
  }
}

void FailRecordScreen(const pb::RecordScreenArgs& /*args*/, const ExecFailure& failure,
                      pb::RecordScreenResult& result) {
  result.mutable_failure()->set_error(failure.text);
}

}  // namespace

const ExecKind kRecordScreenExec =
    MakeExecKind<RecordScreenOutput, &pb::ExecServerMessage::record_screen_args,
                 &pb::ExecClientMessage::mutable_record_screen_result, ToRecordScreen,
                 FillRecordScreen, FailRecordScreen>(pb::ExecServerMessage::kRecordScreenArgs);

}  // namespace cursorwire::agent
