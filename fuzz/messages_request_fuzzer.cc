// Reads a body of /v1/messages, and all that is made of it; and counts its tokens.
//
// Input: the body.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "anthropic/message_writer.h"
#include "anthropic/messages_request.h"
#include "api/answer_writer.h"
#include "api/api_error.h"
#include "api/conversation_key.h"
#include "api/dialog.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursor_gateway::Role;
using cursorwire::fuzz::Check;

void CheckRefusal(const absl::Status& status) {
  const cursor_gateway::ApiError error = cursor_gateway::ApiErrorOf(status);
  Check(error.status == 400 && !error.message.empty());  // a bad body is the client's fault
}

void CheckDialog(const cursor_gateway::Dialog& dialog) {
  Check(!cursor_gateway::PromptOf(dialog).empty());  // a prompt is not empty
  const bool says = std::any_of(dialog.tail.begin(), dialog.tail.end(),
                                [](const auto& message) { return message.role == Role::kUser; });
  // What a user says beside all results is part of one.
  Check(says == (dialog.kind != cursor_gateway::TailKind::kResults));
  Check(dialog.rules.starts_with(dialog.former_rules));  // rules are only added
  cursor_gateway::HistoryOf(dialog, cursor_gateway::HistoryEnd::kWithResults);
}

void CheckRequest(std::string_view body) {
  const auto request = cursor_gateway::ReadMessagesRequest(body);
  const auto tokens = cursor_gateway::CountTokens(body);
  if (!request.ok()) return CheckRefusal(request.status());
  Check(!request->chat.model.empty() && !request->chat.messages.empty());  // both are required
  Check(tokens.ok() && *tokens >= request->estimated_tokens);              // rather too high
  const auto dialog = cursor_gateway::SplitDialog(request->chat.messages);
  if (!dialog.ok()) return CheckRefusal(dialog.status());
  CheckDialog(*dialog);
  cursor_gateway::MessageWriter writer({}, *request, "",
                                       cursor_gateway::AnswerWriter::Keep::kWhole);
  if (!dialog->history.empty()) writer.Calls(dialog->history.back().calls);
  writer.Finish(cursor_gateway::FinishReason::kStop, "", {});
  Check(nlohmann::json::parse(writer.Whole())["content"].is_array());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cursorwire::fuzz::FuzzedInput input(data, size);
  CheckRequest(input.TakeRest());
  return 0;
}
