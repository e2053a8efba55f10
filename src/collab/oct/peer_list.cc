#include "collab/oct/peer_list.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::oct {
namespace {

constexpr size_t kMaxQuotedNameBytes = 100;

}  // namespace

absl::Status PeerList::Add(const RoomPeer& peer) {
  if (gone_.contains(peer.id)) return absl::OkStatus();
  auto found = peers_.find(peer.id);
  if (found != peers_.end() && found->second.peer.public_key == peer.public_key) {
    found->second.peer.name = peer.name;
    return absl::OkStatus();
  }
  if (found == peers_.end()) {
    if (peers_.size() >= kMaxRoomPeers) {
      return absl::ResourceExhaustedError(
          absl::StrCat("more than ", kMaxRoomPeers, " peers are in the room"));
    }
    found = peers_.emplace(peer.id, Entry()).first;
  }
  found->second.peer = peer;
  const absl::Status added = cipher_.AddPeer(peer.id, peer.public_key);
  SetReceiver(peer.id);
  if (added.ok()) return absl::OkStatus();
  return Annotate(added, absl::StrCat("the peer \"", Printable(peer.name, kMaxQuotedNameBytes),
                                      "\" gets nothing of us"));
}

absl::Status PeerList::Remove(const std::string& id) {
  if (!has_init_ && gone_.size() < kMaxRoomPeers) gone_.insert(id);
  if (peers_.erase(id) == 0) return absl::OkStatus();
  const bool knew_key = cipher_.HasPeer(id);
  cipher_.RemovePeer(id);
  SetReceiver(id);
  return knew_key ? cipher_.Renew() : absl::OkStatus();
}

void PeerList::Init() {
  has_init_ = true;
  gone_.clear();
}

const RoomPeer* PeerList::Find(std::string_view id) const {
  const auto found = peers_.find(id);
  return found == peers_.end() ? nullptr : &found->second.peer;
}

AnswerBudget* PeerList::BudgetOf(std::string_view id) {
  const auto found = peers_.find(id);
  return found == peers_.end() || !cipher_.HasPeer(id) ? nullptr : &found->second.budget;
}

// Puts it among the receivers, or takes it out.
void PeerList::SetReceiver(const std::string& id) {
  const auto place = std::lower_bound(receivers_.begin(), receivers_.end(), id);
  const bool is_there = place != receivers_.end() && *place == id;
  if (is_there == cipher_.HasPeer(id)) return;
  if (is_there) {
    receivers_.erase(place);
  } else {
    receivers_.insert(place, id);
  }
}

}  // namespace cursorwire::oct
