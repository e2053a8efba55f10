// A server of documents that sends anything: what arrives is read, written and read again, and
// given to a session that follows documents.
//
// Input: byte 0 is odd if the server does not answer the session's first message; then steps, each
// of a byte that says what comes, and a piece of the input with its length in two bytes in front.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "collab/cbor/cbor.h"
#include "collab/presence/cursor.h"
#include "collab/repo/document_id.h"
#include "collab/repo/repo_message.h"
#include "collab/repo/repo_session.h"
#include "crdt/automerge/sync_message.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::automerge::Document;
using cursorwire::automerge::SyncMessage;
using cursorwire::collab::CborValue;
using cursorwire::collab::Cursor;
using cursorwire::collab::DocumentId;
using cursorwire::collab::DocumentMessage;
using cursorwire::collab::DocumentOpened;
using cursorwire::collab::EphemeralMessage;
using cursorwire::collab::EphemeralReceived;
using cursorwire::collab::PeerMessage;
using cursorwire::collab::RepoEvent;
using cursorwire::collab::RepoMessage;
using cursorwire::collab::RepoOptions;
using cursorwire::collab::RepoSession;
using cursorwire::collab::SessionFailed;
using cursorwire::collab::TimePoint;
using cursorwire::collab::UnavailableMessage;
using cursorwire::crdt::Unit;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

// Names of tests/golden/automerge_repo.txt, so that its messages are taken.
constexpr const char* kOurId = "peer-b";
constexpr const char* kServerId = "server-peer";

constexpr size_t kMaxInputBytes = 1 << 14;
constexpr int64_t kNow = 1700000000000;  // milliseconds since 1970
// Whole numbers up to here are the same as floats, which greater ones are written as.
constexpr int64_t kLargestExact = int64_t{1} << 53;
// As docs/collab/presence.md says; in bytes, a character has up to 4.
constexpr size_t kMaxShownBytes = size_t{256} * 4;
constexpr size_t kMaxPatternBytes = size_t{4096} * 4;

// Small, so that they are reached.
const RepoOptions kOptions{
    .peer_id = kOurId,
    .session_id = "s",
    .max_ephemeral_bytes = 1000,
    .document = {
        .chunk = {.max_body_bytes = 1 << 16, .max_inflated_bytes = 1 << 18, .max_inflation = 1000},
        .change = {.max_rows = 10000},
        .max_changes = 200,
        .max_ops = 20000,
        .max_actors = 1000}};

// --- what is read

bool IsExact(int64_t number) { return number <= kLargestExact && number >= -kLargestExact; }

// What is written is one of the shortest form, and stays as it is.
void CheckCbor(std::string_view bytes) {
  const absl::StatusOr<CborValue> value = cursorwire::collab::ReadCbor(bytes);
  if (!value.ok()) return;
  const std::string written = cursorwire::collab::WriteCbor(*value);
  const absl::StatusOr<CborValue> again = cursorwire::collab::ReadCbor(written);
  Check(again.ok());
  Check(cursorwire::collab::WriteCbor(*again) == written);
}

void CheckRepoMessage(std::string_view bytes) {
  const absl::StatusOr<RepoMessage> message = cursorwire::collab::ReadRepoMessage(bytes);
  if (!message.ok()) return;
  const std::string written = cursorwire::collab::WriteRepoMessage(*message);
  const absl::StatusOr<RepoMessage> again = cursorwire::collab::ReadRepoMessage(written);
  const bool is_other = message->index() == RepoMessage(cursorwire::collab::OtherMessage()).index();
  Check(written.empty() == is_other);
  if (is_other) return;
  const auto* ephemeral = std::get_if<EphemeralMessage>(&*message);
  if (ephemeral != nullptr && !IsExact(ephemeral->count)) return;
  Check(again.ok() && again->index() == message->index());
  Check(cursorwire::collab::WriteRepoMessage(*again) == written);
  if (ephemeral != nullptr) {
    const auto& read = std::get<EphemeralMessage>(*again);
    Check(read.sender == ephemeral->sender && read.session == ephemeral->session &&
          read.count == ephemeral->count && read.data == ephemeral->data);
  }
  if (const auto* sync = std::get_if<DocumentMessage>(&*message)) {
    const auto& read = std::get<DocumentMessage>(*again);
    Check(read.request == sync->request && read.target == sync->target &&
          read.document == sync->document && read.data == sync->data);
  }
}

void CheckShown(std::string_view text, size_t max_bytes) {
  Check(text.size() <= max_bytes && cursorwire::IsUtf8(text));
  while (!text.empty()) {
    const char32_t character = cursorwire::TakeCharacter(text);
    Check(character >= 0x20 && (character < 0x7f || character >= 0xa0));
  }
}

void CheckCursor(std::string_view bytes) {
  const std::optional<Cursor> cursor = cursorwire::collab::ReadCursor(bytes, kNow);
  if (!cursor) return;
  for (const std::string* text :
       {&cursor->peer_id, &cursor->name, &cursor->type, &cursor->operation_type}) {
    CheckShown(*text, kMaxShownBytes);
  }
  CheckShown(cursor->partial_pattern, kMaxPatternBytes);
  Check(!cursor->peer_id.empty() && !cursor->name.empty() && !cursor->type.empty());
  Check(cursor->color.starts_with('#') && cursor->color.size() <= 9);
  if (!IsExact(cursor->timestamp)) return;
  Check(cursorwire::collab::ReadCursor(cursorwire::collab::WriteCursor(*cursor), kNow) == cursor);
}

// --- a session

class FuzzedServer {
 public:
  explicit FuzzedServer(uint8_t flags) {
    for (const DocumentId& id : {kEmpty, kWritten}) {
      Check(session_.Open(id, id.ToString(), now_).ok());
    }
    Document& document = *session_.Find(kWritten);
    Check(document.MakeText("content").ok());
    Edit(kWritten);
    Connect();
    if ((flags & 1) == 0) Join();
  }

  void Step(FuzzedInput& input) {
    const uint8_t kind = input.TakeByte();
    const std::string_view bytes = input.Take(input.TakeUint16());
    const DocumentId& id = (kind & 0x80) == 0 ? kEmpty : kWritten;
    switch (kind & 0x0f) {
      case 0:
        Receive(bytes);
        break;
      case 1:
        Receive(Write(DocumentMessage{.sender = kServerId,
                                      .target = kOurId,
                                      .document = id.ToString(),
                                      .data = std::string(bytes)}));
        break;
      case 2:
        ReceiveChanges(id, bytes);
        break;
      case 3:
        ReceiveHeads(id, bytes);
        break;
      case 4:
        Receive(Write(EphemeralMessage{.sender = "other",
                                       .target = kOurId,
                                       .document = id.ToString(),
                                       .session = "t",
                                       .count = ++count_,
                                       .data = std::string(bytes)}));
        break;
      case 5:
        Receive(Write(
            UnavailableMessage{.sender = kServerId, .target = kOurId, .document = id.ToString()}));
        break;
      case 6:
        Edit(id);
        break;
      case 7:
        now_ += std::chrono::milliseconds(FuzzedInput(bytes).TakeUint16());
        session_.OnDeadline(now_);
        TakeAll(2);
        // Too early, nothing happens.
        session_.OnDeadline(now_);
        TakeAll(0);
        Check(!session_.deadline() || *session_.deadline() > now_);
        break;
      case 8:
        session_.OnClosed();
        TakeAll(0);
        Connect();
        break;
      case 9:
        Join();
        break;
      case 10:
        session_.Close(id);
        Check(session_.Find(id) == nullptr);
        Check(session_.Open(id, "again " + std::to_string(++count_), now_).ok());
        opened_[&id == &kWritten] = false;
        TakeAll(2);  // that nothing is here, and what is
        break;
      case 11:
        session_.SendEphemeral(id, std::string(bytes));
        TakeAll(1);
        break;
      default:
        last_sync_.empty() ? Receive(bytes) : Echo(id, bytes);
    }
  }

 private:
  static std::string Write(const RepoMessage& message) {
    return cursorwire::collab::WriteRepoMessage(message);
  }

  void Connect() {
    failed_ = false;
    session_.OnConnected();
    TakeAll(1);
  }
  void Join() {
    Receive(Write(PeerMessage{.sender = kServerId, .target = kOurId, .version = "1"}));
  }
  void Receive(std::string_view bytes) {
    const bool was_failed = failed_;
    session_.OnMessage(bytes, now_);
    // An answer to it; or what both documents have to say, and what waited for a connection.
    TakeAll(4);
    Check(!was_failed || !received_);
  }

  // The chunks of a stranger, in one that says that there are more of them.
  void ReceiveChanges(const DocumentId& id, std::string_view bytes) {
    SyncMessage message{.heads = session_.Find(id)->heads(), .changes = {bytes}};
    message.have.emplace_back();
    ReceiveSync(id, message);
  }
  void ReceiveHeads(const DocumentId& id, std::string_view bytes) {
    FuzzedInput input(bytes);
    SyncMessage message;
    while (!input.empty()) {
      const std::string_view taken = input.Take(cursorwire::automerge::ChangeHash::kSize);
      std::string hash(taken);
      hash.resize(cursorwire::automerge::ChangeHash::kSize);
      message.heads.push_back(cursorwire::automerge::ChangeHash::From(hash));
    }
    message.need = message.heads;
    message.have.push_back({.last_sync = message.heads});
    ReceiveSync(id, message);
  }
  void ReceiveSync(const DocumentId& id, const SyncMessage& message) {
    Receive(Write(DocumentMessage{.sender = kServerId,
                                  .target = kOurId,
                                  .document = id.ToString(),
                                  .data = WriteSyncMessage(message)}));
  }
  // What the session has said last, with a byte of it changed.
  void Echo(const DocumentId& id, std::string_view bytes) {
    FuzzedInput input(bytes);
    std::string data = last_sync_;
    const size_t at = input.TakeUint16() % data.size();
    data[at] = static_cast<char>(data[at] ^ input.TakeByte());
    Receive(Write(DocumentMessage{
        .sender = kServerId, .target = kOurId, .document = id.ToString(), .data = data}));
  }

  void Edit(const DocumentId& id) {
    Document& document = *session_.Find(id);
    const auto value = document.Get("content");
    if (!value || document.FindSequence(value->id) == nullptr) return;
    if (!document.Splice(value->id, Unit::kUtf16, 0, 0, "x").ok()) return;
    document.Commit(1);
    session_.OnEdited(id, now_);
    TakeAll(1);
  }

  // Takes all that there is, of which at most so much may be messages.
  void TakeAll(size_t max_messages) {
    size_t messages = 0;
    while (const std::optional<std::string> message = session_.TakeMessage()) {
      Check(++messages <= max_messages);
      const absl::StatusOr<RepoMessage> read = cursorwire::collab::ReadRepoMessage(*message);
      Check(read.ok());
      if (const auto* sync = std::get_if<DocumentMessage>(&*read)) {
        Check(cursorwire::automerge::ReadSyncMessage(sync->data).ok());
        last_sync_ = sync->data;
      }
    }
    received_ = false;
    size_t events = 0;
    while (const std::optional<RepoEvent> event = session_.TakeEvent()) {
      Check(++events <= 4);
      received_ = true;
      if (std::holds_alternative<SessionFailed>(*event)) {
        Check(!std::exchange(failed_, true));
      } else if (const auto* opened = std::get_if<DocumentOpened>(&*event)) {
        Check(!std::exchange(opened_[opened->document == kWritten], true));
      } else if (const auto* ephemeral = std::get_if<EphemeralReceived>(&*event)) {
        Check(ephemeral->data.size() <= kOptions.max_ephemeral_bytes);
        CheckCursor(ephemeral->data);
      }
    }
  }

  static const DocumentId kEmpty;
  static const DocumentId kWritten;

  TimePoint now_{std::chrono::hours(1)};
  RepoSession session_{kOptions};
  std::string last_sync_;
  int64_t count_ = 0;
  bool opened_[2] = {false, false};
  bool received_ = false;  // events, at the last call
  bool failed_ = false;
};

const DocumentId FuzzedServer::kEmpty = *DocumentId::Parse("3kKeQF5Fh8wHaHSZG9wkFw3YPSEZ");
const DocumentId FuzzedServer::kWritten = *DocumentId::Parse("N12GigNXHkf3STKSN4YukV4hQvF");

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxInputBytes) return 0;
  FuzzedInput pieces(data, size);
  pieces.TakeByte();
  while (!pieces.empty()) {
    pieces.TakeByte();
    const std::string_view piece = pieces.Take(pieces.TakeUint16());
    CheckCbor(piece);
    CheckRepoMessage(piece);
    CheckCursor(piece);
  }
  FuzzedInput input(data, size);
  FuzzedServer server(input.TakeByte());
  while (!input.empty()) server.Step(input);
  return 0;
}
