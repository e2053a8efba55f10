#include "collab/repo/repo_session.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "crdt/automerge/sync_message.h"

namespace cursorwire::collab {
namespace {

constexpr std::string_view kOurVersion = "1";
constexpr int kMaxRefusedInARow = 100;
constexpr size_t kMaxEphemeralSenders = 4096;
constexpr size_t kMaxPeerBytes = 1000;
constexpr size_t kMaxQuotedBytes = 200;  // of what a server says
constexpr uint16_t kUnsupportedData = 1003;

absl::Status ServerError(std::string_view what) {
  return ProtocolError(absl::StrCat("the server of documents ", ToAbsl(what)));
}

}  // namespace

RepoSession::RepoSession(RepoOptions options) : options_(std::move(options)) {}

// --- documents

absl::Status RepoSession::Open(const DocumentId& id, std::string_view actor, TimePoint now,
                               const Fill& fill) {
  if (Find(id) != nullptr) return absl::AlreadyExistsError("the document is open");
  if (documents_.size() >= options_.max_documents) {
    return absl::ResourceExhaustedError(
        absl::StrCat(documents_.size(), " documents are open, which is the limit"));
  }
  auto document = std::make_unique<SharedDocument>(id, actor, options_.document);
  document->open_deadline = now + options_.open_timeout;
  if (fill != nullptr) {
    if (absl::Status status = fill(document->document, document->waiting); !status.ok()) {
      return status;
    }
  }
  SharedDocument& opened = *documents_.emplace(document->name, std::move(document)).first->second;
  if (phase_ == Phase::kOpen) Announce(opened, now);
  return absl::OkStatus();
}

void RepoSession::Close(const DocumentId& id) { documents_.erase(id.ToString()); }

SharedDocument* RepoSession::FindShared(std::string_view id) const {
  const auto place = documents_.find(id);
  return place == documents_.end() ? nullptr : place->second.get();
}

automerge::Document* RepoSession::Find(const DocumentId& id) {
  SharedDocument* const document = FindShared(id.ToString());
  return document == nullptr ? nullptr : &document->document;
}

bool RepoSession::HasWaitingChanges(const DocumentId& id) const {
  const SharedDocument* const document = FindShared(id.ToString());
  return document != nullptr && document->waiting.size() != 0;
}

bool RepoSession::IsSynced(const DocumentId& id) const {
  const SharedDocument* const document = FindShared(id.ToString());
  return document != nullptr && document->state &&
         document->state->peer_heads() == document->document.heads();
}

void RepoSession::OnEdited(const DocumentId& id, TimePoint now) {
  SharedDocument* const document = FindShared(id.ToString());
  if (document == nullptr || !document->state || document->send_deadline) return;
  if (phase_ != Phase::kOpen) return;
  if (document->awaits_answer) {
    document->send_deadline = now + options_.edit_delay;
  } else {
    Send(*document);
  }
}

// --- the connection

void RepoSession::OnConnected() {
  phase_ = Phase::kJoining;
  refused_in_a_row_ = 0;
  messages_.push_back(WriteRepoMessage(JoinMessage{.sender = options_.peer_id}));
}

void RepoSession::OnClosed() {
  phase_ = Phase::kClosed;
  messages_.clear();
  announced_.clear();
  for (const auto& [name, document] : documents_) {
    document->state.reset();
    document->send_deadline.reset();
    document->awaits_answer = false;
  }
}

void RepoSession::OnMessage(std::string_view bytes, TimePoint now) {
  if (phase_ == Phase::kClosed || phase_ == Phase::kFailed) return;
  const absl::StatusOr<RepoMessage> message = ReadRepoMessage(bytes);
  if (!message.ok()) return Refuse(message.status());
  const int refused = refused_in_a_row_;
  std::visit(
      [this, now](const auto& kind) {
        if constexpr (std::is_same_v<decltype(kind), const PeerMessage&>) {
          Take(kind, now);
        } else {
          Take(kind);
        }
      },
      *message);
  if (refused_in_a_row_ == refused) refused_in_a_row_ = 0;
}

std::optional<TimePoint> RepoSession::deadline() const {
  std::optional<TimePoint> first;
  for (const auto& [name, document] : documents_) {
    for (const auto& deadline : {document->open_deadline, document->send_deadline}) {
      if (deadline && (!first || *deadline < *first)) first = deadline;
    }
  }
  return first;
}

void RepoSession::OnDeadline(TimePoint now) {
  for (const auto& [name, document] : documents_) {
    if (document->send_deadline && *document->send_deadline <= now) {
      document->send_deadline.reset();
      if (phase_ == Phase::kOpen) Send(*document);
    }
    if (document->open_deadline && *document->open_deadline <= now) {
      document->open_deadline.reset();
      if (!std::exchange(document->unavailable, true)) {
        events_.emplace_back(DocumentUnavailable{document->id});
      }
    }
  }
}

std::optional<std::string> RepoSession::TakeMessage() {
  if (messages_.empty()) return std::nullopt;
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

std::optional<RepoEvent> RepoSession::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  RepoEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

// --- what the server says

void RepoSession::Take(const PeerMessage& message, TimePoint now) {
  if (phase_ != Phase::kJoining) return Refuse(ServerError("answers twice"));
  if (message.version != kOurVersion) {
    return Fail({ServerError(absl::StrCat("has chosen version \"",
                                          Printable(message.version, kMaxQuotedBytes),
                                          "\" of the protocol, which we do not speak"))});
  }
  phase_ = Phase::kOpen;
  server_ = message.sender;
  events_.emplace_back(RepoConnected{server_});
  for (const auto& [name, document] : documents_) Announce(*document, now);
}

void RepoSession::Take(const ErrorMessage& message) {
  Fail({ServerError(absl::StrCat("says: ", Printable(message.message, kMaxQuotedBytes)))});
}

void RepoSession::Take(const DocumentMessage& message) {
  if (phase_ != Phase::kOpen) return Refuse(ServerError("sends a document before its answer"));
  if (message.target != options_.peer_id || message.sender != server_) return;
  SharedDocument* const document = FindShared(message.document);
  if (document == nullptr || !document->state) return;
  const absl::StatusOr<automerge::SyncMessage> sync = automerge::ReadSyncMessage(message.data);
  if (!sync.ok()) return Refuse({.status = sync.status(), .document = document->id});
  const std::vector<automerge::ChangeHash> before = document->document.heads();
  document->awaits_answer = false;
  const absl::Status status = document->state->Receive(*sync);
  if (!status.ok()) Refuse({.status = status, .document = document->id});
  // What was left out comes over the next connection alone: this one has been told that it is here.
  if (document->state->was_cut())
    GiveUp("a message that is too much work, or a document that is none", status);
  NoteProgress(*document);
  if (document->document.heads() != before) {
    events_.emplace_back(DocumentChanged{document->id});
  }
  document->send_deadline.reset();
  if (phase_ == Phase::kOpen) Send(*document);
}

void RepoSession::Take(const UnavailableMessage& message) {
  if (message.target != options_.peer_id || message.sender != server_) return;
  SharedDocument* const document = FindShared(message.document);
  if (document == nullptr || document->opened) return;
  document->open_deadline.reset();
  if (!std::exchange(document->unavailable, true)) {
    events_.emplace_back(DocumentUnavailable{document->id});
  }
}

void RepoSession::Take(const EphemeralMessage& message) {
  if (message.target != options_.peer_id || message.sender == options_.peer_id) return;
  const SharedDocument* const document = FindShared(message.document);
  if (document == nullptr) return;
  if (message.sender.size() > kMaxPeerBytes || message.session.size() > kMaxPeerBytes) {
    return RefuseEphemeral(absl::StrCat(
        "the name of a peer or of its session is over the limit of ", kMaxPeerBytes, " bytes"));
  }
  if (!IsNewEphemeral(message)) return;
  if (message.data.size() > options_.max_ephemeral_bytes) {
    return RefuseEphemeral(absl::StrCat("an ephemeral message of ", message.data.size(),
                                        " bytes is over the limit of ",
                                        options_.max_ephemeral_bytes));
  }
  events_.emplace_back(EphemeralReceived{document->id, message.sender, message.data});
}

void RepoSession::Take(const JoinMessage& /*message*/) {
  Refuse(ServerError("joins, which is what clients do"));
}
// Gossip, and what later versions say.
void RepoSession::Take(const LeaveMessage& /*message*/) {}
void RepoSession::Take(const OtherMessage& /*message*/) {}

// Opened is a document of which all is here that the server has, if it has something.
void RepoSession::NoteProgress(SharedDocument& document) {
  if (document.opened || !document.state->has_all_of_peer()) return;
  document.opened = true;
  document.unavailable = false;
  document.open_deadline.reset();
  events_.emplace_back(DocumentOpened{document.id});
}

bool RepoSession::IsNewEphemeral(const EphemeralMessage& message) {
  const auto [place, added] =
      ephemeral_counts_.try_emplace({message.sender, message.session}, message.count, 0);
  if (!added && message.count <= place->second.first) return false;
  place->second = {message.count, ++ephemerals_taken_};
  if (ephemeral_counts_.size() > kMaxEphemeralSenders) {
    ephemeral_counts_.erase(std::min_element(
        ephemeral_counts_.begin(), ephemeral_counts_.end(),
        [](const auto& a, const auto& b) { return a.second.second < b.second.second; }));
  }
  return true;
}

// --- what we say

void RepoSession::Announce(SharedDocument& document, TimePoint now) {
  document.state.emplace(document.document, document.waiting);
  if (!announced_.insert(document.name).second) SayNothingIsHere(document);
  if (!document.opened && !document.unavailable)
    document.open_deadline = now + options_.open_timeout;
  Send(document);
  if (document.waiting_ephemeral) {
    SendEphemeralNow(document, *std::exchange(document.waiting_ephemeral, std::nullopt));
  }
}

// The server still knows what it has told us, of which we may know nothing any more: it would not
// tell that again. A peer without heads has lost all, upon which it forgets that.
void RepoSession::SayNothingIsHere(const SharedDocument& document) {
  messages_.push_back(WriteRepoMessage(
      DocumentMessage{.sender = options_.peer_id,
                      .target = server_,
                      .document = document.name,
                      .data = automerge::WriteSyncMessage(automerge::SyncMessage())}));
}

void RepoSession::Send(SharedDocument& document) {
  const std::optional<automerge::SyncMessage> message = document.state->Next();
  if (!message) return;
  // Who has the same as we needs no answer.
  document.awaits_answer = document.state->peer_heads() != document.document.heads();
  // Who has nothing wants to be told where the other has nothing either.
  messages_.push_back(WriteRepoMessage(
      DocumentMessage{.request = document.document.heads().empty() && !document.state->peer_heads(),
                      .sender = options_.peer_id,
                      .target = server_,
                      .document = document.name,
                      .data = WriteSyncMessage(*message)}));
}

void RepoSession::SendEphemeral(const DocumentId& id, std::string data) {
  SharedDocument* const document = FindShared(id.ToString());
  if (document == nullptr) return;
  if (document->state && phase_ == Phase::kOpen) {
    SendEphemeralNow(*document, std::move(data));
  } else {
    document->waiting_ephemeral = std::move(data);
  }
}

void RepoSession::SendEphemeralNow(SharedDocument& document, std::string data) {
  messages_.push_back(WriteRepoMessage(EphemeralMessage{.sender = options_.peer_id,
                                                        .target = server_,
                                                        .document = document.name,
                                                        .session = options_.session_id,
                                                        .count = ++ephemeral_count_,
                                                        .data = std::move(data)}));
}

void RepoSession::RefuseEphemeral(std::string_view why) {
  Refuse({.status = absl::ResourceExhaustedError(ToAbsl(why)), .is_ephemeral = true});
}

void RepoSession::Refuse(MessageRefused refused) {
  if (!refused.is_ephemeral) {
    connect::SetErrorInfo(refused.status, {.origin = connect::ErrorOrigin::kProtocol});
  }
  const absl::Status status = refused.status;
  events_.emplace_back(std::move(refused));
  if (++refused_in_a_row_ < kMaxRefusedInARow) return;
  GiveUp(absl::StrCat(refused_in_a_row_, " messages in a row that cannot be taken"), status);
}

void RepoSession::GiveUp(std::string_view why, const absl::Status& last) {
  if (phase_ == Phase::kFailed) return;
  Fail({.status =
            ServerError(absl::StrCat("has sent ", ToAbsl(why), "; the last one: ", last.message())),
        .close_code = kUnsupportedData,
        .is_final = false});
}

void RepoSession::Fail(SessionFailed failed) {
  phase_ = Phase::kFailed;
  messages_.clear();
  events_.emplace_back(std::move(failed));
}

}  // namespace cursorwire::collab
