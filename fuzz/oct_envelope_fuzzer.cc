// Reads what a stranger in a room sends: MessagePack, and messages in it. What was read is written,
// and stays as it is.
//
// Input: byte 0 is 0: one value of MessagePack. 1: a message.

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "base/strings.h"
#include "collab/oct/envelope.h"
#include "collab/oct/msgpack.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::IsUtf8;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using cursorwire::oct::EncryptedContent;
using cursorwire::oct::Envelope;
using cursorwire::oct::EnvelopeKind;
using cursorwire::oct::kMaxMsgpackDepth;
using cursorwire::oct::kMaxMsgpackValues;
using cursorwire::oct::ReadEnvelope;
using cursorwire::oct::ReadMsgpack;
using cursorwire::oct::WriteEnvelope;
using cursorwire::oct::WriteMsgpack;
using nlohmann::json;

// Returns how many values there are.
size_t CheckBounds(const json& value, size_t depth) {
  Check(depth <= kMaxMsgpackDepth);
  if (value.is_string()) Check(IsUtf8(value.get_ref<const std::string&>()));
  size_t values = 1;
  if (!value.is_structured()) return values;
  for (const json& element : value) {
    values += CheckBounds(element, depth + (element.is_structured() ? 1 : 0));
  }
  return values;
}

// Compares bytes: a float that is not a number does not equal itself.
void ReadAValue(std::string_view bytes) {
  const absl::StatusOr<json> value = ReadMsgpack(bytes);
  if (!value.ok()) return;
  Check(CheckBounds(*value, value->is_structured() ? 1 : 0) <= kMaxMsgpackValues);
  const std::string written = WriteMsgpack(*value);
  const absl::StatusOr<json> again = ReadMsgpack(written);
  Check(again.ok() && WriteMsgpack(*again) == written);
}

void ReadAMessage(std::string_view bytes) {
  const absl::StatusOr<Envelope> message = ReadEnvelope(bytes);
  if (!message.ok()) return;
  Check(IsUtf8(message->version) && IsUtf8(message->origin) && IsUtf8(message->target));
  const std::string written = WriteEnvelope(*message);
  if (message->kind == EnvelopeKind::kOther) return Check(written.empty());
  const absl::StatusOr<Envelope> again = ReadEnvelope(written);
  Check(again.ok() && WriteEnvelope(*again) == written);
  Check(again->id == message->id && again->keys == message->keys);
  if (const auto* const encrypted = std::get_if<EncryptedContent>(&message->content)) {
    Check(std::get<EncryptedContent>(again->content) == *encrypted);
  } else {
    Check(std::get<json>(again->content).is_object());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr void (*kReaders[])(std::string_view) = {ReadAValue, ReadAMessage};
  FuzzedInput input(data, size);
  const auto reader = kReaders[input.TakeByte() % std::size(kReaders)];
  reader(input.TakeRest());
  return 0;
}
