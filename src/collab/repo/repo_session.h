#ifndef CURSORWIRE_SRC_COLLAB_REPO_REPO_SESSION_H_
#define CURSORWIRE_SRC_COLLAB_REPO_REPO_SESSION_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collab/repo/document_id.h"
#include "collab/repo/repo_message.h"
#include "collab/repo/shared_document.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/waiting_changes.h"

namespace cursorwire::collab {

using TimePoint = std::chrono::steady_clock::time_point;

struct RepoOptions {
  // Of this process: new random strings, which stay over its connections.
  std::string peer_id{};
  std::string session_id{};
  // For how long edits wait for more, while an answer of the server is awaited.
  std::chrono::milliseconds edit_delay{20};
  // For how long a document that nobody has told of is waited for.
  std::chrono::milliseconds open_timeout{10000};
  size_t max_documents = 64;
  // Of ephemeral messages that are taken.
  size_t max_ephemeral_bytes = size_t{64} * 1024;
  automerge::DocumentLimits document{};
};

// What happens.
struct RepoConnected {
  std::string server{};  // its peer id
};
// All that the server has of a document is here; once for each Open().
struct DocumentOpened {
  DocumentId document;
};
// The server and its peers do not have it, or have not told of it in time. It may come all the
// same.
struct DocumentUnavailable {
  DocumentId document;
};
// Others have changed it, perhaps before all is here that the server has.
struct DocumentChanged {
  DocumentId document;
};
struct EphemeralReceived {
  DocumentId document;
  std::string sender{};
  std::string data{};
};
// A message of the server was refused; the session goes on.
struct MessageRefused {
  // Its ErrorInfo says kProtocol, unless it is ephemeral.
  absl::Status status;
  // Whose changes it has; nullopt where that cannot be read.
  std::optional<DocumentId> document{};
  bool is_ephemeral = false;
};
// The connection is of no use: it must be closed with this code of WebSocket.
struct SessionFailed {
  absl::Status status;
  uint16_t close_code = 1002;
  bool is_final = true;  // the server speaks another protocol, or says so
};
using RepoEvent = std::variant<RepoConnected, DocumentOpened, DocumentUnavailable, DocumentChanged,
                               EphemeralReceived, MessageRefused, SessionFailed>;

// A client of automerge-repo, over one connection after the other: docs/collab/automerge-repo.md.
// No I/O: whole messages in and out, time as an argument.
//
// Order: OnConnected(), then OnMessage() for each message, OnClosed() when the connection is gone,
// and from the start again. After each call: TakeMessage() and TakeEvent() until there is none, and
// OnDeadline() at deadline(). Documents may be opened and edited at any time.
// Thread-compatible.
class RepoSession {
 public:
  explicit RepoSession(RepoOptions options);

  // What is put into a document before anybody is told of it.
  using Fill = std::function<absl::Status(automerge::Document&, automerge::WaitingChanges&)>;

  // Begins to follow a document. `actor`: random bytes for this document, never used before.
  //   kAlreadyExists      it is open
  //   kResourceExhausted  too many are
  //   else                what `fill` returns
  absl::Status Open(const DocumentId& id, std::string_view actor, TimePoint now,
                    const Fill& fill = nullptr);
  void Close(const DocumentId& id);
  // Valid until Close(); nullptr where it is not open. After each edit: OnEdited().
  automerge::Document* Find(const DocumentId& id);
  // Changes of it wait for others, and are not in the document.
  bool HasWaitingChanges(const DocumentId& id) const;
  // The server has told that it has all that we have of it.
  bool IsSynced(const DocumentId& id) const;
  // `document` has a new change.
  void OnEdited(const DocumentId& id, TimePoint now);
  // To all who have it open. Without a connection, the last one of each document is sent after the
  // next one is there.
  void SendEphemeral(const DocumentId& id, std::string data);

  void OnConnected();
  void OnMessage(std::string_view bytes, TimePoint now);
  void OnClosed();
  // nullopt: none.
  std::optional<TimePoint> deadline() const;
  void OnDeadline(TimePoint now);

  std::optional<std::string> TakeMessage();
  std::optional<RepoEvent> TakeEvent();

 private:
  enum class Phase : uint8_t { kClosed, kJoining, kOpen, kFailed };

  void Take(const PeerMessage& message, TimePoint now);
  void Take(const ErrorMessage& message);
  void Take(const DocumentMessage& message);
  void Take(const UnavailableMessage& message);
  void Take(const EphemeralMessage& message);
  void Take(const JoinMessage& message);
  void Take(const LeaveMessage& message);
  void Take(const OtherMessage& message);

  SharedDocument* FindShared(std::string_view id) const;
  void Announce(SharedDocument& document, TimePoint now);
  void SayNothingIsHere(const SharedDocument& document);
  void Send(SharedDocument& document);
  void SendEphemeralNow(SharedDocument& document, std::string data);
  bool IsNewEphemeral(const EphemeralMessage& message);
  void NoteProgress(SharedDocument& document);
  void Refuse(const absl::Status& status) { Refuse(MessageRefused{.status = status}); }
  void Refuse(MessageRefused refused);
  void RefuseEphemeral(std::string_view why);
  // A message of which a rest was left out.
  void GiveUp(std::string_view why, const absl::Status& last);
  void Fail(SessionFailed failed);

  const RepoOptions options_;
  Phase phase_ = Phase::kClosed;
  std::string server_;
  std::map<std::string, std::unique_ptr<SharedDocument>, std::less<>> documents_;
  std::set<std::string> announced_;  // on this connection, those that were closed too
  std::deque<std::string> messages_;
  std::deque<RepoEvent> events_;
  int64_t ephemeral_count_ = 0;
  // The last count of each sender and session, and when it came, for those that came last.
  std::map<std::pair<std::string, std::string>, std::pair<int64_t, uint64_t>> ephemeral_counts_;
  uint64_t ephemerals_taken_ = 0;
  int refused_in_a_row_ = 0;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_REPO_REPO_SESSION_H_
