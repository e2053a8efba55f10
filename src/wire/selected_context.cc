#include "wire/selected_context.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"

namespace cursorwire {
namespace {

constexpr uint32_t kRootPromptMessages = 1;  // docs/protocol.md, fresh conversation state
constexpr uint32_t kAgentType = 22;

absl::Status Bad(std::string_view what) {
  return ProtocolError(absl::StrCat("selected context: ", ToAbsl(what)));
}

absl::Status Take(const wire::ProtoField& field, SelectedContextBlob& blob) {
  if (field.number != kRootPromptMessages && field.number != kAgentType) return absl::OkStatus();
  const bool is_id = field.number == kRootPromptMessages;
  if (field.type != wire::WireType::kLength) {
    return Bad(absl::StrCat("field ", is_id ? "root_prompt_messages_json" : "agent_type",
                            " has wire type ", static_cast<int>(field.type)));
  }
  if (is_id) {
    if (field.bytes.size() != kBlobIdBytes) {
      return Bad(absl::StrCat("field root_prompt_messages_json has an id of ", field.bytes.size(),
                              " bytes, not ", kBlobIdBytes));
    }
    blob.root_prompt_blob_ids.emplace_back(field.bytes);
    return absl::OkStatus();
  }
  if (!IsUtf8(field.bytes)) return Bad("field agent_type is not UTF-8");
  blob.client_name = field.bytes;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> EncodeSelectedContextBlob(const SelectedContextBlob& blob) {
  wire::ProtoWriter writer;
  for (const std::string& id : blob.root_prompt_blob_ids) {
    if (id.size() != kBlobIdBytes) {
      return LocalError(absl::StatusCode::kInvalidArgument,
                        absl::StrCat("selected context: a blob id has ", id.size(), " bytes, not ",
                                     kBlobIdBytes));
    }
    writer.Bytes(kRootPromptMessages, id);
  }
  if (!IsUtf8(blob.client_name)) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "selected context: the client name is not UTF-8");
  }
  if (!blob.client_name.empty()) writer.Bytes(kAgentType, blob.client_name);
  return std::move(writer).message();
}

absl::StatusOr<SelectedContextBlob> DecodeSelectedContextBlob(std::string_view bytes) {
  SelectedContextBlob blob;
  wire::ProtoReader reader(bytes);
  for (;;) {
    const absl::StatusOr<std::optional<wire::ProtoField>> field = reader.Next();
    if (!field.ok()) return Annotate(field.status(), "selected context");
    if (!field->has_value()) return blob;
    if (absl::Status status = Take(**field, blob); !status.ok()) return status;
  }
}

}  // namespace cursorwire
