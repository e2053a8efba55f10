// Looks for the common updates of a turn in a message of the server, without a parser, and compares
// with what the parser finds.
//
// Input: all of it is the bytes of an AgentServerMessage; also, it is the text of an update, which
// is written in each of the usual ways.

#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/events/common_update.h"
#include "agent/events/drift.h"
#include "agent/run/server_message.h"
#include "agent/v1/run.pb.h"
#include "base/strings.h"
#include "support/harness.h"

namespace {

namespace pb = agent::v1;

using cursorwire::agent::CommonUpdate;
using cursorwire::agent::FindCommonUpdate;
using cursorwire::fuzz::Check;
using Kind = CommonUpdate::Kind;

void CheckSame(const CommonUpdate& found, const pb::InteractionUpdate& parsed) {
  switch (found.kind) {
    case Kind::kText:
      Check(parsed.has_text_delta() && !parsed.text_delta().is_server_notice());
      return Check(parsed.text_delta().text() == found.text);
    case Kind::kThinking:
      Check(parsed.has_thinking_delta());
      return Check(parsed.thinking_delta().text() == found.text);
    case Kind::kTokens:
      Check(parsed.has_token_delta());
      return Check(parsed.token_delta().tokens() == found.tokens);
    case Kind::kHeartbeat:
      return Check(parsed.has_heartbeat());
  }
}

void CheckMessage(std::string_view bytes) {
  const std::optional<CommonUpdate> found = FindCommonUpdate(bytes);
  if (!found) return;
  pb::AgentServerMessage message;
  Check(cursorwire::agent::ParseServerMessage(bytes, message).ok());
  Check(message.message_case() == pb::AgentServerMessage::kInteractionUpdate);
  Check(cursorwire::agent::HasNoDrift(message));
  Check(cursorwire::agent::IsSignOfLife(message) == (found->kind == Kind::kHeartbeat));
  CheckSame(*found, message.interaction_update());
}

void CheckFound(const pb::AgentServerMessage& message, Kind kind) {
  const std::string bytes = message.SerializeAsString();
  const std::optional<CommonUpdate> found = FindCommonUpdate(bytes);
  Check(found.has_value() && found->kind == kind);
  CheckSame(*found, message.interaction_update());
}

// What a parser takes and is written in the usual way is found.
void CheckText(const std::string& text) {
  pb::AgentServerMessage message;
  pb::InteractionUpdate& update = *message.mutable_interaction_update();
  update.mutable_text_delta()->set_text(text);
  CheckFound(message, Kind::kText);
  update.set_message_started_at_ms(text.size());
  CheckFound(message, Kind::kText);
  update.mutable_thinking_delta()->set_text(text);
  CheckFound(message, Kind::kThinking);
  update.mutable_thinking_delta()->set_thinking_style(pb::THINKING_STYLE_CODEX);
  CheckFound(message, Kind::kThinking);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const google::protobuf::LogSilencer silencer;  // silences its complaints about bad UTF-8
  CheckMessage(input);
  if (!input.empty() && cursorwire::IsUtf8(input)) CheckText(std::string(input));
  return 0;
}
