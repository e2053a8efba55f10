#ifndef CURSORWIRE_SRC_WIRE_SELECTED_CONTEXT_H_
#define CURSORWIRE_SRC_WIRE_SELECTED_CONTEXT_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire {

// The blob that `UserMessage.conversation_state_blob_id` names: the state before the message. It is
// a ConversationStateStructure of which the small clients write two fields, and is optional.
// Source: docs/protocol.md, user message.
struct SelectedContextBlob {
  std::vector<std::string> root_prompt_blob_ids{};  // 1: SHA-256 values, 32 bytes each
  std::string client_name{};                        // 22: agent_type; left out if empty

  friend bool operator==(const SelectedContextBlob&, const SelectedContextBlob&) = default;
};

constexpr size_t kBlobIdBytes = 32;

//   kInvalidArgument  an id is not of 32 bytes, or the name is not UTF-8
absl::StatusOr<std::string> EncodeSelectedContextBlob(const SelectedContextBlob& blob);

// Fields of other numbers are skipped; of several names the last holds.
//   kInternal  truncated, a broken varint, another wire type, an id that is not of 32 bytes, or a
//              name that is not UTF-8; the message names the field
absl::StatusOr<SelectedContextBlob> DecodeSelectedContextBlob(std::string_view bytes);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_WIRE_SELECTED_CONTEXT_H_
