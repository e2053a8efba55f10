#include "crdt/yjs/awareness.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"
#include "crdt/yjs/primitives.h"

namespace cursorwire::yjs {
namespace {

constexpr size_t kYjsEntryBytes = 3;  // the least that an entry has

bool IsYjsStateTaken(std::string_view state) {
  return state.size() <= kMaxAwarenessStateBytes && IsUtf8(state);
}

}  // namespace

absl::StatusOr<std::vector<AwarenessEntry>> ReadAwareness(std::string_view bytes) {
  crdt::ByteReader reader(bytes);
  std::vector<AwarenessEntry> entries;
  const uint64_t count = TakeNumber(reader);
  if (count > reader.rest().size() / kYjsEntryBytes) reader.Fail();
  if (!reader.failed() && count > kMaxAwarenessClients) {
    return absl::ResourceExhaustedError(absl::StrCat("an awareness update of ", count, " clients"));
  }
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) {
    AwarenessEntry entry;
    entry.client = TakeNumber(reader);
    entry.clock = TakeNumber(reader);
    entry.state = reader.TakeString();
    if (IsYjsStateTaken(entry.state)) entries.push_back(entry);
  }
  if (reader.failed() || !reader.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("an awareness update of ", bytes.size(), " bytes does not follow the format"));
  }
  return entries;
}

std::string WriteAwareness(std::span<const AwarenessEntry> entries) {
  std::string out;
  crdt::AppendUint(out, entries.size());
  for (const AwarenessEntry& entry : entries) {
    crdt::AppendUint(out, entry.client);
    crdt::AppendUint(out, entry.clock);
    crdt::AppendString(out, entry.state);
  }
  return out;
}

void AwarenessStates::SetOwn(std::string_view state) {
  if (state == kGoneState) return Leave();
  own_state_ = std::string(state);
  RaiseAbove(own_clock_);
}

void AwarenessStates::Leave() {
  if (!own_state_) return;
  own_state_.reset();
  RaiseAbove(own_clock_);
}

std::vector<uint64_t> AwarenessStates::Apply(std::span<const AwarenessEntry> entries,
                                             TimePoint now) {
  std::set<uint64_t> changed;
  for (const AwarenessEntry& entry : entries) {
    if (entry.client == own_client_) {
      ApplyToOwn(entry);
    } else if (ApplyToOther(entry, now)) {
      changed.insert(entry.client);
    }
  }
  return {changed.begin(), changed.end()};
}

void AwarenessStates::ApplyToOwn(const AwarenessEntry& entry) {
  if (own_state_ && entry.state == kGoneState && entry.clock >= own_clock_) {
    return RaiseAbove(entry.clock);
  }
  // Somebody else has our client id. An answer would be answered, for ever.
  own_clock_ = std::max(own_clock_, entry.clock);
}

bool AwarenessStates::ApplyToOther(const AwarenessEntry& entry, TimePoint now) {
  auto found = others_.find(entry.client);
  const bool known = found != others_.end();
  const uint64_t clock = known ? found->second.clock : 0;
  const bool gone = entry.state == kGoneState;
  const bool removes = entry.clock == clock && gone && known && found->second.state;
  if (entry.clock <= clock && !removes) return false;
  if (!known) {
    if (!MakeRoom()) return false;
    found = others_.emplace(entry.client, Other()).first;
  }
  Other& other = found->second;
  const bool changed = gone ? other.state.has_value() : other.state != entry.state;
  other.clock = entry.clock;
  other.received = now;
  if (gone) {
    other.state.reset();
  } else if (changed) {
    other.state = std::string(entry.state);
  }
  return changed;
}

bool AwarenessStates::MakeRoom() {
  if (others_.size() + 1 < kMaxAwarenessClients) return true;
  auto oldest = others_.end();
  for (auto i = others_.begin(); i != others_.end(); ++i) {
    if (i->second.state) continue;
    if (oldest == others_.end() || i->second.received < oldest->second.received) oldest = i;
  }
  if (oldest == others_.end()) return false;
  others_.erase(oldest);
  return true;
}

void AwarenessStates::RaiseAbove(uint64_t clock) {
  // Peers cannot read a higher one. Who comes there needs another client id.
  own_clock_ = std::min(clock + 1, kHighestNumber);
  to_send_ = true;
}

std::optional<std::string> AwarenessStates::TakeUpdate(TimePoint now) {
  if (!to_send_) return std::nullopt;
  to_send_ = false;
  sent_ = now;
  const AwarenessEntry own{.client = own_client_,
                           .clock = own_clock_,
                           .state = own_state_ ? std::string_view(*own_state_) : kGoneState};
  return WriteAwareness({&own, 1});
}

std::optional<AwarenessStates::TimePoint> AwarenessStates::deadline() const {
  std::optional<TimePoint> first;
  if (own_state_ && !to_send_) first = sent_ + kSendAgainAfter;
  for (const auto& [client, other] : others_) {
    if (!other.state) continue;
    const TimePoint end = other.received + kForgetAfter;
    first = first ? std::min(*first, end) : end;
  }
  return first;
}

std::vector<uint64_t> AwarenessStates::OnDeadline(TimePoint now) {
  if (own_state_ && !to_send_ && now >= sent_ + kSendAgainAfter) RaiseAbove(own_clock_);
  std::vector<uint64_t> forgotten;
  for (auto& [client, other] : others_) {
    if (!other.state || now < other.received + kForgetAfter) continue;
    other.state.reset();
    forgotten.push_back(client);
  }
  return forgotten;
}

std::vector<AwarenessEntry> AwarenessStates::All() const {
  std::vector<AwarenessEntry> entries;
  if (own_state_) entries.push_back({own_client_, own_clock_, *own_state_});
  for (const auto& [client, other] : others_) {
    if (other.state) entries.push_back({client, other.clock, *other.state});
  }
  return entries;
}

}  // namespace cursorwire::yjs
