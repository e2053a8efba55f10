#include "client/conversation/session_codec.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/history/history_codec.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"

namespace cursorwire {
namespace {

using wire::ProtoField;
using wire::ProtoReader;
using wire::ProtoWriter;
using wire::WireType;

constexpr std::string_view kFormat = "cursorwire session ";
constexpr std::string_view kVersion = "1\n";
constexpr size_t kMaxTitleBytes = 80;
constexpr size_t kMaxFolderBytes = 4096;
constexpr uint64_t kLastMillisecond = 9'000'000'000'000;  // in the year 2255: clocks hold it

// Fields of the file.
constexpr uint32_t kHead = 1;
constexpr uint32_t kId = 2;
constexpr uint32_t kRules = 3;
constexpr uint32_t kBroken = 4;  // RebuildReason + 1
constexpr uint32_t kTurn = 5;
constexpr uint32_t kHistoryHash = 6;  // of all above
constexpr uint32_t kState = 7;
constexpr uint32_t kStateFingerprint = 8;
constexpr uint32_t kStateHash = 9;  // of both
constexpr uint32_t kBlob = 10;
// Fields of the head.
constexpr uint32_t kTitle = 1;
constexpr uint32_t kModel = 2;
constexpr uint32_t kFolder = 3;
constexpr uint32_t kTurns = 4;
constexpr uint32_t kUpdated = 5;

absl::Status Damaged(std::string_view what) {
  return LocalError(absl::StatusCode::kDataLoss, what);
}

std::string EncodeHead(const SessionHead& head) {
  ProtoWriter writer;
  writer.Bytes(kTitle, head.title);
  writer.Bytes(kModel, head.model);
  writer.Bytes(kFolder, Utf8Prefix(head.folder, kMaxFolderBytes));
  writer.Varint(kTurns, head.turns);
  writer.Varint(kUpdated, static_cast<uint64_t>(head.updated_ms));
  return std::move(writer).message();
}

absl::StatusOr<SessionHead> DecodeHead(std::string_view bytes) {
  SessionHead head;
  ProtoReader reader(bytes);
  for (;;) {
    const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
    if (!field.ok()) return Damaged("the head of the session is damaged");
    if (!field->has_value()) return head;
    const std::string text = ToUtf8((*field)->bytes);
    if ((*field)->number == kTitle) head.title = text;
    if ((*field)->number == kModel) head.model = text;
    if ((*field)->number == kFolder) head.folder = text;
    if ((*field)->number == kTurns) head.turns = (*field)->scalar;
    if ((*field)->number == kUpdated) {
      head.updated_ms = static_cast<int64_t>(std::min((*field)->scalar, kLastMillisecond));
    }
  }
}

// What follows the first line.
absl::StatusOr<std::string_view> SkipFirstLine(std::string_view bytes) {
  if (!bytes.starts_with(kFormat)) return Damaged("this is not a session of cursorwire");
  const std::string_view rest = bytes.substr(kFormat.size());
  if (rest.starts_with(kVersion)) return rest.substr(kVersion.size());
  const size_t end = rest.substr(0, 16).find('\n');
  if (end == std::string_view::npos) return Damaged("the first line of the session is damaged");
  return LocalError(absl::StatusCode::kUnimplemented,
                    absl::StrCat("the session is of version ", Printable(rest.substr(0, end), 16),
                                 ", which only a newer version of this program reads"));
}

std::string Chain(std::string_view hash, uint32_t number, std::string_view bytes) {
  return Sha256(absl::StrCat(ToAbsl(hash), number, ":", Sha256(bytes)));
}

// What counts of a field for the hash. A number is never as an empty text.
std::string Hashed(const ProtoField& part) {
  return part.type == WireType::kLength ? std::string(part.bytes) : std::to_string(part.scalar);
}

// Reads the fields in their order.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : reader_(bytes) {}

  absl::StatusOr<SessionContent> Decode() {
    if (absl::Status status = ReadHistory(); !status.ok()) return status;
    ReadState();
    return std::move(content_);
  }

 private:
  // Up to the hash of the history.
  absl::Status ReadHistory() {
    for (;;) {
      const absl::StatusOr<std::optional<ProtoField>> field = reader_.Next();
      if (!field.ok() || !field->has_value()) return Damaged("the session is cut off");
      const ProtoField& part = **field;
      if (part.number == kHistoryHash) {
        return part.bytes == hash_ ? absl::OkStatus()
                                   : Damaged("the history of the session is damaged");
      }
      if (absl::Status status = ReadPart(part); !status.ok()) return status;
    }
  }

  absl::Status ReadPart(const ProtoField& part) {
    ConversationSnapshot& snapshot = content_.snapshot;
    hash_ = Chain(hash_, part.number, Hashed(part));
    if (part.number == kHead) {
      absl::StatusOr<SessionHead> head = DecodeHead(part.bytes);
      if (!head.ok()) return head.status();
      snapshot.model = head->model;
      content_.head = *std::move(head);
    } else if (part.number == kId || part.number == kRules) {
      if (!IsUtf8(part.bytes)) return Damaged("a text of the session is not UTF-8");
      (part.number == kId ? snapshot.id : snapshot.rules) = std::string(part.bytes);
    } else if (part.number == kBroken) {
      snapshot.broken = ToReason(part.scalar);
    } else if (part.number == kTurn) {
      absl::StatusOr<HistoryTurn> turn = agent::DecodeTurn(part.bytes);
      if (!turn.ok()) return turn.status();
      snapshot.history.push_back(*std::move(turn));
    }
    return absl::OkStatus();
  }

  static RebuildReason ToReason(uint64_t number) {
    constexpr auto kLast = static_cast<uint64_t>(RebuildReason::kStateTooLarge);
    if (number == 0 || number > kLast + 1) return RebuildReason::kStateDamaged;
    return static_cast<RebuildReason>(number - 1);
  }

  // What is damaged here costs the state alone.
  void ReadState() {
    ConversationSnapshot& snapshot = content_.snapshot;
    std::string hash;
    bool sealed = false;
    for (;;) {
      const absl::StatusOr<std::optional<ProtoField>> field = reader_.Next();
      if (!field.ok()) return Break(RebuildReason::kStateDamaged);
      if (!field->has_value()) break;
      const ProtoField& part = **field;
      if (part.number == kStateHash) {
        sealed = part.bytes == hash;
      } else if (part.number == kBlob) {
        if (part.type != WireType::kLength) return Break(RebuildReason::kStateDamaged);
        content_.blobs.emplace_back(part.bytes);
      } else {
        hash = Chain(hash, part.number, Hashed(part));
        if (part.number == kState) snapshot.state = std::string(part.bytes);
        if (part.number == kStateFingerprint) snapshot.state_fingerprint = std::string(part.bytes);
      }
    }
    if (!sealed) Break(RebuildReason::kStateDamaged);
  }

  void Break(RebuildReason reason) {
    ConversationSnapshot& snapshot = content_.snapshot;
    snapshot.state.clear();
    snapshot.state_fingerprint.clear();
    if (!snapshot.broken) snapshot.broken = reason;
  }

  ProtoReader reader_;
  SessionContent content_;
  std::string hash_;
};

}  // namespace

std::string EncodeSession(const SessionContent& content) {
  const ConversationSnapshot& snapshot = content.snapshot;
  ProtoWriter writer;
  std::string hash;
  const auto add = [&writer, &hash](uint32_t number, std::string_view bytes) {
    writer.Bytes(number, bytes);
    hash = Chain(hash, number, bytes);
  };
  SessionHead head = content.head;
  head.model = snapshot.model;
  head.turns = snapshot.history.size();
  add(kHead, EncodeHead(head));
  add(kId, snapshot.id);
  add(kRules, snapshot.rules);
  if (snapshot.broken) {
    const auto reason = static_cast<uint64_t>(*snapshot.broken) + 1;
    writer.Varint(kBroken, reason);
    hash = Chain(hash, kBroken, std::to_string(reason));
  }
  for (const HistoryTurn& turn : snapshot.history) add(kTurn, agent::EncodeTurn(turn));
  writer.Bytes(kHistoryHash, hash);
  hash.clear();
  add(kState, snapshot.state);
  add(kStateFingerprint, snapshot.state_fingerprint);
  writer.Bytes(kStateHash, hash);
  for (const std::string& blob : content.blobs) writer.Bytes(kBlob, blob);
  return absl::StrCat(ToAbsl(kFormat), ToAbsl(kVersion), writer.message());
}

absl::StatusOr<SessionContent> DecodeSession(std::string_view bytes) {
  const absl::StatusOr<std::string_view> fields = SkipFirstLine(bytes);
  if (!fields.ok()) return fields.status();
  return Decoder(*fields).Decode();
}

absl::StatusOr<SessionHead> DecodeSessionHead(std::string_view bytes) {
  const absl::StatusOr<std::string_view> fields = SkipFirstLine(bytes);
  if (!fields.ok()) return fields.status();
  ProtoReader reader(*fields);
  const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
  if (!field.ok() || !field->has_value() || (*field)->number != kHead) {
    return Damaged("the head of the session is damaged");
  }
  return DecodeHead((*field)->bytes);
}

std::string SessionTitle(std::string_view prompt) {
  std::string title;
  for (const char c : ToUtf8(Utf8Prefix(prompt, kMaxTitleBytes))) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (!is_space && !is_control) {
      title += c;
    } else if (is_space && !title.empty() && title.back() != ' ') {
      title += ' ';
    }
  }
  return title;
}

}  // namespace cursorwire
