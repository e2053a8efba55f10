#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_AWARENESS_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_AWARENESS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collab/oct/awareness_state.h"
#include "crdt/yjs/awareness.h"

namespace cursorwire::oct {

// Bytes of the states that a peer gets who asks for all. The own state comes first, and those that
// do not fit are left out: each peer also tells of itself.
constexpr size_t kMaxAwarenessAnswerBytes = size_t{512} * 1024;

// What the peers of a room tell of themselves, as the payloads of the sync/awareness messages have
// it: which file each looks at. No I/O; time is an argument.
//
// Order: any. After each call: TakeUpdate(), and OnDeadline() at deadline().
// Memory: that of yjs::AwarenessStates, and one path for each client.
// Thread-compatible. Source: docs/collab/oct.md, "Documents".
class RoomAwareness {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Between two own states that are sent, so that nobody who asks makes us send more.
  static constexpr std::chrono::milliseconds kSendGap{100};

  // `client`: of the document.
  explicit RoomAwareness(uint64_t client) : client_(client) { states_.emplace(client); }

  // The document goes by another client id from now on. Our state moves there.
  void SetClient(uint64_t client, TimePoint now);

  // The own state. The same as before is not sent again; false then.
  bool SetOwn(std::string_view state);
  // To be sent once more, as after a connection was lost.
  void SendOwnAgain();
  // What waits to be sent is not sent any more.
  void OnDisconnected() { waiting_.reset(); }
  void Leave();

  // Whether some other client has another state now.
  //   kInvalidArgument    it does not follow the format
  //   kResourceExhausted  more clients than yjs::kMaxAwarenessClients
  absl::StatusOr<bool> Apply(std::string_view payload, TimePoint now);

  // For all peers; nullopt: they have it, or it is too early.
  std::optional<std::string> TakeUpdate(TimePoint now);
  // The same at once.
  std::optional<std::string> TakeLastUpdate(TimePoint now);
  // For a peer that asks.
  std::string All() const;

  // The file that the peer with this id looks at; empty: none, or not known. If several clients say
  // that they are this peer, the one counts that said it first.
  std::string PathOf(std::string_view peer);

  std::optional<TimePoint> deadline() const;
  // Too early it does nothing.
  void OnDeadline(TimePoint now);

 private:
  void Read(const std::vector<uint64_t>& changed);

  uint64_t client_;
  std::optional<yjs::AwarenessStates> states_;  // always there; another one for another client
  std::optional<std::string> own_;              // nullopt: none was set
  std::optional<std::string> waiting_;          // an update, for kSendGap
  std::optional<TimePoint> sent_;
  std::map<uint64_t, AwarenessState> read_;  // by client; those that name a peer
  std::optional<uint64_t> followed_;         // whom PathOf() found last
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_AWARENESS_H_
