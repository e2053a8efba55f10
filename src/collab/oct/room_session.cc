#include "collab/oct/room_session.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/strings.h"
#include "collab/oct/msgpack.h"
#include "collab/oct/room_path.h"
#include "crdt/yjs/awareness.h"
#include "crdt/yjs/sync_message.h"
#include "crdt/yjs/update.h"
#include "json/json_member.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;
using yjs::SyncKind;

// Below 1.0, versions with the same minor number understand each other.
constexpr std::string_view kUnderstoodVersions = "0.3.";
constexpr size_t kMaxQuotedRoomBytes = 200;

bool IsUnderstood(std::string_view version) { return version.starts_with(kUnderstoodVersions); }

// The first of the params of a call; null where there is none.
const json& FirstParam(const json& call) {
  const json& params = MemberOf(call, "params");
  return params.is_array() && !params.empty() ? params.front() : MemberOf(json(), "");
}

json OneParam(json param) {
  json params = json::array();
  params.push_back(std::move(param));
  return params;
}

json BytesParam(std::string_view bytes) {
  return OneParam(json::binary(json::binary_t::container_type(bytes.begin(), bytes.end())));
}

// nullopt: it is not binary. Lists of numbers, as old senders have them, are not read.
std::optional<std::string_view> BytesOfParam(const json& param) {
  if (!param.is_binary()) return std::nullopt;
  const json::binary_t& bytes = param.get_binary();
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

absl::Status BadCall(std::string_view what) {
  return InvalidArgument(absl::StrCat("message of a room: ", ToAbsl(what)));
}

bool IsRoomClosed(const Envelope& envelope) {
  const auto* const call = std::get_if<json>(&envelope.content);
  return call != nullptr && RoomMethodOf(TextOf(*call, "method")) == RoomMethod::kRoomClosed;
}

bool IsShortId(const RequestId& id) {
  const auto* const text = std::get_if<std::string>(&id);
  return text == nullptr || text->size() <= RoomSession::kMaxRequestIdBytes;
}

}  // namespace

RoomSession::RoomSession(yjs::Document& document, RoomCipher& cipher, RoomOptions options)
    : document_(document),
      cipher_(cipher),
      options_(std::move(options)),
      awareness_(document.client()),
      client_(document.client()) {}

// --- the connection

void RoomSession::OnConnected(TimePoint now, size_t max_message_bytes) {
  if (over_) return;
  left_ = false;
  sender_.Open(max_message_bytes);
  if (is_joined()) return Announce(now);
  if (!join_until_) join_until_ = now + kJoinTimeout;
}

void RoomSession::OnDisconnected() {
  sender_.Close();
  awareness_.OnDisconnected();
  ForgetWhenAsked();
  resync_at_.reset();
}

void RoomSession::OnMessage(std::string_view bytes, TimePoint now) {
  if (over_ || !sender_.is_open()) return;
  const absl::StatusOr<Envelope> envelope = ReadEnvelope(bytes);
  if (left_) {
    if (envelope.ok() && IsRoomClosed(*envelope)) OnCall(*envelope, now);
    return;
  }
  if (!envelope.ok()) return Refuse(Refusal::kMalformed, envelope.status());
  if (!IsUnderstood(envelope->version)) {
    return Refuse(Refusal::kMalformed, BadCall("it has another version of the protocol"));
  }
  switch (envelope->kind) {
    case EnvelopeKind::kRequest:
      OnRequest(*envelope, now);
      break;
    case EnvelopeKind::kNotification:
    case EnvelopeKind::kBroadcast:
      OnCall(*envelope, now);
      break;
    case EnvelopeKind::kError:
      OnError(*envelope);
      break;
    case EnvelopeKind::kResponse:
    case EnvelopeKind::kResponseError:
    case EnvelopeKind::kOther:
      return;  // nothing was asked
  }
  FlushAwareness(now);
}

std::optional<RoomSession::TimePoint> RoomSession::deadline() const {
  if (is_silent()) return std::nullopt;
  std::optional<TimePoint> first = awareness_.deadline();
  for (const std::optional<TimePoint>& other : {resync_at_, join_until_}) {
    if (other && (!first || *other < *first)) first = other;
  }
  return first;
}

void RoomSession::OnDeadline(TimePoint now) {
  if (is_silent()) return;
  if (join_until_ && now >= *join_until_) {
    return Fail(TransportError("the host of the room does not tell who is in it", Replay::kUnsafe));
  }
  if (resync_at_ && now >= *resync_at_) AskForUpdates(now);
  awareness_.OnDeadline(now);
  FlushAwareness(now);
}

std::optional<RoomEvent> RoomSession::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  RoomEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

// --- what comes: docs/collab/oct.md, "Methods"

void RoomSession::OnError(const Envelope& envelope) {
  const auto* const content = std::get_if<json>(&envelope.content);
  if (content == nullptr) return;
  Refuse(Refusal::kMalformed,
         ProtocolError(absl::StrCat("the server of the room says: ",
                                    Printable(TextOf(*content, "message"), kMaxQuotedRoomBytes))));
}

// Requests are for hosts. Without an answer the asker would wait for a minute.
void RoomSession::OnRequest(const Envelope& envelope, TimePoint now) {
  const bool is_clear = std::holds_alternative<json>(envelope.content);
  if (is_clear != envelope.origin.empty() || !IsShortId(envelope.id)) return;
  if (!TakeAnswer(envelope.origin, now)) return;
  NoteAnswer(envelope.origin, sender_.RefuseRequest(envelope.id, envelope.origin));
}

void RoomSession::OnCall(const Envelope& envelope, TimePoint now) {
  const bool is_for_all = envelope.kind == EnvelopeKind::kBroadcast;
  if (!is_for_all && !own_id_.empty() && envelope.target != own_id_) return;
  const auto* const clear = std::get_if<json>(&envelope.content);
  if (clear != nullptr) {
    return OnServerSaid({.origin = envelope.origin,
                         .method = RoomMethodOf(TextOf(*clear, "method")),
                         .first = FirstParam(*clear),
                         .now = now});
  }
  if (!IsRoomPeerId(envelope.origin) || own_id_.empty()) return;
  const std::optional<json> call = Decrypt(envelope);
  if (!call) return;
  OnPeerSaid({.origin = envelope.origin,
              .method = RoomMethodOf(TextOf(*call, "method")),
              .first = FirstParam(*call),
              .now = now,
              .is_for_all = is_for_all});
}

std::optional<json> RoomSession::Decrypt(const Envelope& envelope) {
  const std::string& content = std::get<EncryptedContent>(envelope.content).bytes;
  const absl::StatusOr<std::string> bytes =
      cipher_.Decrypt(content, envelope.keys, own_id_, envelope.compression);
  if (bytes.ok()) {
    // With a wrong key the padding may be right by chance: then this is not msgpack.
    absl::StatusOr<json> call = ReadMsgpack(*bytes);
    if (call.ok()) return *std::move(call);
  }
  Refuse(Refusal::kUndecipherable,
         InvalidArgument(absl::StrCat(refusals_.count(Refusal::kUndecipherable) + 1,
                                      " messages of the room could not be decrypted")));
  return std::nullopt;
}

// Clear messages of peers end here too: docs/collab/oct.md, "Methods".
void RoomSession::OnServerSaid(const Said& said) {
  switch (said.method) {
    case RoomMethod::kPeerInfo:
      return OnPeerInfo(said);
    case RoomMethod::kRoomJoined:
      return OnRoomJoined(said);
    case RoomMethod::kRoomLeft:
      return OnRoomLeft(said);
    case RoomMethod::kRoomClosed:
      return OnRoomClosed(said);
    default:
      return;
  }
}

void RoomSession::OnPeerSaid(const Said& said) {
  switch (said.method) {
    case RoomMethod::kPeerInit:
      return OnPeerInit(said);
    case RoomMethod::kPermissionsUpdated:
      if (is_joined() && said.origin == host_id_) OnPermissions(said.first);
      return;
    case RoomMethod::kDataUpdate:
    case RoomMethod::kDataNotify:
      return OnData(said);
    case RoomMethod::kAwarenessUpdate:
    case RoomMethod::kAwarenessNotify:
      return OnAwareness(said);
    case RoomMethod::kAwarenessQuery:
      return OnAwarenessQuery(said);
    default:
      return;
  }
}

// --- who is here

void RoomSession::OnPeerInfo(const Said& said) {
  const std::optional<RoomPeer> self = ReadRoomPeer(said.first);
  if (!said.origin.empty() || !self || (!own_id_.empty() && self->id != own_id_)) {
    return Refuse(Refusal::kMalformed, BadCall("it does not tell who we are"));
  }
  own_id_ = self->id;
  own_name_ = self->name;
}

void RoomSession::OnRoomJoined(const Said& said) {
  const std::optional<RoomPeer> peer = ReadRoomPeer(said.first);
  if (!peer) return Refuse(Refusal::kMalformed, BadCall("it does not tell who has joined"));
  if (!IsAbout(said, peer->id)) return;
  const bool is_new = peers_.Find(peer->id) == nullptr;
  if (AddPeer(*peer) && is_new) events_.emplace_back(PeerJoined{peer->id, peer->name});
}

void RoomSession::OnRoomLeft(const Said& said) {
  const std::optional<RoomPeer> peer = ReadRoomPeer(said.first);
  if (!peer) return Refuse(Refusal::kMalformed, BadCall("it does not tell who has left"));
  if (!IsAbout(said, peer->id)) return;
  if (const RoomPeer* const known = peers_.Find(peer->id)) {
    events_.emplace_back(PeerLeft{known->id, known->name});
  }
  if (absl::Status status = peers_.Remove(peer->id); !status.ok()) Fail(std::move(status));
}

void RoomSession::OnRoomClosed(const Said& said) {
  if (!said.origin.empty() && is_joined() && said.origin != host_id_) return;
  events_.emplace_back(RoomClosed{"the host has closed the room"});
  End();
}

// The server names as the origin whoever has joined or left.
bool RoomSession::IsAbout(const Said& said, std::string_view peer) const {
  return peer != own_id_ && (said.origin.empty() || said.origin == peer);
}

// False: it is not in the list.
bool RoomSession::AddPeer(const RoomPeer& peer) {
  const absl::Status status = peers_.Add(peer);
  if (!status.ok()) Refuse(Refusal::kPeer, status);
  return peers_.Find(peer.id) != nullptr;
}

void RoomSession::OnPeerInit(const Said& said) {
  const std::optional<RoomPeer> host = ReadRoomPeer(MemberOf(said.first, "host"));
  if (!host || host->id != said.origin || !MayBeHost(host->id)) {
    return Refuse(Refusal::kMalformed, BadCall("one who is not the host tells who is in the room"));
  }
  const std::string protocol = TextOf(said.first, "protocol");
  if (!protocol.empty() && !IsUnderstood(protocol)) {
    return Fail(LocalError(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("the host speaks version \"", Printable(protocol, kMaxQuotedRoomBytes),
                     "\" of the protocol, we speak ", ToAbsl(kProtocolVersion))));
  }
  AddPeer(*host);
  AddGuests(MemberOf(said.first, "guests"));
  peers_.Init();
  if (!is_joined()) {
    if (host_id_ != host->id) questions_.clear();  // that another one was asked
    host_id_ = host->id;
    join_until_.reset();
    events_.emplace_back(Joined{own_id_, own_name_, host->id, host->name});
    Announce(said.now);
    if (over_) return;
  }
  OnPermissions(MemberOf(said.first, "permissions"));
  FollowHost();
}

bool RoomSession::MayBeHost(std::string_view id) const {
  const std::string& expected = is_joined() ? host_id_ : options_.host_id;
  return id != own_id_ && (expected.empty() || id == expected);
}

void RoomSession::AddGuests(const json& guests) {
  if (!guests.is_array()) return;
  size_t seen = 0;
  for (const json& guest : guests) {
    if (++seen > kMaxRoomPeers) break;
    const std::optional<RoomPeer> peer = ReadRoomPeer(guest);
    if (peer && peer->id != own_id_) AddPeer(*peer);
  }
}

void RoomSession::OnPermissions(const json& permissions) {
  const json& read_only = MemberOf(permissions, "readonly");
  if (!read_only.is_boolean() || read_only == read_only_) return;
  read_only_ = read_only.get<bool>();
  events_.emplace_back(PermissionsChanged{read_only_});
}

// --- the document: docs/collab/oct.md, "Documents"

void RoomSession::OnData(const Said& said) {
  const std::optional<std::string_view> bytes = BytesOfParam(said.first);
  if (!bytes) return;
  const absl::StatusOr<yjs::SyncMessage> message = yjs::ReadSyncMessage(*bytes);
  if (!message.ok()) return Refuse(Refusal::kMalformed, message.status());
  if (message->kind == SyncKind::kStep1) return OnStep1(said, message->payload);
  // He also tells all of them what he has, unasked.
  const bool is_answer = message->kind == SyncKind::kStep2 && !said.is_for_all;
  if (is_answer && said.origin == host_id_) NoteAnswered();
  OnUpdate(message->payload, said.now);
}

void RoomSession::OnStep1(const Said& said, std::string_view clocks) {
  if (!TakeAnswer(said.origin, said.now)) return;
  const absl::StatusOr<yjs::StateVector> theirs = yjs::ReadStateVector(clocks);
  if (!theirs.ok()) return Refuse(Refusal::kMalformed, theirs.status());
  const size_t max_bytes = sender_.max_message_bytes();
  const std::optional<std::string> update = document_.EncodeStateWithin(*theirs, max_bytes);
  if (!update) {
    SpendAnswer(said.origin, max_bytes);
    return Refuse(Refusal::kTooLong,
                  absl::ResourceExhaustedError(absl::StrCat(
                      "a peer asks for more of the document than the ", max_bytes,
                      " bytes that the server takes at once: it has to get that from another")));
  }
  Answer(said.origin, {.method = RoomMethod::kDataNotify,
                       .params = BytesParam(
                           yjs::WriteSyncMessage({.kind = SyncKind::kStep2, .payload = *update}))});
}

// Nothing is sent because of an update: whoever has it has told all others as well.
void RoomSession::OnUpdate(std::string_view update, TimePoint now) {
  const absl::StatusOr<bool> changed = document_.Apply(update);
  NoteClient(now);
  if (document_.needs_sync() && resync_at_) resync_at_ = std::min(*resync_at_, now + kResyncSoon);
  if (!changed.ok()) Refuse(Refusal::kDocument, changed.status());
  if (!document_.has_applied()) return;
  events_.emplace_back(DocumentChanged());
  NoteSynced();
}

// Another peer had our client id, and the document has taken a new one.
void RoomSession::NoteClient(TimePoint now) {
  const uint64_t client = document_.client();
  if (client == client_) return;
  client_ = client;
  awareness_.SetClient(client, now);
}

void RoomSession::NoteSynced() {
  if (synced_ || active_path_.empty()) return;
  if (document_.size(active_path_).bytes == 0) return;
  synced_ = true;
  events_.emplace_back(Synced());
}

// Asks all peers: any of them may have what was lost.
void RoomSession::AskForUpdates(TimePoint now) {
  resync_at_ = now + kResyncEvery;
  if (peers_.receivers().empty()) return;
  document_.OnSyncAsked();
  if (questions_.size() < kMaxOpenQuestions) {
    questions_.push_back({.at = now});
  } else {
    ++questions_.back().count;
  }
  const std::string clocks = yjs::WriteStateVector(document_.state_vector());
  (void)Broadcast(
      {.method = RoomMethod::kDataUpdate,
       .params = BytesParam(yjs::WriteSyncMessage({.kind = SyncKind::kStep1, .payload = clocks}))});
}

// What was sent while the connection broke may not have arrived, and nobody asks for it.
void RoomSession::SendOwnUpdates() {
  for (const OwnUpdate& own : own_updates_) (void)BroadcastUpdate(own.update);
}

// The host has read what we sent before we asked. An answer that is lost makes the following ones
// count for less, never for more.
void RoomSession::NoteAnswered() {
  if (questions_.empty()) return;
  Question& oldest = questions_.front();
  arrived_until_ = std::max(arrived_until_, oldest.at);
  if (--oldest.count == 0) questions_.pop_front();
}

// What was sent over a connection that is lost may not have arrived before its questions did: their
// answers tell nothing.
void RoomSession::ForgetWhenAsked() {
  uint64_t count = 0;
  for (const Question& question : questions_) count += question.count;
  questions_.clear();
  if (count > 0) questions_.push_back({.at = TimePoint(), .count = count});
}

bool RoomSession::may_lack_updates(TimePoint now) {
  DropOldUpdates(now);
  return !own_updates_.empty() && own_updates_.back().sent_at >= arrived_until_;
}

void RoomSession::DropOldUpdates(TimePoint now) {
  while (!own_updates_.empty() && (own_updates_.front().sent_at + kKeepUpdates < now ||
                                   own_update_bytes_ > kMaxKeptUpdateBytes)) {
    own_update_bytes_ -= own_updates_.front().update.size();
    own_updates_.pop_front();
  }
}

// --- awareness

void RoomSession::OnAwareness(const Said& said) {
  const std::optional<std::string_view> bytes = BytesOfParam(said.first);
  if (!bytes) return;
  const absl::StatusOr<bool> changed = awareness_.Apply(*bytes, said.now);
  if (!changed.ok()) return Refuse(Refusal::kMalformed, changed.status());
  if (*changed) FollowHost();
}

void RoomSession::OnAwarenessQuery(const Said& said) {
  if (!TakeAnswer(said.origin, said.now)) return;
  Answer(said.origin,
         {.method = RoomMethod::kAwarenessNotify, .params = BytesParam(awareness_.All())});
}

// Its state may have come before we knew who it is.
void RoomSession::FollowHost() {
  if (!is_joined()) return;
  std::string path = awareness_.PathOf(host_id_);
  if (path.empty() || path == active_path_) return;
  if (followed_.size() >= kMaxFollowedPaths && !followed_.contains(path)) {
    return Refuse(Refusal::kPeer,
                  absl::ResourceExhaustedError(
                      absl::StrCat("the host has opened more than ", kMaxFollowedPaths, " files")));
  }
  followed_.insert(path);
  active_path_ = std::move(path);
  synced_ = false;
  events_.emplace_back(ActiveFile{active_path_});
  OpenActiveFile();
  NoteSynced();
}

// The host loads the text of a file into the document when it is asked to open it.
void RoomSession::OpenActiveFile() {
  (void)Check(sender_.Notify(
      host_id_, {.method = RoomMethod::kEditorOpen, .params = OneParam(active_path_)}));
}

void RoomSession::FlushAwareness(TimePoint now) {
  if (is_silent() || !is_joined() || !sender_.is_open()) return;
  SendAwareness(awareness_.TakeUpdate(now));
}

void RoomSession::SendAwareness(const std::optional<std::string>& update) {
  if (!update) return;
  (void)Broadcast({.method = RoomMethod::kAwarenessUpdate, .params = BytesParam(*update)});
}

void RoomSession::SetCaret(RoomCaret caret, TimePoint now) {
  if (!IsRoomPath(caret.path)) return;
  caret_ = std::move(caret);
  if (is_silent() || !is_joined()) return;
  awareness_.SetOwn(WriteAwarenessState(own_id_, caret_));
  FlushAwareness(now);
}

// --- what we say

void RoomSession::Announce(TimePoint now) {
  DropOldUpdates(now);
  SendOwnUpdates();
  AskForUpdates(now);
  (void)Broadcast({.method = RoomMethod::kAwarenessQuery});
  if (!awareness_.SetOwn(WriteAwarenessState(own_id_, caret_))) awareness_.SendOwnAgain();
  SendAwareness(awareness_.TakeLastUpdate(now));
  if (!active_path_.empty()) OpenActiveFile();
}

absl::Status RoomSession::SendUpdate(std::string_view update, TimePoint now) {
  if (update.empty()) return absl::OkStatus();
  own_update_bytes_ += update.size();
  own_updates_.push_back({.sent_at = now, .update = std::string(update)});
  DropOldUpdates(now);
  return BroadcastUpdate(update);
}

absl::Status RoomSession::BroadcastUpdate(std::string_view update) {
  return Broadcast({.method = RoomMethod::kDataUpdate,
                    .params = BytesParam(
                        yjs::WriteSyncMessage({.kind = SyncKind::kUpdate, .payload = update}))});
}

absl::Status RoomSession::SendChat(std::string_view text) {
  return Broadcast({.method = RoomMethod::kChatMessage, .params = OneParam(ToUtf8(text))});
}

void RoomSession::Leave(TimePoint now) {
  if (is_silent()) return;
  if (is_joined() && sender_.is_open()) {
    awareness_.Leave();
    SendAwareness(awareness_.TakeLastUpdate(now));
  }
  (void)Check(sender_.NotifyServer({.method = RoomMethod::kRoomLeave}));
  left_ = true;
}

absl::Status RoomSession::Broadcast(RoomCall call) {
  if (is_silent() || !is_joined()) return absl::OkStatus();
  return Check(sender_.Broadcast(peers_.receivers(), std::move(call)));
}

// Whether this peer gets one more answer; "" is the server.
bool RoomSession::TakeAnswer(std::string_view peer, TimePoint now) {
  AnswerBudget* const budget = peer.empty() ? nullptr : peers_.BudgetOf(peer);
  if (!peer.empty() && (budget == nullptr || !budget->Take(now))) return false;
  return answers_.Take(now);
}

void RoomSession::Answer(std::string_view peer, RoomCall call) {
  NoteAnswer(peer, sender_.Notify(std::string(peer), std::move(call)));
}

void RoomSession::NoteAnswer(std::string_view peer, const absl::StatusOr<size_t>& sent) {
  // One that is too long took as much work.
  SpendAnswer(peer, sent.ok() ? *sent : sender_.max_message_bytes());
  (void)Check(sent);
}

void RoomSession::SpendAnswer(std::string_view peer, size_t bytes) {
  answers_.Spend(bytes);
  if (AnswerBudget* const budget = peers_.BudgetOf(peer)) budget->Spend(bytes);
}

absl::Status RoomSession::Check(const absl::StatusOr<size_t>& sent) {
  if (sent.ok()) return absl::OkStatus();
  if (absl::IsResourceExhausted(sent.status())) {
    Refuse(Refusal::kTooLong, sent.status());
  } else {
    Fail(sent.status());
  }
  return sent.status();
}

void RoomSession::Refuse(Refusal kind, const absl::Status& status) {
  if (refusals_.IsWorthTelling(kind)) events_.emplace_back(MessageRefused{status});
}

void RoomSession::Fail(absl::Status status) {
  if (over_) return;
  events_.emplace_back(Failed{std::move(status)});
  End();
}

void RoomSession::End() {
  over_ = true;
  sender_.Close();
}

}  // namespace cursorwire::oct
