#include "collab/oct/room_awareness.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"

namespace cursorwire::oct {
namespace {

using yjs::AwarenessEntry;

// Beside its state, of an entry.
constexpr size_t kEntryHeadBytes = 24;

// Awareness updates are in one more buffer: docs/collab/oct.md, "Documents".
std::string InBuffer(std::string_view update) {
  std::string payload;
  crdt::AppendString(payload, update);
  return payload;
}

}  // namespace

void RoomAwareness::SetClient(uint64_t client, TimePoint now) {
  const yjs::AwarenessStates former = std::move(*states_);
  states_.emplace(client);
  // Who has the former id as well is another peer now, and tells of itself.
  std::vector<AwarenessEntry> others = former.All();
  std::erase_if(others, [this, client](const AwarenessEntry& entry) {
    return entry.client == client_ || entry.client == client;
  });
  client_ = client;
  waiting_.reset();
  states_->Apply(others, now);
  read_.erase(client);
  if (own_) states_->SetOwn(*own_);
}

bool RoomAwareness::SetOwn(std::string_view state) {
  if (own_ == state) return false;
  own_ = std::string(state);
  states_->SetOwn(state);
  return true;
}

void RoomAwareness::SendOwnAgain() {
  if (own_) states_->SetOwn(*own_);
}

void RoomAwareness::Leave() {
  own_.reset();
  states_->Leave();
}

absl::StatusOr<bool> RoomAwareness::Apply(std::string_view payload, TimePoint now) {
  crdt::ByteReader reader(payload);
  const std::string_view update = reader.TakeString();
  if (reader.failed() || !reader.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("an awareness message of ", payload.size(),
                                                   " bytes has another length than it says"));
  }
  const absl::StatusOr<std::vector<AwarenessEntry>> entries = yjs::ReadAwareness(update);
  if (!entries.ok()) return entries.status();
  const std::vector<uint64_t> changed = states_->Apply(*entries, now);
  Read(changed);
  return !changed.empty();
}

void RoomAwareness::Read(const std::vector<uint64_t>& changed) {
  if (changed.empty()) return;
  for (const uint64_t client : changed) read_.erase(client);
  for (const AwarenessEntry& entry : states_->All()) {
    if (!std::binary_search(changed.begin(), changed.end(), entry.client)) continue;
    if (std::optional<AwarenessState> state = ReadAwarenessState(entry.state)) {
      read_.emplace(entry.client, std::move(*state));
    }
  }
}

std::optional<std::string> RoomAwareness::TakeUpdate(TimePoint now) {
  if (const std::optional<std::string> update = states_->TakeUpdate(now)) {
    waiting_ = InBuffer(*update);
  }
  if (!waiting_ || (sent_ && now < *sent_ + kSendGap)) return std::nullopt;
  return TakeLastUpdate(now);
}

std::optional<std::string> RoomAwareness::TakeLastUpdate(TimePoint now) {
  if (const std::optional<std::string> update = states_->TakeUpdate(now)) {
    waiting_ = InBuffer(*update);
  }
  if (waiting_) sent_ = now;
  return std::exchange(waiting_, std::nullopt);
}

std::string RoomAwareness::All() const {
  std::vector<AwarenessEntry> entries;
  size_t bytes = 0;
  for (const AwarenessEntry& entry : states_->All()) {
    const size_t size = entry.state.size() + kEntryHeadBytes;
    if (size > kMaxAwarenessAnswerBytes - bytes) continue;
    bytes += size;
    entries.push_back(entry);
  }
  return InBuffer(yjs::WriteAwareness(entries));
}

std::string RoomAwareness::PathOf(std::string_view peer) {
  const auto is_peer = [peer](const auto& entry) { return entry.second.peer == peer; };
  auto found = followed_ ? read_.find(*followed_) : read_.end();
  if (found == read_.end() || !is_peer(*found)) {
    found = std::find_if(read_.begin(), read_.end(), is_peer);
  }
  if (found == read_.end()) return "";
  followed_ = found->first;
  return found->second.path;
}

std::optional<RoomAwareness::TimePoint> RoomAwareness::deadline() const {
  std::optional<TimePoint> first = states_->deadline();
  if (!waiting_ || !sent_) return first;
  const TimePoint send_at = *sent_ + kSendGap;
  return first ? std::min(*first, send_at) : send_at;
}

void RoomAwareness::OnDeadline(TimePoint now) {
  for (const uint64_t client : states_->OnDeadline(now)) read_.erase(client);
}

}  // namespace cursorwire::oct
