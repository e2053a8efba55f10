#include "agent/events/checkpoint_tokens.h"

#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

using wire::ProtoField;
using wire::WireType;

constexpr uint32_t kTokenDetails = 5;  // of ConversationStateStructure
constexpr uint32_t kUsedTokens = 1;    // of ConversationTokenDetails
constexpr uint32_t kLimitTokens = 2;

void ReadDetails(std::string_view details, CheckpointTokens& tokens) {
  wire::ProtoReader reader(details);
  for (;;) {
    const auto field = reader.Next();
    if (!field.ok() || !field->has_value()) return;
    const ProtoField& value = **field;
    if (value.type != WireType::kVarint) continue;
    // The fields have 32 bits.
    if (value.number == kUsedTokens) tokens.used = static_cast<uint32_t>(value.scalar);
    if (value.number == kLimitTokens) tokens.max = static_cast<uint32_t>(value.scalar);
  }
}

}  // namespace

CheckpointTokens ReadCheckpointTokens(std::string_view state) {
  CheckpointTokens tokens;
  wire::ProtoReader reader(state);
  for (;;) {
    const auto field = reader.Next();
    if (!field.ok() || !field->has_value()) return tokens;
    const ProtoField& value = **field;
    if (value.number == kTokenDetails && value.type == WireType::kLength) {
      ReadDetails(value.bytes, tokens);
    }
  }
}

}  // namespace cursorwire::agent
