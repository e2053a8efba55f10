#include "otel/run_facts.h"

#include <limits>

#include "base/strings.h"
#include "wire/proto_reader.h"

namespace cursorwire::otel {
namespace {

using wire::ProtoField;
using wire::WireType;

// No message that is read here has so many before the last that matters.
constexpr int kMaxReadFields = 64;
// Longer ones are left out: attributes are kept, and become names of spans.
constexpr size_t kMaxIdBytes = 256;

// Field numbers, from proto/agent/v1.
enum ClientMessage : uint32_t { kRunRequest = 1, kConversationAction = 4 };
enum RunRequest : uint32_t { kModelDetails = 3, kConversationId = 5, kRequestedModel = 9 };
enum Model : uint32_t { kModelId = 1 };
enum Action : uint32_t { kCancelAction = 3 };
enum ServerMessage : uint32_t { kInteractionUpdate = 1 };
enum Update : uint32_t { kTextDelta = 1, kTurnEnded = 14 };
enum TextDelta : uint32_t { kText = 1, kIsServerNotice = 2 };
enum Usage : uint32_t { kInputTokens = 1, kOutputTokens = 2 };

// Calls `use` with each field, up to the first that is broken.
template <typename Use>
void ForEachField(std::string_view message, Use use) {
  wire::ProtoReader reader(message);
  for (int i = 0; i < kMaxReadFields; ++i) {
    const auto field = reader.Next();
    if (!field.ok() || !field->has_value()) return;
    use(**field);
  }
}

bool IsBytes(const ProtoField& field, uint32_t number) {
  return field.number == number && field.type == WireType::kLength;
}

bool IsNumber(const ProtoField& field, uint32_t number) {
  return field.number == number && field.type == WireType::kVarint;
}

void SetId(std::string_view text, std::string& id) {
  if (!text.empty() && text.size() <= kMaxIdBytes && IsUtf8(text)) id = text;
}

// Of RequestedModel and of ModelDetails.
void SetModelId(std::string_view message, std::string& model) {
  ForEachField(message, [&](const ProtoField& field) {
    if (IsBytes(field, kModelId)) SetId(field.bytes, model);
  });
}

void ReadRequest(std::string_view message, RunFacts& facts) {
  facts.has_request = true;
  ForEachField(message, [&](const ProtoField& field) {
    if (IsBytes(field, kConversationId)) SetId(field.bytes, facts.conversation_id);
    // The requested model comes second and counts.
    if (IsBytes(field, kModelDetails) || IsBytes(field, kRequestedModel)) {
      SetModelId(field.bytes, facts.model);
    }
  });
}

void ReadAction(std::string_view message, RunFacts& facts) {
  ForEachField(message, [&](const ProtoField& field) {
    if (IsBytes(field, kCancelAction)) facts.is_cancelled = true;
  });
}

void ReadText(std::string_view message, RunFacts& facts) {
  bool has_text = false;
  bool is_notice = false;
  ForEachField(message, [&](const ProtoField& field) {
    if (IsBytes(field, kText)) has_text = !field.bytes.empty();
    if (IsNumber(field, kIsServerNotice)) is_notice = field.scalar != 0;
  });
  if (has_text && !is_notice) facts.has_text = true;
}

// A negative count, which is one over the range of int64, counts as none.
std::optional<int64_t> TokensOf(const ProtoField& field) {
  if (field.scalar > uint64_t{std::numeric_limits<int64_t>::max()}) return std::nullopt;
  return static_cast<int64_t>(field.scalar);
}

void ReadEnd(std::string_view message, RunFacts& facts) {
  facts.is_ended = true;
  ForEachField(message, [&](const ProtoField& field) {
    if (IsNumber(field, kInputTokens)) facts.input_tokens = TokensOf(field);
    if (IsNumber(field, kOutputTokens)) facts.output_tokens = TokensOf(field);
  });
}

void ReadUpdate(std::string_view message, RunFacts& facts) {
  ForEachField(message, [&](const ProtoField& field) {
    if (IsBytes(field, kTextDelta) && !facts.has_text) ReadText(field.bytes, facts);
    if (IsBytes(field, kTurnEnded) && !facts.is_ended) ReadEnd(field.bytes, facts);
  });
}

}  // namespace

void AddSent(std::string_view message, RunFacts& facts) {
  ForEachField(message, [&](const ProtoField& field) {
    if (IsBytes(field, kRunRequest) && !facts.has_request) ReadRequest(field.bytes, facts);
    if (IsBytes(field, kConversationAction) && !facts.is_ended) ReadAction(field.bytes, facts);
  });
}

void AddReceived(std::string_view message, RunFacts& facts) {
  if (facts.is_ended) return;
  ForEachField(message, [&](const ProtoField& field) {
    if (IsBytes(field, kInteractionUpdate)) ReadUpdate(field.bytes, facts);
  });
}

}  // namespace cursorwire::otel
