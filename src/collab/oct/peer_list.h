#ifndef CURSORWIRE_SRC_COLLAB_OCT_PEER_LIST_H_
#define CURSORWIRE_SRC_COLLAB_OCT_PEER_LIST_H_

#include <absl/status/status.h>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collab/oct/answer_budget.h"
#include "collab/oct/room_cipher.h"
#include "collab/oct/room_peer.h"

namespace cursorwire::oct {

// Peers in the list, without ourselves. Further ones are not taken, and get nothing.
constexpr size_t kMaxRoomPeers = 1024;
static_assert(kMaxRoomPeers == RoomCipher::kMaxPeers);
// Answers to one peer within AnswerBudget::kWindow, and their bytes. Questions beyond it are
// dropped.
constexpr uint32_t kMaxAnswersToPeer = 20;
constexpr size_t kMaxAnswerBytesToPeer = size_t{8} * 1024 * 1024;

// Who else is in the room, and gets what we send: docs/collab/oct.md, "Methods". It keeps the keys
// of `cipher` in step, which must outlive it. Thread-compatible.
class PeerList {
 public:
  explicit PeerList(RoomCipher& cipher) : cipher_(cipher) {}

  // Adds it, or puts it in place of the one with its id.
  //   kInvalidArgument    its key is of no use; it is in the list, and gets nothing. Said once for
  //                       each such key of a peer.
  //   kResourceExhausted  kMaxRoomPeers are there; it was not added
  absl::Status Add(const RoomPeer& peer);
  // Somebody of whom we may not have heard yet: until Init() Add() ignores this id.
  //   kInternal  there is no new key for what is sent from now on, which this peer must not read
  absl::Status Remove(const std::string& id);
  // The host's list has been taken.
  void Init();

  // Valid until the next call that is not const. nullptr: not there.
  const RoomPeer* Find(std::string_view id) const;
  size_t size() const { return peers_.size(); }
  // Ids of those with a key, ascending.
  const std::vector<std::string>& receivers() const { return receivers_; }
  // Those to whom something may be answered. nullptr: not there, or has no key.
  AnswerBudget* BudgetOf(std::string_view id);

 private:
  struct Entry {
    RoomPeer peer{};
    AnswerBudget budget{kMaxAnswersToPeer, kMaxAnswerBytesToPeer};
  };

  void SetReceiver(const std::string& id);

  RoomCipher& cipher_;
  std::map<std::string, Entry, std::less<>> peers_;
  std::vector<std::string> receivers_;
  bool has_init_ = false;
  std::set<std::string> gone_;  // before Init(); at most kMaxRoomPeers
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_PEER_LIST_H_
