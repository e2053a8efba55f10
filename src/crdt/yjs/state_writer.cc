#include "crdt/yjs/state_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "crdt/bytes/byte_writer.h"

namespace cursorwire::yjs {

using crdt::AppendUint;

StateWriter::StateWriter(const ItemStore& items, const PendingStructs& pending,
                         const StateVector& theirs, size_t max_bytes)
    : items_(items), max_bytes_(max_bytes) {
  for (const Id& next : theirs) theirs_[next.client] = next.clock;
  for (const ItemStore::Client& client : items.clients()) {
    if (client.next_clock > 0) clients_[client.id].client = &client;
  }
  pending.ForEach(
      [this](const Struct& item) { clients_[item.id.client].waiting.push_back(&item); });
  pending.ForEachDeletes([this](uint64_t client, const ClockRanges& ranges) {
    clients_[client].waiting_deletes = &ranges;
  });
}

std::optional<std::string> StateWriter::Write() {
  uint64_t count = 0;
  std::string structs;
  std::vector<ClientDeletes> deletes;
  for (const auto& [id, known] : clients_) {
    const Output output = StructsOf(id, known);
    if (output.count > 0) {
      ++count;
      AppendUint(structs, output.count);
      AppendUint(structs, id);
      AppendUint(structs, output.first_clock);
      structs += output.structs;
      if (structs.size() > max_bytes_) return std::nullopt;
    }
    std::vector<ClockRange> ranges = DeletesOf(known);
    if (!ranges.empty()) deletes.push_back({.client = id, .ranges = std::move(ranges)});
  }
  std::string update;
  AppendUint(update, count);
  update += structs;
  AppendDeletes(update, deletes);
  if (update.size() > max_bytes_) return std::nullopt;
  return update;
}

StateWriter::Output StateWriter::StructsOf(uint64_t id, const Known& known) {
  Output output{.client = id};
  if (const auto next = theirs_.find(id); next != theirs_.end()) output.clock = next->second;
  output.first_clock = output.clock;
  if (known.client != nullptr && known.client->next_clock > output.clock) {
    WriteItems(*known.client, output);
  }
  for (const Struct* item : known.waiting) {
    if (output.structs.size() > max_bytes_) break;
    WriteWaiting(*item, output);
  }
  return output;
}

void StateWriter::WriteItems(const ItemStore::Client& client, Output& output) {
  auto place = std::prev(client.items.upper_bound(output.clock));
  while (place != client.items.end() && output.structs.size() <= max_bytes_) {
    place = WriteRun(client, place, output);
  }
}

Struct StateWriter::StructOf(const Item& item) const {
  Struct result{.id = items_.FirstId(item), .length = item.length};
  if (item.garbage) {
    result.kind = StructKind::kGarbage;
    return result;
  }
  result.content = {.kind = item.kind, .length = item.length, .bytes = item.bytes};
  result.has_key = item.key != kNone;
  if (item.origin != kNoId) result.origin = item.origin;
  if (item.right_origin != kNoId) result.right_origin = item.right_origin;
  if (result.origin || result.right_origin) return result;
  const ItemStore::List& list = items_.list(item.list);
  if (list.owner == kNone) {
    result.parent = RootName{.name = list.root};
  } else {
    result.parent = items_.FirstId(items_.item(list.owner));
  }
  if (item.key != kNone) result.key = items_.key(item.key);
  return result;
}

// Writes as many items as are one struct, and returns the place behind them.
StateWriter::ItemPlace StateWriter::WriteRun(const ItemStore::Client& client, ItemPlace first,
                                             Output& output) {
  Struct item = StructOf(items_.item(first->second));
  ItemPlace last = first;
  ItemPlace next = std::next(first);
  for (; next != client.items.end(); last = next++) {
    const Item& right = items_.item(next->second);
    if (!items_.AreOneRun(items_.item(last->second), right) || run_.size() > max_bytes_) break;
    if (last == first) run_ = item.content.bytes;
    run_ += right.bytes;
    item.length += right.length;
  }
  if (last != first) {
    item.content.length = item.length;
    item.content.bytes = run_;
  }
  WriteFrom(item, output);
  return next;
}

void StateWriter::WriteWaiting(const Struct& item, Output& output) {
  if (item.id.clock + item.length <= output.clock) return;
  if (item.id.clock > output.clock) {
    if (output.count == 0) {
      output.first_clock = item.id.clock;
    } else {
      AppendStruct(output.structs,
                   {.kind = StructKind::kSkip, .length = item.id.clock - output.clock});
      ++output.count;
    }
    output.clock = item.id.clock;
  }
  WriteFrom(item, output);
}

// Writes what of a struct is not written yet.
void StateWriter::WriteFrom(Struct item, Output& output) {
  const uint64_t known = output.clock - item.id.clock;
  output.clock = item.id.clock + item.length;
  ++output.count;
  if (known == 0) return AppendStruct(output.structs, item);
  item.length -= known;
  if (item.kind != StructKind::kItem) return AppendStruct(output.structs, item);
  item.origin = {.client = item.id.client, .clock = item.id.clock + known - 1};
  const ContentHalf rest = CutContent(item.content, known).second;
  item.content.length = rest.length;
  item.content.bytes = rest.bytes;
  item.has_key |= item.key.has_value();
  item.key.reset();
  AppendStruct(output.structs, item);
}

std::vector<ClockRange> StateWriter::DeletesOf(const Known& known) const {
  std::vector<ClockRange> ranges;
  if (known.client != nullptr) {
    for (const auto& [clock, index] : known.client->items) {
      const Item& item = items_.item(index);
      if (!item.deleted) continue;
      if (!ranges.empty() && ranges.back().clock + ranges.back().length == clock) {
        ranges.back().length += item.length;
      } else {
        ranges.push_back({.clock = clock, .length = item.length});
      }
    }
  }
  if (known.waiting_deletes != nullptr) {
    known.waiting_deletes->AppendTo(ranges);
    SortAndJoin(ranges);
  }
  return ranges;
}

}  // namespace cursorwire::yjs
