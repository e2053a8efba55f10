#include "collab/repo/repo_message.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>

#include "base/strings.h"
#include "collab/cbor/cbor.h"
#include "collab/cbor/cbor_value.h"

namespace cursorwire::collab {
namespace {

constexpr std::string_view kVersion = "1";

// Takes members of a message; the first that is missing or of another kind makes an error.
class Members {
 public:
  explicit Members(const CborValue& message) : message_(message) {}

  std::string Text(std::string_view key) {
    const CborValue* const value = message_.Find(key);
    const auto* const text = value == nullptr ? nullptr : value->As<std::string>();
    if (text != nullptr) return *text;
    Fail(key, "no text");
    return "";
  }
  // Empty where it is missing.
  std::string OptionalText(std::string_view key) {
    const CborValue* const value = message_.Find(key);
    if (value == nullptr || value->is_undefined()) return "";
    return Text(key);
  }
  std::string Bytes(std::string_view key) {
    const CborValue* const value = message_.Find(key);
    const auto* const bytes = value == nullptr ? nullptr : value->As<CborValue::Bytes>();
    if (bytes != nullptr) return bytes->bytes;
    Fail(key, "no bytes");
    return "";
  }
  int64_t Integer(std::string_view key) {
    const CborValue* const value = message_.Find(key);
    const std::optional<int64_t> integer = value == nullptr ? std::nullopt : value->AsInteger();
    if (!integer) Fail(key, "no whole number");
    return integer.value_or(0);
  }

  template <typename Message>
  absl::StatusOr<RepoMessage> Done(Message message) {
    if (!status_.ok()) return status_;
    return RepoMessage(std::move(message));
  }

 private:
  void Fail(std::string_view key, std::string_view why) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("the member ", ToAbsl(key), " of a message is ", ToAbsl(why)));
    }
  }

  const CborValue& message_;
  absl::Status status_;
};

JoinMessage ReadJoin(Members& members, const CborValue& message) {
  JoinMessage join{.sender = members.Text("senderId"), .is_ephemeral = false};
  if (const CborValue* const metadata = message.Find("peerMetadata")) {
    const CborValue* const value = metadata->Find("isEphemeral");
    const auto* const is_ephemeral = value == nullptr ? nullptr : value->As<bool>();
    join.is_ephemeral = is_ephemeral != nullptr && *is_ephemeral;
  }
  return join;
}

// Evaluated in this order, so that the error is about the first member.
DocumentMessage ReadDocumentMessage(Members& members, bool request) {
  return {.request = request,
          .sender = members.Text("senderId"),
          .target = members.Text("targetId"),
          .document = members.Text("documentId"),
          .data = members.Bytes("data")};
}

EphemeralMessage ReadEphemeral(Members& members) {
  return {.sender = members.Text("senderId"),
          .target = members.Text("targetId"),
          .document = members.Text("documentId"),
          .session = members.Text("sessionId"),
          .count = members.Integer("count"),
          .data = members.Bytes("data")};
}

// --- writing

class Map {
 public:
  explicit Map(const char* type) { Text("type", type); }

  Map& Text(const char* key, std::string_view text) {
    members_.emplace_back(CborValue(key), CborValue(text));
    return *this;
  }
  Map& Bytes(const char* key, std::string bytes) {
    members_.emplace_back(CborValue(key), CborValue(CborValue::Bytes{std::move(bytes)}));
    return *this;
  }
  Map& Value(const char* key, CborValue value) {
    members_.emplace_back(CborValue(key), std::move(value));
    return *this;
  }
  std::string Write() { return WriteCbor(CborValue(std::move(members_))); }

 private:
  CborValue::Map members_;
};

std::string Write(const JoinMessage& join) {
  CborValue::Map metadata;
  metadata.emplace_back(CborValue("isEphemeral"), CborValue(join.is_ephemeral));
  CborValue::Array versions;
  versions.emplace_back(kVersion);
  return Map("join")
      .Text("senderId", join.sender)
      .Value("peerMetadata", CborValue(std::move(metadata)))
      .Value("supportedProtocolVersions", CborValue(std::move(versions)))
      .Write();
}
std::string Write(const PeerMessage& peer) {
  return Map("peer")
      .Text("senderId", peer.sender)
      .Value("peerMetadata", CborValue(CborValue::Map()))
      .Text("selectedProtocolVersion", peer.version)
      .Text("targetId", peer.target)
      .Write();
}
std::string Write(const DocumentMessage& message) {
  return Map(message.request ? "request" : "sync")
      .Text("senderId", message.sender)
      .Text("targetId", message.target)
      .Text("documentId", message.document)
      .Bytes("data", message.data)
      .Write();
}
std::string Write(const UnavailableMessage& message) {
  return Map("doc-unavailable")
      .Text("senderId", message.sender)
      .Text("targetId", message.target)
      .Text("documentId", message.document)
      .Write();
}
std::string Write(const EphemeralMessage& message) {
  return Map("ephemeral")
      .Text("senderId", message.sender)
      .Text("targetId", message.target)
      .Value("count", CborValue(message.count))
      .Text("sessionId", message.session)
      .Text("documentId", message.document)
      .Bytes("data", message.data)
      .Write();
}
std::string Write(const LeaveMessage& message) {
  return Map("leave").Text("senderId", message.sender).Write();
}
std::string Write(const ErrorMessage& message) {
  return Map("error").Text("message", message.message).Write();
}
std::string Write(const OtherMessage& /*message*/) { return ""; }

}  // namespace

absl::StatusOr<RepoMessage> ReadRepoMessage(std::string_view bytes) {
  const absl::StatusOr<CborValue> message = ReadCbor(bytes);
  if (!message.ok()) return message.status();
  const CborValue* const type = message->Find("type");
  const auto* const name = type == nullptr ? nullptr : type->As<std::string>();
  if (name == nullptr) return absl::InvalidArgumentError("a message without a type");
  Members members(*message);
  if (*name == "join") return members.Done(ReadJoin(members, *message));
  if (*name == "peer") {
    PeerMessage peer{.sender = members.Text("senderId"),
                     .target = members.OptionalText("targetId"),
                     .version = members.Text("selectedProtocolVersion")};
    return members.Done(std::move(peer));
  }
  if (*name == "sync" || *name == "request") {
    return members.Done(ReadDocumentMessage(members, *name == "request"));
  }
  if (*name == "doc-unavailable") {
    UnavailableMessage unavailable{.sender = members.Text("senderId"),
                                   .target = members.Text("targetId"),
                                   .document = members.Text("documentId")};
    return members.Done(std::move(unavailable));
  }
  if (*name == "ephemeral") return members.Done(ReadEphemeral(members));
  if (*name == "leave") return members.Done(LeaveMessage{.sender = members.Text("senderId")});
  if (*name == "error")
    return members.Done(ErrorMessage{.message = members.OptionalText("message")});
  return RepoMessage(OtherMessage{.type = *name});
}

std::string WriteRepoMessage(const RepoMessage& message) {
  return std::visit([](const auto& kind) { return Write(kind); }, message);
}

}  // namespace cursorwire::collab
