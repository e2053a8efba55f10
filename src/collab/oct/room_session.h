#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_SESSION_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collab/oct/answer_budget.h"
#include "collab/oct/awareness_state.h"
#include "collab/oct/envelope.h"
#include "collab/oct/peer_list.h"
#include "collab/oct/refusal_counts.h"
#include "collab/oct/room_awareness.h"
#include "collab/oct/room_cipher.h"
#include "collab/oct/room_event.h"
#include "collab/oct/room_sender.h"
#include "collab/oct/socket_io.h"
#include "crdt/yjs/document.h"

namespace cursorwire::oct {

struct RoomOptions {
  // Of the host, as the server named it when it let us in; "": whoever says that he is the host
  // first.
  std::string host_id{};
};

// A guest in a room, over one connection after the other: docs/collab/oct.md, "Methods",
// "Documents", "Leaving". It brings what peers write into `document`, and tells them of ours.
// No I/O: whole messages of socket.io in and out, time as an argument.
//
// Order: OnConnected(), then OnMessage() for each message, OnDisconnected() when the connection is
// gone, and from the start again. After each call: TakeMessage() and TakeEvent() until there is
// none, and OnDeadline() at deadline(). After Leave() it tells of RoomClosed alone on this
// connection, after RoomClosed or Failed of nothing. Memory: that of the document, of
// RoomAwareness, of kMaxRoomPeers, and what was not taken. Thread-compatible.
class RoomSession {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Between two questions to all peers for what is not here: a message may get lost.
  static constexpr std::chrono::seconds kResyncEvery{10};
  // The same where something was dropped that must come again.
  static constexpr std::chrono::seconds kResyncSoon{1};
  // From the first OnConnected() to Joined.
  static constexpr std::chrono::seconds kJoinTimeout{60};
  // Files of the host that are followed. Further ones are ignored: each name takes room in the
  // document.
  static constexpr size_t kMaxFollowedPaths = 4096;
  // Answers to all peers and the server within AnswerBudget::kWindow, and their bytes.
  static constexpr uint32_t kMaxAnswers = 1000;
  static constexpr size_t kMaxAnswerBytes = size_t{64} * 1024 * 1024;
  // An own update is sent again over a connection that follows within this time. A server is
  // noticed to be gone after less, and keeps a place for less than what is left.
  static constexpr std::chrono::seconds kKeepUpdates{120};
  // Bytes of these updates. Beyond it the oldest are not kept.
  static constexpr size_t kMaxKeptUpdateBytes = size_t{32} * 1024 * 1024;
  // Questions to the host whose answers are waited for. Further ones count as the last of them.
  static constexpr size_t kMaxOpenQuestions = 16;
  // Bytes of the id of a request; one with a longer id is dropped.
  static constexpr size_t kMaxRequestIdBytes = 256;

  // `document` and `cipher` must outlive it. The document may be edited at any time; the update of
  // each edit goes to SendUpdate().
  RoomSession(yjs::Document& document, RoomCipher& cipher, RoomOptions options);

  // Peers are asked for what is not here, and told of what we wrote that they may have missed.
  void OnConnected(TimePoint now,
                   size_t max_message_bytes = SocketIoSession::kDefaultMaxPayloadBytes);
  void OnMessage(std::string_view bytes, TimePoint now);
  void OnDisconnected();

  // To all peers; an empty update, which changes nothing, is not. An update that is not sent
  // because there is no connection, or nobody, is not lost: it is in the document, and goes out
  // with it. A text for the chat is lost.
  //   kResourceExhausted  longer than the server takes; it was not sent
  //   kInternal           as of RoomCipher::Encrypt()
  absl::Status SendUpdate(std::string_view update, TimePoint now);
  absl::Status SendChat(std::string_view text);
  // Where others see us from now on.
  void SetCaret(RoomCaret caret, TimePoint now);
  // Says good-bye. The server ends the session (41) once it has read that, and so all that was sent
  // before. If the connection is lost instead, the next one is told what may not have arrived, and
  // needs a good-bye of its own.
  void Leave(TimePoint now);

  // nullopt: none.
  std::optional<TimePoint> deadline() const;
  // Too early it does nothing.
  void OnDeadline(TimePoint now);

  std::optional<std::string> TakeMessage() { return sender_.TakeMessage(); }
  std::optional<RoomEvent> TakeEvent();

  // Whether the host may lack updates of ours: of the last kKeepUpdates, and he has not answered a
  // question since.
  bool may_lack_updates(TimePoint now);
  bool read_only() const { return read_only_; }
  // "" before the first ActiveFile.
  const std::string& active_path() const { return active_path_; }

 private:
  // What a peer or the server says, after it was decrypted.
  struct Said {
    std::string_view origin{};  // "": the server
    RoomMethod method = RoomMethod::kOther;
    const nlohmann::json& first;  // of the params; null if there are none
    TimePoint now{};
    bool is_for_all = false;
  };

  bool is_joined() const { return !host_id_.empty(); }
  bool is_silent() const { return over_ || left_; }

  void OnError(const Envelope& envelope);
  void OnRequest(const Envelope& envelope, TimePoint now);
  void OnCall(const Envelope& envelope, TimePoint now);
  // nullopt: it cannot be decrypted, which is counted.
  std::optional<nlohmann::json> Decrypt(const Envelope& envelope);
  void OnServerSaid(const Said& said);
  void OnPeerSaid(const Said& said);

  void OnPeerInfo(const Said& said);
  void OnRoomJoined(const Said& said);
  void OnRoomLeft(const Said& said);
  void OnRoomClosed(const Said& said);
  bool IsAbout(const Said& said, std::string_view peer) const;
  bool AddPeer(const RoomPeer& peer);
  void OnPeerInit(const Said& said);
  bool MayBeHost(std::string_view id) const;
  void AddGuests(const nlohmann::json& guests);
  void OnPermissions(const nlohmann::json& permissions);

  void OnData(const Said& said);
  void OnStep1(const Said& said, std::string_view clocks);
  void OnUpdate(std::string_view update, TimePoint now);
  void NoteClient(TimePoint now);
  void NoteSynced();
  void NoteAnswered();
  void ForgetWhenAsked();
  void AskForUpdates(TimePoint now);
  void SendOwnUpdates();
  absl::Status BroadcastUpdate(std::string_view update);
  void DropOldUpdates(TimePoint now);

  void OnAwareness(const Said& said);
  void OnAwarenessQuery(const Said& said);
  void FollowHost();
  void OpenActiveFile();
  void FlushAwareness(TimePoint now);
  void SendAwareness(const std::optional<std::string>& update);

  void Announce(TimePoint now);
  absl::Status Broadcast(RoomCall call);
  bool TakeAnswer(std::string_view peer, TimePoint now);
  void Answer(std::string_view peer, RoomCall call);
  void NoteAnswer(std::string_view peer, const absl::StatusOr<size_t>& sent);
  void SpendAnswer(std::string_view peer, size_t bytes);
  // Tells of what could not be sent, and returns its status.
  absl::Status Check(const absl::StatusOr<size_t>& sent);
  void Refuse(Refusal kind, const absl::Status& status);
  void Fail(absl::Status status);
  void End();

  yjs::Document& document_;
  RoomCipher& cipher_;
  const RoomOptions options_;
  PeerList peers_{cipher_};
  RoomSender sender_{cipher_};
  RoomAwareness awareness_;
  RefusalCounts refusals_;
  AnswerBudget answers_{kMaxAnswers, kMaxAnswerBytes};
  bool over_ = false;
  bool left_ = false;   // on this connection
  std::string own_id_;  // "" before peer/info
  std::string own_name_;
  std::string host_id_;  // "" before peer/init
  bool read_only_ = false;
  std::optional<RoomCaret> caret_;
  // What peers may have missed, the oldest first.
  struct OwnUpdate {
    TimePoint sent_at{};
    std::string update{};
  };
  std::deque<OwnUpdate> own_updates_;
  size_t own_update_bytes_ = 0;
  // Questions that the host has not answered, the oldest first: he may answer those of a connection
  // that is lost over the next one.
  struct Question {
    TimePoint at{};
    uint64_t count = 1;  // of questions of that time, or later
  };
  std::deque<Question> questions_;
  TimePoint arrived_until_{};  // what was sent before has reached him
  uint64_t client_ = 0;        // of the document, as awareness has it
  std::string active_path_;
  bool synced_ = false;             // the active file
  std::set<std::string> followed_;  // all that were active
  std::optional<TimePoint> resync_at_;
  std::optional<TimePoint> join_until_;
  std::deque<RoomEvent> events_;
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_SESSION_H_
