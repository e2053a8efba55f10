#include "collab/oct/envelope.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "collab/oct/msgpack.h"
#include "json/json_member.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;

struct KindName {
  EnvelopeKind kind = EnvelopeKind::kOther;
  std::string_view name{};
};
constexpr std::array<KindName, 6> kKindNames = {
    KindName{.kind = EnvelopeKind::kRequest, .name = "request"},
    KindName{.kind = EnvelopeKind::kResponse, .name = "response"},
    KindName{.kind = EnvelopeKind::kResponseError, .name = "response-error"},
    KindName{.kind = EnvelopeKind::kNotification, .name = "notification"},
    KindName{.kind = EnvelopeKind::kBroadcast, .name = "broadcast"},
    KindName{.kind = EnvelopeKind::kError, .name = "error"},
};

// Up to here every whole number of JavaScript is exact.
constexpr double kLargestExactNumber = 9007199254740991;  // 2^53 - 1

absl::Status BadMember(std::string_view name) {
  return InvalidArgument(
      absl::StrCat("message of a room: ", ToAbsl(name), " is missing or of the wrong type"));
}

EnvelopeKind KindOf(std::string_view name) {
  const auto* const found =
      std::find_if(kKindNames.begin(), kKindNames.end(),
                   [name](const KindName& known) { return known.name == name; });
  return found == kKindNames.end() ? EnvelopeKind::kOther : found->kind;
}

absl::Status ReadText(const json& object, std::string_view name, std::string& text) {
  const json& member = MemberOf(object, name);
  if (!member.is_string()) return BadMember(name);
  text = member.get_ref<const std::string&>();
  return absl::OkStatus();
}

// The server may also say that it is itself the origin or target by leaving it out.
absl::Status ReadPeerId(const json& message, std::string_view name, std::string& id) {
  if (MemberOf(message, name).is_null()) return absl::OkStatus();
  return ReadText(message, name, id);
}

absl::Status ReadId(const json& message, RequestId& id) {
  const json& member = MemberOf(message, "id");
  if (member.is_string()) {
    id = member.get<std::string>();
    return absl::OkStatus();
  }
  if (!member.is_number()) return BadMember("id");
  const auto number = member.get<double>();
  if (std::trunc(number) != number || std::abs(number) > kLargestExactNumber)
    return BadMember("id");
  id = static_cast<int64_t>(number);
  return absl::OkStatus();
}

absl::Status ReadKeys(const json& metadata, std::vector<KeyEntry>& keys) {
  const json& list = MemberOf(MemberOf(metadata, "encryption"), "keys");
  if (list.is_null()) return absl::OkStatus();
  if (!list.is_array()) return BadMember("keys");
  for (const json& member : list) {
    KeyEntry entry;
    absl::Status status = ReadText(member, "target", entry.target);
    status.Update(ReadText(member, "key", entry.key));
    status.Update(ReadText(member, "iv", entry.iv));
    if (!status.ok()) return status;
    keys.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::Status ReadMetadata(const json& message, Envelope& envelope) {
  const json& metadata = MemberOf(message, "metadata");
  if (absl::Status status = ReadKeys(metadata, envelope.keys); !status.ok()) return status;
  const json& algorithm = MemberOf(MemberOf(metadata, "compression"), "algorithm");
  if (algorithm.is_null()) return absl::OkStatus();
  return ReadText(metadata["compression"], "algorithm", envelope.compression);
}

// Moves the content out of `message`.
absl::Status ReadContent(json& message, Envelope& envelope) {
  const auto member = message.find("content");
  if (member == message.end()) return BadMember("content");
  if (member->is_object()) {
    envelope.content = std::move(*member);
  } else if (member->is_binary()) {
    const json::binary_t& bytes = member->get_binary();
    envelope.content = EncryptedContent{.bytes = std::string(bytes.begin(), bytes.end())};
  } else {
    return BadMember("content");
  }
  return absl::OkStatus();
}

json KeysToJson(const std::vector<KeyEntry>& keys) {
  json list = json::array();
  for (const KeyEntry& entry : keys) {
    list.push_back({{"target", entry.target}, {"key", entry.key}, {"iv", entry.iv}});
  }
  return list;
}

json ContentToJson(const Envelope& envelope) {
  if (const auto* const clear = std::get_if<json>(&envelope.content)) return *clear;
  const std::string& bytes = std::get<EncryptedContent>(envelope.content).bytes;
  return json::binary(json::binary_t::container_type(bytes.begin(), bytes.end()));
}

}  // namespace

absl::StatusOr<Envelope> ReadEnvelope(std::string_view bytes) {
  absl::StatusOr<json> message = ReadMsgpack(bytes);
  if (!message.ok()) return std::move(message).status();
  if (!message->is_object()) return InvalidArgument("message of a room: it is no map");
  Envelope envelope;
  std::string kind;
  absl::Status status = ReadText(*message, "version", envelope.version);
  status.Update(ReadText(*message, "kind", kind));
  if (!status.ok()) return status;
  envelope.kind = KindOf(kind);
  if (envelope.kind == EnvelopeKind::kOther) return envelope;
  status = ReadMetadata(*message, envelope);
  if (HasId(envelope.kind)) status.Update(ReadId(*message, envelope.id));
  if (HasOrigin(envelope.kind)) status.Update(ReadPeerId(*message, "origin", envelope.origin));
  if (HasTarget(envelope.kind)) status.Update(ReadPeerId(*message, "target", envelope.target));
  status.Update(ReadContent(*message, envelope));
  if (!status.ok()) return status;
  return envelope;
}

std::string WriteEnvelope(const Envelope& envelope) {
  const EnvelopeKind kind = envelope.kind;
  const auto* const known =
      std::find_if(kKindNames.begin(), kKindNames.end(),
                   [kind](const KindName& name) { return name.kind == kind; });
  if (known == kKindNames.end()) return "";
  json message = {{"version", envelope.version},
                  {"kind", known->name},
                  {"metadata",
                   {{"encryption", {{"keys", KeysToJson(envelope.keys)}}},
                    {"compression", {{"algorithm", envelope.compression}}}}},
                  {"content", ContentToJson(envelope)}};
  if (HasId(kind)) {
    std::visit([&message](const auto& id) { message["id"] = id; }, envelope.id);
  }
  if (HasOrigin(kind)) message["origin"] = envelope.origin;
  if (HasTarget(kind)) message["target"] = envelope.target;
  return WriteMsgpack(std::move(message));
}

}  // namespace cursorwire::oct
