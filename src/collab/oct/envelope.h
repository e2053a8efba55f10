#ifndef CURSORWIRE_SRC_COLLAB_OCT_ENVELOPE_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ENVELOPE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collab/oct/key_entry.h"

namespace cursorwire::oct {

// The messages of a room, one in each message of socket.io: docs/collab/oct.md, "Envelope".

inline constexpr std::string_view kProtocolVersion = "0.3.1";
inline constexpr std::string_view kNoCompression = "none";
inline constexpr std::string_view kGzipCompression = "gzip";

enum class EnvelopeKind : uint8_t {
  kRequest,
  kResponse,
  kResponseError,
  kNotification,
  kBroadcast,
  kError,
  kOther,  // a kind that is not known
};

// Which members a kind has on the wire besides version, metadata and content.
constexpr bool HasId(EnvelopeKind kind) {
  return kind == EnvelopeKind::kRequest || kind == EnvelopeKind::kResponse ||
         kind == EnvelopeKind::kResponseError;
}
constexpr bool HasOrigin(EnvelopeKind kind) {
  return kind == EnvelopeKind::kRequest || kind == EnvelopeKind::kNotification ||
         kind == EnvelopeKind::kBroadcast;
}
constexpr bool HasTarget(EnvelopeKind kind) {
  return kind == EnvelopeKind::kRequest || kind == EnvelopeKind::kNotification;
}

using RequestId = std::variant<int64_t, std::string>;

// Content that RoomCipher has encrypted; within it is WriteMsgpack() of what else would stand here.
struct EncryptedContent {
  std::string bytes{};

  friend bool operator==(const EncryptedContent&, const EncryptedContent&) = default;
};

struct Envelope {
  // Of the protocol. Not judged here: the reader of a foreign version must do it.
  std::string version{kProtocolVersion};
  EnvelopeKind kind = EnvelopeKind::kOther;
  std::vector<KeyEntry> keys{};
  std::string compression{kNoCompression};
  RequestId id{};        // if HasId()
  std::string origin{};  // if HasOrigin(): the server itself if empty; set by it on what we send
  std::string target{};  // if HasTarget(): the server itself if empty
  // Clear: an object. {method, params?} in requests, notifications and broadcasts, {response},
  // or {message} in both kinds of errors; those members are not looked at.
  std::variant<nlohmann::json, EncryptedContent> content{};

  friend bool operator==(const Envelope&, const Envelope&) = default;
};

// Members that are not known are left out, and of kOther all but the version.
//   kInvalidArgument    no map of msgpack, or it lacks a member that its kind needs, or has one of
//                       the wrong type; the message says which
//   kResourceExhausted  over a limit of ReadMsgpack()
absl::StatusOr<Envelope> ReadEnvelope(std::string_view bytes);
// "" for kOther.
std::string WriteEnvelope(const Envelope& envelope);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ENVELOPE_H_
