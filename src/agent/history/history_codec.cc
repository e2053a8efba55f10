#include "agent/history/history_codec.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"

namespace cursorwire::agent {
namespace {

using wire::ProtoField;
using wire::ProtoReader;
using wire::ProtoWriter;
using wire::WireType;

// Fields of a turn.
constexpr uint32_t kPrompt = 1;
constexpr uint32_t kImages = 2;
constexpr uint32_t kText = 3;
constexpr uint32_t kToolCall = 4;
constexpr uint32_t kEnding = 5;  // a TurnEnding; absent: kCompleted
// Fields of a tool call.
constexpr uint32_t kCallId = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kArguments = 3;
constexpr uint32_t kResult = 4;
constexpr uint32_t kIsError = 5;

std::string EncodeToolCall(const HistoryToolCall& call) {
  ProtoWriter writer;
  writer.Bytes(kCallId, call.call_id);
  writer.Bytes(kName, call.name);
  writer.Bytes(kArguments, call.arguments_json);
  writer.Bytes(kResult, call.result);
  writer.Bool(kIsError, call.is_error);
  return std::move(writer).message();
}

absl::Status Damaged() {
  return LocalError(absl::StatusCode::kDataLoss, "a turn of the history is damaged");
}

// Calls `take` with each field; false from it, or bytes that are not fields, are damage.
template <typename Take>
absl::Status VisitFields(std::string_view bytes, Take take) {
  ProtoReader reader(bytes);
  for (;;) {
    const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
    if (!field.ok()) return Damaged();
    if (!field->has_value()) return absl::OkStatus();
    if (!take(**field)) return Damaged();
  }
}

bool TakeText(const ProtoField& field, std::string& text) {
  if (field.type != WireType::kLength || !IsUtf8(field.bytes)) return false;
  text = std::string(field.bytes);
  return true;
}

absl::StatusOr<HistoryToolCall> DecodeToolCall(std::string_view bytes) {
  HistoryToolCall call;
  const absl::Status status = VisitFields(bytes, [&call](const ProtoField& field) {
    switch (field.number) {
      case kCallId:
        return TakeText(field, call.call_id);
      case kName:
        return TakeText(field, call.name);
      case kArguments:
        return TakeText(field, call.arguments_json);
      case kResult:
        return TakeText(field, call.result);
      case kIsError:
        call.is_error = field.scalar != 0;
        return field.type == WireType::kVarint;
      default:
        return true;
    }
  });
  if (!status.ok()) return status;
  return call;
}

bool TakeItem(const ProtoField& field, HistoryTurn& turn) {
  if (field.number == kText) {
    HistoryText text;
    if (!TakeText(field, text.text)) return false;
    turn.items.emplace_back(std::move(text));
    return true;
  }
  if (field.type != WireType::kLength) return false;
  absl::StatusOr<HistoryToolCall> call = DecodeToolCall(field.bytes);
  if (!call.ok()) return false;
  turn.items.emplace_back(*std::move(call));
  return true;
}

}  // namespace

std::string EncodeTurn(const HistoryTurn& turn) {
  ProtoWriter writer;
  writer.Bytes(kPrompt, turn.prompt);
  writer.Varint(kImages, turn.images);
  for (const HistoryItem& item : turn.items) {
    if (const auto* text = std::get_if<HistoryText>(&item)) {
      writer.Bytes(kText, text->text);
    } else {
      writer.Bytes(kToolCall, EncodeToolCall(std::get<HistoryToolCall>(item)));
    }
  }
  if (turn.ending != TurnEnding::kCompleted) {
    writer.Varint(kEnding, static_cast<uint64_t>(turn.ending));
  }
  return std::move(writer).message();
}

absl::StatusOr<HistoryTurn> DecodeTurn(std::string_view bytes) {
  HistoryTurn turn;
  const absl::Status status = VisitFields(bytes, [&turn](const ProtoField& field) {
    switch (field.number) {
      case kPrompt:
        return TakeText(field, turn.prompt);
      case kImages:
        turn.images = field.scalar;
        return field.type == WireType::kVarint;
      case kText:
      case kToolCall:
        return TakeItem(field, turn);
      case kEnding:
        turn.ending = static_cast<TurnEnding>(
            std::min(field.scalar, static_cast<uint64_t>(TurnEnding::kFailed)));
        return field.type == WireType::kVarint;
      default:
        return true;
    }
  });
  if (!status.ok()) return status;
  return turn;
}

std::string ExtendFingerprint(std::string_view fingerprint, const HistoryTurn& turn) {
  return Sha256(std::string(fingerprint) + Sha256(EncodeTurn(turn)));
}

std::string FingerprintOf(const std::vector<HistoryTurn>& turns) {
  std::string fingerprint;
  for (const HistoryTurn& turn : turns) fingerprint = ExtendFingerprint(fingerprint, turn);
  return fingerprint;
}

}  // namespace cursorwire::agent
