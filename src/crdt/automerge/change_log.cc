#include "crdt/automerge/change_log.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace cursorwire::automerge {
namespace {

constexpr size_t kFewDeps = 4;

}  // namespace

std::optional<uint32_t> ChangeLog::Find(const ChangeHash& hash) const {
  // Most changes depend on the one before.
  if (!hashes_.empty() && hashes_.back() == hash) return static_cast<uint32_t>(hashes_.size() - 1);
  const auto found = indexes_.find(hash);
  return found == indexes_.end() ? std::nullopt : std::optional(*found);
}

std::span<const uint32_t> ChangeLog::DepsOf(uint32_t change) const {
  const Info& info = infos_[change];
  if (info.deps_count == 1) return {&info.deps_at, 1};
  return std::span(deps_).subspan(info.deps_at, info.deps_count);
}

const ChangeExtra& ChangeLog::ExtraOf(uint32_t change) const {
  static const ChangeExtra kNone;
  const uint32_t extra = infos_[change].extra;
  return extra == 0 ? kNone : extras_[extra - 1];
}

std::span<const uint32_t> ChangeLog::ChangesOf(uint32_t actor) const {
  if (actor >= of_actors_.size()) return {};
  return of_actors_[actor];
}

uint64_t ChangeLog::SeqOf(uint32_t change) const {
  const std::vector<uint32_t>& changes = of_actors_[infos_[change].actor];
  if (changes.back() == change) return changes.size();
  const auto place = std::lower_bound(changes.begin(), changes.end(), change);
  return static_cast<uint64_t>(place - changes.begin()) + 1;
}

// From the newest on, as long as one is in hand that they may not have: what is old costs nothing.
std::vector<uint32_t> ChangeLog::Since(std::span<const ChangeHash> hashes) const {
  // Whether they have it.
  std::map<uint32_t, bool, std::greater<>> open;
  size_t new_ones = 0;
  const auto add = [&open, &new_ones](uint32_t change, bool known) {
    const auto [place, added] = open.emplace(change, known);
    if (added && !known) ++new_ones;
    if (!added && known && !place->second) {
      place->second = true;
      --new_ones;
    }
  };
  for (const ChangeHash& hash : hashes) {
    if (const std::optional<uint32_t> change = Find(hash)) add(*change, true);
  }
  std::vector<uint32_t> since;
  if (open.empty()) {
    since.resize(size());
    std::iota(since.begin(), since.end(), 0U);
    return since;
  }
  for (const ChangeHash& head : heads_) add(*Find(head), false);
  while (new_ones > 0) {
    const auto [change, known] = *open.begin();
    open.erase(open.begin());
    if (!known) {
      since.push_back(change);
      --new_ones;
    }
    for (const uint32_t dep : DepsOf(change)) add(dep, known);
  }
  std::reverse(since.begin(), since.end());
  return since;
}

void ChangeLog::Add(const ChangeHash& hash, Info info, std::span<const uint32_t> deps,
                    ChangeExtra extra) {
  const auto change = static_cast<uint32_t>(infos_.size());
  info.deps_count = static_cast<uint32_t>(deps.size());
  if (deps.size() == 1) {
    info.deps_at = deps[0];
  } else {
    info.deps_at = static_cast<uint32_t>(deps_.size());
    deps_.insert(deps_.end(), deps.begin(), deps.end());
  }
  if (extra != ChangeExtra()) {
    extras_.push_back(std::move(extra));
    info.extra = static_cast<uint32_t>(extras_.size());
  }
  infos_.push_back(info);
  hashes_.push_back(hash);
  indexes_.insert(change);
  if (info.actor >= of_actors_.size()) of_actors_.resize(size_t{info.actor} + 1);
  of_actors_[info.actor].push_back(change);
  if (deferred_from_) return;
  if (deps.size() <= kFewDeps) {
    for (const uint32_t dep : deps) DropHead(hashes_[dep]);
  } else {
    std::vector<ChangeHash> gone;
    gone.reserve(deps.size());
    for (const uint32_t dep : deps) gone.push_back(hashes_[dep]);
    DropHeads(std::move(gone));
  }
  heads_.insert(std::upper_bound(heads_.begin(), heads_.end(), hash), hash);
}

// A dep of an old change is looked for among the heads, and marked there: however often it is
// named, it takes a bit.
void ChangeLog::SettleHeads() {
  if (!deferred_from_) return;
  const size_t first = *std::exchange(deferred_from_, std::nullopt);
  if (first == size()) return;
  std::vector<bool> is_dep(size() - first);
  std::vector<bool> is_gone(heads_.size());
  for (size_t change = first; change < size(); ++change) {
    for (const uint32_t dep : DepsOf(static_cast<uint32_t>(change))) {
      if (dep >= first) {
        is_dep[dep - first] = true;
        continue;
      }
      const auto head = std::lower_bound(heads_.begin(), heads_.end(), hashes_[dep]);
      if (head != heads_.end() && *head == hashes_[dep]) {
        is_gone[static_cast<size_t>(head - heads_.begin())] = true;
      }
    }
  }
  size_t index = 0;
  std::erase_if(heads_, [&](const ChangeHash&) { return is_gone[index++]; });
  const auto old_heads = static_cast<std::ptrdiff_t>(heads_.size());
  for (size_t change = first; change < size(); ++change) {
    if (!is_dep[change - first]) heads_.push_back(hashes_[change]);
  }
  std::sort(heads_.begin() + old_heads, heads_.end());
  std::inplace_merge(heads_.begin(), heads_.begin() + old_heads, heads_.end());
}

void ChangeLog::DropHead(const ChangeHash& hash) {
  const auto head = std::lower_bound(heads_.begin(), heads_.end(), hash);
  if (head != heads_.end() && *head == hash) heads_.erase(head);
}

void ChangeLog::DropHeads(std::vector<ChangeHash> gone) {
  if (gone.size() <= kFewDeps) {
    for (const ChangeHash& hash : gone) DropHead(hash);
    return;
  }
  std::sort(gone.begin(), gone.end());
  std::erase_if(heads_, [&gone](const ChangeHash& head) {
    return std::binary_search(gone.begin(), gone.end(), head);
  });
}

}  // namespace cursorwire::automerge
