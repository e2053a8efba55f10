#include "agent/run/server_message.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>

#include <optional>
#include <string>

#include "agent/run/wire_walk.h"
#include "base/error.h"

namespace cursorwire::agent {

namespace pb = ::agent::v1;

absl::Status ParseServerMessage(std::string_view bytes, pb::AgentServerMessage& message) {
  // A string that is not UTF-8 is an error of ours to report, not protobuf's to print.
  const google::protobuf::LogSilencer silencer;
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  const std::optional<std::string> mended = WithUtf8Strings(bytes, *message.GetDescriptor());
  if (mended && message.ParseFromString(*mended) && message.has_interaction_update()) {
    return absl::OkStatus();
  }
  return ProtocolError(
      absl::StrCat("agent.v1.AgentServerMessage of ", bytes.size(), " bytes does not parse"));
}

bool IsSignOfLife(const pb::AgentServerMessage& message) {
  if (message.message_case() == pb::AgentServerMessage::MESSAGE_NOT_SET) return true;
  if (!message.has_interaction_update()) return false;
  const pb::InteractionUpdate& update = message.interaction_update();
  return update.has_heartbeat() || update.message_case() == pb::InteractionUpdate::MESSAGE_NOT_SET;
}

}  // namespace cursorwire::agent
