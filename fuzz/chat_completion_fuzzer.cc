// Reads a body of /v1/chat/completions, or of /v1/responses, and all that is made of it; and cuts a
// text at stops, in pieces and at once: both must be the same.
//
// Input: byte 0 chooses. Even: the rest is a body, of the second kind for a multiple of four. Odd:
// byte 1 is the size of the pieces, then come two stops, each with its length in a byte, and the
// text.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/api_error.h"
#include "api/chat_request.h"
#include "api/conversation_key.h"
#include "api/dialog.h"
#include "api/json_text.h"
#include "api/stop_cutter.h"
#include "openai/completion_writer.h"
#include "openai/responses_request.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

void CheckRefusal(const absl::Status& status) {
  const cursor_gateway::ApiError error = cursor_gateway::ApiErrorOf(status);
  Check(error.status == 400 && !error.message.empty());  // a bad body is the client's fault
}

void CheckResponses(std::string_view body) {
  absl::StatusOr<nlohmann::json> value = cursor_gateway::ReadJson(body);
  if (!value.ok()) return CheckRefusal(value.status());
  const auto references = cursor_gateway::ReferencesOf(*value);
  if (!references.ok()) return CheckRefusal(references.status());
  const auto request = cursor_gateway::ReadResponsesRequest(*std::move(value));
  if (!request.ok()) return CheckRefusal(request.status());
  Check(!request->chat.model.empty() && request->echo.is_object());
  std::set<std::string> names;
  for (const cursor_gateway::FunctionTool& tool : request->tools.functions()) {
    Check(cursor_gateway::IsToolName(tool.name) && names.insert(tool.name).second);
    const cursor_gateway::ClientTool* client = request->tools.Find(tool.name);
    Check(client != nullptr);  // each way of a name leads back
    Check(request->tools.NameOf(client->space, client->name) == tool.name);
  }
  const auto dialog =
      cursor_gateway::SplitDialog(request->chat.messages, {.list = "input", .tells_orphans = true});
  if (!dialog.ok()) CheckRefusal(dialog.status());
}

void CheckRequest(std::string_view body) {
  const auto request = cursor_gateway::ReadChatRequest(body);
  if (!request.ok()) return CheckRefusal(request.status());
  Check(!request->model.empty() && !request->messages.empty());  // both are required
  const auto dialog = cursor_gateway::SplitDialog(request->messages);
  if (!dialog.ok()) return;
  Check(!cursor_gateway::PromptOf(*dialog).empty());  // a prompt is not empty
  for (const auto& turn :
       cursor_gateway::HistoryOf(*dialog, cursor_gateway::HistoryEnd::kWithResults)) {
    Check(!turn.prompt.empty());  // nor is one of the history
  }
  cursor_gateway::ConversationKey whole("", dialog->rules);
  whole.Add(cursor_gateway::DigestsOf(dialog->history));
  cursor_gateway::ConversationKey each("", dialog->rules);
  for (const auto& message : dialog->history) each.Add(cursor_gateway::DigestOf(message));
  Check(whole.value() == each.value());  // a key does not depend on how it is made
  cursor_gateway::CompletionWriter writer({}, request->include_usage,
                                          cursor_gateway::AnswerWriter::Keep::kWhole);
  writer.Calls(request->messages.back().calls);
  writer.Finish(cursor_gateway::FinishReason::kToolCalls, "", {});
  Check(!writer.Whole().empty());
}

std::string Cut(const std::vector<std::string>& stops, std::string_view text, size_t size) {
  cursor_gateway::StopCutter cutter(stops);
  std::string sent;
  for (size_t at = 0; at < text.size(); at += size) sent += cutter.Feed(text.substr(at, size));
  return sent + cutter.Finish();
}

void CheckCut(FuzzedInput input) {
  const size_t size = size_t{1} + input.TakeByte();
  std::vector<std::string> stops;
  for (int i = 0; i < 2; ++i) {
    if (const auto stop = input.TakeShortString(); !stop.empty()) stops.emplace_back(stop);
  }
  const std::string_view text = input.TakeRest();
  const std::string sent = Cut(stops, text, size);
  Check(sent == Cut(stops, text, text.size() + 1));  // cutting does not depend on the pieces
  Check(text.starts_with(sent));                     // what is sent is the beginning
  for (const std::string& stop : stops) {
    Check(sent.find(stop) == std::string::npos);  // no stop is sent
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const unsigned choice = input.TakeByte();
  if (choice % 4 == 0) {
    CheckResponses(input.TakeRest());
  } else if (choice % 2 == 0) {
    CheckRequest(input.TakeRest());
  } else {
    CheckCut(input);
  }
  return 0;
}
