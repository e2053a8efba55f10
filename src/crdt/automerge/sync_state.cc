#include "crdt/automerge/sync_state.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace cursorwire::automerge {
namespace {

std::vector<ChangeHash> Sorted(std::vector<ChangeHash> hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

// In sorted ones.
bool Contains(const std::vector<ChangeHash>& hashes, const ChangeHash& hash) {
  return std::binary_search(hashes.begin(), hashes.end(), hash);
}

}  // namespace

bool SyncState::HasAll(const std::vector<ChangeHash>& hashes) const {
  return std::all_of(hashes.begin(), hashes.end(),
                     [this](const ChangeHash& hash) { return document_.Has(hash); });
}

bool SyncState::has_all_of_peer() const {
  return their_heads_ && !their_heads_->empty() && HasAll(*their_heads_);
}

// --- what they say

absl::Status SyncState::Receive(const SyncMessage& message) {
  if (absl::Status status = document_.NeedHistory(); !status.ok()) return status;
  in_flight_ = false;
  const std::vector<ChangeHash> before = document_.heads();
  absl::Status status;
  size_t bytes = 0;
  for (const std::string_view change : message.changes) bytes += change.size();
  budget_.BeginMessage(bytes);
  for (const std::string_view change : message.changes) {
    status.Update(waiting_.Add(change, &budget_));
    if (budget_.has_ended()) break;
  }
  NoteHeads(message, before);
  their_have_ = message.have;
  their_heads_ = Sorted(message.heads);
  their_need_ = message.need;
  return status;
}

void SyncState::NoteHeads(const SyncMessage& message, const std::vector<ChangeHash>& before) {
  if (!message.changes.empty()) {
    // What is new came from them, and what was shared and is still a head is shared.
    std::vector<ChangeHash> shared;
    for (const ChangeHash& head : document_.heads()) {
      if (!Contains(before, head) || Contains(shared_heads_, head)) shared.push_back(head);
    }
    shared_heads_ = Sorted(std::move(shared));
  }
  ForgetSent(message.heads);
  if (message.changes.empty() && Sorted(message.heads) == before) last_sent_heads_ = before;
  if (HasAll(message.heads)) {
    shared_heads_ = Sorted(message.heads);
    if (message.heads.empty()) {  // they have lost everything
      last_sent_heads_.clear();
      sent_.clear();
    }
    return;
  }
  for (const ChangeHash& head : message.heads) {
    if (document_.Has(head)) shared_heads_.push_back(head);
  }
  shared_heads_ = Sorted(std::move(shared_heads_));
}

// Their heads say that they have all that those depend on.
void SyncState::ForgetSent(const std::vector<ChangeHash>& heads) {
  if (sent_.empty()) return;
  const ChangeLog& changes = document_.changes();
  const uint32_t least = *sent_.begin();
  std::set<uint32_t, std::greater<>> open;
  for (const ChangeHash& head : heads) {
    const std::optional<uint32_t> change = changes.Find(head);
    if (change && *change >= least) open.insert(*change);
  }
  while (!open.empty() && !sent_.empty()) {
    const uint32_t change = *open.begin();
    open.erase(open.begin());
    sent_.erase(change);
    for (const uint32_t dep : changes.DepsOf(change)) {
      if (dep >= least) open.insert(dep);
    }
  }
}

// --- what we say

std::optional<SyncMessage> SyncState::Next() {
  if (!document_.NeedHistory().ok()) return std::nullopt;
  const std::vector<ChangeHash>& heads = document_.heads();
  SyncMessage message{.heads = heads};
  if (their_heads_) message.need = waiting_.MissingFor(*their_heads_);
  message.have = OwnHave(message.need);
  std::vector<uint32_t> changes;
  const bool lost = their_have_ && !their_have_->empty() && !HasAll(their_have_->front().last_sync);
  if (lost) {
    // They build on what is not here any more: begin anew.
    message.need.clear();
    message.have = {SyncMessage::Have()};
  } else {
    changes = ChangesToSend();
  }
  if (last_sent_heads_ == heads && have_responded_) {
    const bool same = their_heads_ && *their_heads_ == heads && changes.empty();
    if (same || in_flight_) return std::nullopt;
  }
  // What brought nothing new when it was said brings nothing when it is said again: they have a
  // change that is refused here, or that was dropped.
  const Said said{heads, message.need, shared_heads_, their_heads_};
  if (changes.empty() && last_said_ == said) return std::nullopt;
  last_said_ = said;
  for (const uint32_t change : changes) message.changes.push_back(document_.ChunkOf(change));
  have_responded_ = true;
  last_sent_heads_ = heads;
  sent_.insert(changes.begin(), changes.end());
  in_flight_ = true;
  return message;
}

std::vector<SyncMessage::Have> SyncState::OwnHave(const std::vector<ChangeHash>& need) const {
  // What lacks in between is asked for by name first.
  const bool heads_alone = std::all_of(need.begin(), need.end(), [this](const ChangeHash& hash) {
    return Contains(*their_heads_, hash);
  });
  if (!heads_alone) return {};
  std::vector<ChangeHash> since;
  for (const uint32_t change : document_.changes().Since(shared_heads_)) {
    since.push_back(document_.changes().hash(change));
  }
  return {{.last_sync = shared_heads_, .filter = BloomFilter(since)}};
}

std::vector<uint32_t> SyncState::ChangesToSend() const {
  if (!their_have_) return {};
  std::set<uint32_t> changes;
  if (!their_have_->empty()) {
    const std::vector<uint32_t> lacking = ChangesNotInFilters();
    changes.insert(lacking.begin(), lacking.end());
  }
  for (const ChangeHash& hash : their_need_) {
    if (const std::optional<uint32_t> change = document_.changes().Find(hash)) {
      changes.insert(*change);
    }
  }
  std::vector<uint32_t> unsent;
  std::set_difference(changes.begin(), changes.end(), sent_.begin(), sent_.end(),
                      std::back_inserter(unsent));
  return unsent;
}

// All since the last exchange that no filter of theirs has, and what depends on such.
std::vector<uint32_t> SyncState::ChangesNotInFilters() const {
  const ChangeLog& changes = document_.changes();
  std::vector<ChangeHash> last_sync;
  for (const SyncMessage::Have& have : *their_have_) {
    last_sync.insert(last_sync.end(), have.last_sync.begin(), have.last_sync.end());
  }
  std::set<uint32_t> lacking;
  for (const uint32_t change : changes.Since(last_sync)) {
    const std::span<const uint32_t> deps = changes.DepsOf(change);
    const bool follows = std::any_of(deps.begin(), deps.end(),
                                     [&lacking](uint32_t dep) { return lacking.contains(dep); });
    const bool in_filter =
        std::any_of(their_have_->begin(), their_have_->end(), [&](const SyncMessage::Have& have) {
          return have.filter.MayContain(changes.hash(change));
        });
    if (follows || !in_filter) lacking.insert(change);
  }
  return {lacking.begin(), lacking.end()};
}

}  // namespace cursorwire::automerge
