#include <google/protobuf/util/json_util.h>

#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

ComputerUseArgs ToComputerUse(const pb::ComputerUseArgs& args) {
  std::string array = "[";
  for (const pb::ComputerUseAction& action : args.actions()) {
    std::string json;
    // This cannot fail: the message was just parsed.
    (void)google::protobuf::util::MessageToJsonString(action, &json);
    array += (array.size() > 1 ? "," : "") + json;
  }
  return {.actions_json = array + "]"};
}

void FillComputerUse(const pb::ComputerUseArgs& /*args*/, const ComputerUseOutput& output,
                     pb::ComputerUseResult& result) {
  pb::ComputerUseSuccess& success = *result.mutable_success();
  success.set_action_count(output.action_count);
  success.set_duration_ms(ToCount(output.duration.count()));
  if (!output.screenshot.empty()) success.set_screenshot(ToUtf8(output.screenshot));
}

}  // namespace

const ExecKind kComputerUseExec =
    MakeExecKind<ComputerUseOutput, &pb::ExecServerMessage::computer_use_args,
                 &pb::ExecClientMessage::mutable_computer_use_result, ToComputerUse,
                 FillComputerUse, (FailWithError<pb::ComputerUseArgs, pb::ComputerUseResult>)>(
        pb::ExecServerMessage::kComputerUseArgs);

}  // namespace cursorwire::agent
