#include "crdt/yjs/pending_structs.h"

#include <string_view>
#include <variant>

namespace cursorwire::yjs {
namespace {

std::string_view* YjsRootNameOf(Parent& parent) {
  RootName* const root = std::get_if<RootName>(&parent);
  return root == nullptr ? nullptr : &root->name;
}

// Puts the bytes of the views of `item` into one place, and makes them views of it.
std::vector<char> KeepYjsBytes(Struct& item) {
  std::vector<char> bytes;
  std::string_view* const views[] = {YjsRootNameOf(item.parent), item.key ? &*item.key : nullptr,
                                     &item.content.bytes};
  size_t size = 0;
  for (const std::string_view* view : views) size += view == nullptr ? 0 : view->size();
  bytes.reserve(size);
  for (std::string_view* view : views) {
    if (view == nullptr) continue;
    const size_t at = bytes.size();
    bytes.insert(bytes.end(), view->begin(), view->end());
    *view = {bytes.data() + at, view->size()};
  }
  return bytes;
}

}  // namespace

void PendingStructs::Add(const Struct& item) {
  Queue& queue = queues_[item.id.client];
  if (const auto there = queue.structs.find(item.id.clock); there != queue.structs.end()) {
    if (there->second.item.length >= item.length) return;
    Remove(item.id.client, item.id.clock);
  }
  Entry entry{.item = item, .age = next_age_++};
  entry.bytes = KeepYjsBytes(entry.item);
  bytes_ += CostOf(entry);
  ages_.emplace_hint(ages_.end(), entry.age, ClientAndClock(item.id.client, item.id.clock));
  queues_[item.id.client].structs.emplace(item.id.clock, std::move(entry));
  while (ages_.size() > limits_.max_structs || bytes_ > limits_.max_bytes) DropOldest();
}

const Struct* PendingStructs::First(uint64_t client) const {
  const auto queue = queues_.find(client);
  return queue == queues_.end() ? nullptr : &queue->second.structs.begin()->second.item;
}

void PendingStructs::RemoveFirst(uint64_t client) {
  Remove(client, queues_.find(client)->second.structs.begin()->first);
}

void PendingStructs::Remove(uint64_t client, uint64_t clock) {
  const auto of_client = queues_.find(client);
  Queue& queue = of_client->second;
  const auto entry = queue.structs.find(clock);
  bytes_ -= CostOf(entry->second);
  ages_.erase(entry->second.age);
  if (entry == queue.structs.begin()) StopWaiting(client, queue);
  queue.structs.erase(entry);
  if (queue.structs.empty()) queues_.erase(of_client);
}

void PendingStructs::DropOldest() {
  const auto [client, clock] = ages_.begin()->second;
  Remove(client, clock);
  overflowed_ = true;
}

void PendingStructs::StopWaiting(uint64_t client, Queue& queue) {
  if (!queue.missing) return;
  waiting_.erase({{queue.missing->client, queue.missing->clock}, client});
  queue.missing.reset();
}

void PendingStructs::WaitFor(uint64_t client, const Id& missing) {
  Queue& queue = queues_.find(client)->second;
  StopWaiting(client, queue);
  queue.missing = missing;
  waiting_.insert({{missing.client, missing.clock}, client});
}

void PendingStructs::TakeReady(uint64_t client, uint64_t next_clock, std::vector<uint64_t>& ready) {
  auto entry = waiting_.lower_bound({{client, 0}, 0});
  while (entry != waiting_.end() && entry->first < ClientAndClock(client, next_clock)) {
    ready.push_back(entry->second);
    queues_.find(entry->second)->second.missing.reset();
    entry = waiting_.erase(entry);
  }
}

void PendingStructs::AddDelete(uint64_t client, const ClockRange& range) {
  if (delete_ranges_ >= limits_.max_structs) {
    overflowed_ = true;
    return;
  }
  ClockRanges& ranges = deletes_[client];
  delete_ranges_ -= ranges.size();
  ranges.Add(range);
  delete_ranges_ += ranges.size();
}

ClockRange PendingStructs::TakeDelete(uint64_t client, uint64_t next_clock) {
  const auto found = deletes_.find(client);
  if (found == deletes_.end()) return {};
  ClockRanges& ranges = found->second;
  delete_ranges_ -= ranges.size();
  const ClockRange range = ranges.TakeBelow(next_clock);
  delete_ranges_ += ranges.size();
  if (ranges.empty()) deletes_.erase(found);
  return range;
}

}  // namespace cursorwire::yjs
