#include "crdt/yjs/document.h"

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <variant>

#include "base/strings.h"
#include "crdt/bytes/byte_writer.h"
#include "crdt/yjs/clock_ranges.h"
#include "crdt/yjs/state_writer.h"

namespace cursorwire::yjs {
namespace {

using crdt::TextSize;
using crdt::Unit;

constexpr int kMaxYjsSkipped = 1000;  // deleted ones behind a place

// True for a unit that `item` cannot know of.
bool IsYjsLater(const std::optional<Id>& unit, const Struct& item) {
  return unit && unit->client == item.id.client && unit->clock >= item.id.clock;
}

std::optional<Id> YjsParentOf(const Struct& item) {
  const Id* const parent = std::get_if<Id>(&item.parent);
  return parent == nullptr ? std::nullopt : std::optional<Id>(*parent);
}

void AddYjsRange(std::vector<ClientDeletes>& deletes, const Id& first, uint64_t length) {
  if (deletes.empty() || deletes.back().client != first.client) {
    deletes.push_back({.client = first.client});
  }
  deletes.back().ranges.push_back({.clock = first.clock, .length = length});
}

// One for each client, descending, with ascending ranges.
void SortYjsDeletes(std::vector<ClientDeletes>& deletes) {
  std::stable_sort(
      deletes.begin(), deletes.end(),
      [](const ClientDeletes& a, const ClientDeletes& b) { return a.client > b.client; });
  size_t count = 0;
  for (ClientDeletes& of_client : deletes) {
    if (count > 0 && deletes[count - 1].client == of_client.client) {
      std::vector<ClockRange>& ranges = deletes[count - 1].ranges;
      ranges.insert(ranges.end(), of_client.ranges.begin(), of_client.ranges.end());
    } else {
      if (&deletes[count] != &of_client) deletes[count] = std::move(of_client);
      ++count;
    }
  }
  deletes.resize(count);
  for (ClientDeletes& of_client : deletes) SortAndJoin(of_client.ranges);
}

}  // namespace

Document::Document(uint64_t client, ClientSource new_client, const DocumentLimits& limits)
    : client_(client),
      new_client_(std::move(new_client)),
      limits_(limits),
      pending_(limits.pending),
      steps_(limits.scan.saved) {}

// --- what others wrote

absl::StatusOr<bool> Document::Apply(std::string_view update) {
  changed_ = false;
  absl::StatusOr<Update> read = ReadUpdate(update);
  if (!read.ok()) return read.status();
  if (absl::Status status = Check(*read, update.size()); !status.ok()) return status;
  advanced_.clear();
  deferral_ = absl::OkStatus();
  is_rested_ = steps_ >= limits_.scan.saved;
  steps_ = std::min(steps_, limits_.scan.saved) + limits_.scan.of_update +
           std::min(limits_.scan.saved, limits_.scan.of_byte * update.size());
  LeaveClientOf(*read);
  items_.SetNoting(true);
  ApplyStructs(*read);
  if (is_rested_) advanced_.insert(advanced_.end(), deferred_.begin(), deferred_.end());
  ApplyWaiting();
  SortYjsDeletes(read->deletes);
  ApplyDeletes(read->deletes);
  ApplyWaitingDeletes();
  items_.SetNoting(false);
  if (!deferral_.ok()) return deferral_;
  return changed_;
}

absl::Status Document::Check(const Update& update, size_t bytes) const {
  if (bytes > limits_.max_bytes || items_.bytes() > limits_.max_bytes - bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("a Yjs update of ", bytes,
                                                     " bytes for a document of ", items_.bytes(),
                                                     ", limit ", limits_.max_bytes));
  }
  size_t items = items_.size();
  for (const ClientDeletes& of_client : update.deletes) items += 2 * of_client.ranges.size();
  for (const ClientStructs& of_client : update.clients) {
    items += 3 * of_client.structs.size();  // it may cut both its neighbours
    for (const Struct& item : of_client.structs) {
      if (IsYjsLater(item.origin, item) || IsYjsLater(item.right_origin, item) ||
          IsYjsLater(YjsParentOf(item), item)) {
        return absl::InvalidArgumentError(absl::StrCat("item ", item.id.clock, " of Yjs client ",
                                                       item.id.client, " names a later one"));
      }
    }
  }
  if (items > limits_.max_items) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a Yjs document of ", items_.size(), " items, limit ", limits_.max_items));
  }
  return CheckNames(update);
}

absl::Status Document::CheckNames(const Update& update) const {
  uint64_t bytes = items_.name_bytes();
  absl::flat_hash_set<absl::string_view> roots;
  absl::flat_hash_set<absl::string_view> keys;
  for (const ClientStructs& of_client : update.clients) {
    for (const Struct& item : of_client.structs) {
      const auto* const root = std::get_if<RootName>(&item.parent);
      if (root != nullptr && !items_.FindRoot(root->name) &&
          roots.insert(ToAbsl(root->name)).second) {
        bytes += BytesOfYjsName(root->name);
      }
      if (item.key && !items_.HasKey(*item.key) && keys.insert(ToAbsl(*item.key)).second) {
        bytes += BytesOfYjsName(*item.key);
      }
    }
  }
  // What has no name that is new is taken also where names of our own have filled the room.
  const bool has_new = !roots.empty() || !keys.empty();
  if (!has_new || bytes <= limits_.max_name_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("a Yjs document with names of ", bytes,
                                                   " bytes, limit ", limits_.max_name_bytes));
}

// Takes another client number if somebody else writes under ours.
void Document::LeaveClientOf(const Update& update) {
  const uint64_t next_clock = items_.NextClock(client_);
  bool taken = false;
  for (const ClientStructs& of_client : update.clients) {
    if (of_client.client != client_) continue;
    for (const Struct& item : of_client.structs) {
      taken |= item.kind != StructKind::kSkip && item.id.clock + item.length > next_clock;
    }
  }
  for (const ClientDeletes& of_client : update.deletes) {
    if (of_client.client != client_) continue;
    for (const ClockRange& range : of_client.ranges) {
      taken |= range.clock + range.length > next_clock;
    }
  }
  if (!taken) return;
  uint64_t client = new_client_();
  while (client == 0 || client == client_ || items_.NextClock(client) != 0) ++client;
  client_ = client;
}

void Document::ApplyStructs(const Update& update) {
  // What a client waits for, and its number in the update.
  absl::btree_set<std::pair<std::pair<uint64_t, uint64_t>, size_t>> waiting;
  std::vector<size_t> next(update.clients.size());
  std::vector<size_t> ready;
  for (size_t i = update.clients.size(); i > 0; --i) ready.push_back(i - 1);
  while (!ready.empty()) {
    const size_t number = ready.back();
    ready.pop_back();
    const ClientStructs& of_client = update.clients[number];
    if (const std::optional<Id> missing = ApplyFrom(of_client, next[number])) {
      waiting.insert({{missing->client, missing->clock}, number});
    }
    const uint64_t clock = items_.NextClock(of_client.client);
    auto entry = waiting.lower_bound({{of_client.client, 0}, 0});
    while (entry != waiting.end() && entry->first < std::pair(of_client.client, clock)) {
      ready.push_back(entry->second);
      entry = waiting.erase(entry);
    }
  }
  for (size_t i = 0; i < next.size(); ++i) Wait(update.clients[i], next[i]);
}

void Document::Defer(const Id& item) {
  if (deferred_.size() > 2 * limits_.pending.max_structs) {
    absl::erase_if(deferred_,
                   [this](uint64_t client) { return pending_.First(client) == nullptr; });
  }
  if (!deferred_.insert(item.client).second || !deferral_.ok()) return;
  deferral_ = absl::ResourceExhaustedError(
      absl::StrCat("the place of item ", item.clock, " of Yjs client ", item.client,
                   " takes more than the steps that are left: it waits"));
}

// Else its items would use up the steps that it lacks.
bool Document::MayTry(uint64_t client) const { return is_rested_ || !deferred_.contains(client); }

// Applies structs from number `next` on, which it sets to the first that cannot be applied.
std::optional<Id> Document::ApplyFrom(const ClientStructs& of_client, size_t& next) {
  const uint64_t first = items_.NextClock(of_client.client);
  uint64_t clock = first;
  std::optional<Id> missing;
  for (; next < of_client.structs.size(); ++next) {
    const Struct& item = of_client.structs[next];
    const uint64_t end = item.id.clock + item.length;
    if (item.kind == StructKind::kSkip || end <= clock) continue;
    missing = item.id.clock > clock ? Id{.client = item.id.client, .clock = item.id.clock - 1}
                                    : MissingFor(item);
    if (missing) break;
    if (!MayTry(item.id.client)) break;
    if (!Integrate(item)) {
      Defer(item.id);
      break;
    }
    clock = end;
  }
  if (clock != first) advanced_.push_back(of_client.client);
  return missing;
}

std::optional<Id> Document::MissingFor(const Struct& item) const {
  for (const std::optional<Id>& unit : {item.origin, item.right_origin, YjsParentOf(item)}) {
    if (unit && unit->client != item.id.client && !items_.Has(*unit)) return unit;
  }
  return std::nullopt;
}

void Document::Wait(const ClientStructs& of_client, size_t first) {
  if (first == of_client.structs.size()) return;
  for (size_t i = first; i < of_client.structs.size(); ++i) {
    if (of_client.structs[i].kind != StructKind::kSkip) pending_.Add(of_client.structs[i]);
  }
  advanced_.push_back(of_client.client);
}

void Document::ApplyWaiting() {
  if (pending_.empty()) return;
  // It grows meanwhile.
  size_t done = 0;
  while (done < advanced_.size()) {
    const uint64_t client = advanced_[done++];
    ApplyWaitingOf(client);
    pending_.TakeReady(client, items_.NextClock(client), advanced_);
  }
}

void Document::ApplyWaitingOf(uint64_t client) {
  if (!MayTry(client)) return;
  while (const Struct* const item = pending_.First(client)) {
    const uint64_t clock = items_.NextClock(client);
    if (item->id.clock > clock) return;
    if (item->id.clock + item->length > clock) {
      if (const std::optional<Id> missing = MissingFor(*item)) {
        return pending_.WaitFor(client, *missing);
      }
      if (!Integrate(*item)) return Defer(item->id);
    }
    pending_.RemoveFirst(client);
  }
  deferred_.erase(client);
}

// --- where an item goes: docs/collab/yjs.md, "Items"

// False: there are too few steps, and nothing has changed.
bool Document::Integrate(const Struct& item) {
  ItemStore::NewItem made{.origin = item.origin.value_or(kNoId),
                          .right_origin = item.right_origin.value_or(kNoId),
                          .content = item.content};
  const uint64_t known = items_.NextClock(item.id.client) - item.id.clock;
  if (item.kind == StructKind::kGarbage) {
    items_.AddGarbage(items_.ClientOf(item.id.client), item.length - known);
    return changed_ = true;
  }
  if (known == 0) return IntegrateItem(item, made);
  made.origin = {.client = item.id.client, .clock = item.id.clock + known - 1};
  const ContentHalf rest = CutContent(item.content, known).second;
  made.content.length = rest.length;
  made.content.bytes = rest.bytes;
  return IntegrateItem(item, made);
}

bool Document::IntegrateItem(const Struct& item, ItemStore::NewItem& made) {
  const bool is_known = items_.NextClock(item.id.client) > 0;
  if (is_known && items_.Append(items_.ClientOf(item.id.client), made.origin, made.right_origin,
                                made.content)) {
    return changed_ = true;
  }
  const std::optional<Gap> gap = FindNeighbours(made);
  if (!gap || !FindList(*gap, item, made)) {
    items_.AddGarbage(items_.ClientOf(item.id.client), made.content.length);
    return changed_ = true;
  }
  const std::optional<ItemIndex> left =
      HasConflict(made, *gap) ? ScanConflicts(item.id.client, made, *gap) : gap->left;
  if (!left) return false;
  made.client = items_.ClientOf(item.id.client);  // it is kept for good
  const ItemIndex first = items_.Insert(made, *left);
  const ItemIndex last = items_.clients()[made.client].last;
  if (made.key != kNone) {
    SettleEntry(first, last);
  } else {
    items_.JoinLeft(last);
  }
  return changed_ = true;
}

// Nothing: one of them is garbage.
std::optional<Document::Gap> Document::FindNeighbours(const ItemStore::NewItem& made) {
  Gap gap;
  if (made.origin != kNoId) gap.left = items_.EndingWith(made.origin);
  if (made.right_origin != kNoId) gap.right = items_.StartingWith(made.right_origin);
  for (const ItemIndex index : {gap.left, gap.right}) {
    if (index != kNone && items_.item(index).garbage) return std::nullopt;
  }
  return gap;
}

// False: there is none, or it is gone.
bool Document::FindList(const Gap& gap, const Struct& item, ItemStore::NewItem& made) {
  const ItemIndex neighbour = gap.left != kNone ? gap.left : gap.right;
  if (neighbour != kNone) {
    made.list = items_.item(neighbour).list;
    made.key = items_.item(neighbour).key;
    return true;
  }
  if (const auto* const root = std::get_if<RootName>(&item.parent)) {
    made.list = items_.RootOf(root->name);
  } else if (const auto* const parent = std::get_if<Id>(&item.parent)) {
    made.list = items_.item(items_.Find(*parent)).inner;
  }
  if (made.list == kNone) return false;
  if (item.key) made.key = items_.KeyOf(*item.key);
  return true;
}

bool Document::HasConflict(const ItemStore::NewItem& made, const Gap& gap) const {
  if (gap.left != kNone) return items_.item(gap.left).right != gap.right;
  if (gap.right != kNone) return items_.item(gap.right).left != kNone;
  return items_.FirstOf(made.list, made.key) != kNone;
}

// What the item goes behind, where others were put into the same gap. Nothing: there are too few
// steps.
std::optional<ItemIndex> Document::ScanConflicts(uint64_t client, const ItemStore::NewItem& made,
                                                 const Gap& gap) {
  const uint64_t scan = items_.next_stamp();
  uint64_t conflicting = scan;
  ItemIndex left = gap.left;
  ItemIndex index = left == kNone ? items_.FirstOf(made.list, made.key) : items_.item(left).right;
  for (; index != kNone && index != gap.right; index = items_.item(index).right) {
    if (steps_ == 0) return std::nullopt;
    --steps_;
    items_.Stamp(index);
    const Item& other = items_.item(index);
    if (other.origin == made.origin) {
      if (items_.clients()[other.client].id >= client) {
        if (other.right_origin == made.right_origin) break;
        continue;
      }
    } else {
      if (other.origin == kNoId) break;
      const uint64_t scanned = items_.item(items_.Find(other.origin)).scanned;
      if (scanned < scan) break;
      if (scanned >= conflicting) continue;
    }
    left = index;
    conflicting = items_.next_stamp();
  }
  return left;
}

// Of the values of a key only the last one stays. A new one is in the items from `first` to `last`.
void Document::SettleEntry(ItemIndex first, ItemIndex last) {
  const ItemIndex before = items_.item(first).left;
  if (items_.item(last).right != kNone) {
    for (ItemIndex index = last; index != before;) {
      const ItemIndex left = items_.item(index).left;
      items_.Delete(index);
      items_.Join(index);
      index = left;
    }
    return;
  }
  // The one before may be in several items, too.
  for (ItemIndex index = before; index != kNone && !items_.item(index).deleted;) {
    const ItemIndex left = items_.item(index).left;
    const bool goes_on = left != kNone && items_.IsGoneOnBy(left, index);
    items_.Delete(index);
    items_.Join(index);
    index = goes_on ? left : kNone;
  }
}

// --- deletes of others

// In the order of SortYjsDeletes(), so that no range is looked through twice.
void Document::ApplyDeletes(const std::vector<ClientDeletes>& deletes) {
  for (const ClientDeletes& of_client : deletes) {
    const uint64_t next_clock = items_.NextClock(of_client.client);
    for (const ClockRange& range : of_client.ranges) {
      const uint64_t end = range.clock + range.length;
      DeleteRange(of_client.client, range.clock, std::min(end, next_clock));
      if (end <= next_clock) continue;
      const uint64_t first = std::max(range.clock, next_clock);
      pending_.AddDelete(of_client.client, {.clock = first, .length = end - first});
    }
  }
}

void Document::ApplyWaitingDeletes() {
  if (pending_.empty()) return;
  for (const uint64_t client : advanced_) {
    const uint64_t next_clock = items_.NextClock(client);
    for (;;) {
      const ClockRange range = pending_.TakeDelete(client, next_clock);
      if (range.length == 0) break;
      DeleteRange(client, range.clock, range.clock + range.length);
    }
  }
}

void Document::DeleteRange(uint64_t client, uint64_t clock, uint64_t end) {
  for (;;) {
    clock = clock < end ? items_.PastDeleted({.client = client, .clock = clock}, end) : end;
    if (clock == end) return;
    const ItemIndex index = items_.StartingWith({.client = client, .clock = clock});
    const Item& item = items_.item(index);
    clock = item.end();
    if (clock > end) {
      items_.Split(index, end - item.clock);
      clock = end;
    }
    items_.Delete(index);
    items_.Join(index);
    changed_ = true;
  }
}

std::vector<TextChange> Document::TakeChanges(std::string_view root) {
  return items_.TextOf(items_.RootOf(root)).TakeChanges();
}

// --- texts

std::string Document::Text(std::string_view root) const {
  std::string text;
  const std::optional<uint32_t> list = items_.FindRoot(root);
  if (!list) return text;
  text.reserve(size(root).bytes);
  for (ItemIndex index = items_.list(*list).first; index != kNone;) {
    const Item& item = items_.item(index);
    AppendShown(text, item);
    index = item.right;
  }
  return text;
}

TextSize Document::size(std::string_view root) const {
  TextSize size;
  const std::optional<uint32_t> list = items_.FindRoot(root);
  if (!list) return size;
  const ItemStore::List& of_root = items_.list(*list);
  if (of_root.text != nullptr) return of_root.text->size();
  for (ItemIndex index = of_root.first; index != kNone; index = items_.item(index).right) {
    size += items_.item(index).size;
  }
  return size;
}

absl::StatusOr<std::string> Document::Splice(std::string_view root, Unit unit, uint32_t at,
                                             uint32_t count, std::string_view text) {
  const uint32_t list = items_.RootOf(root);
  const uint32_t length = items_.TextOf(list).size().In(unit);
  if (unit == Unit::kLines || at > length || count > length - at) {
    return absl::OutOfRangeError(
        absl::StrCat("an edit of ", count, " at ", at, " in a text of ", length));
  }
  if (text.size() > limits_.max_bytes || items_.bytes() > limits_.max_bytes - text.size() ||
      items_.size() >= limits_.max_items) {
    return absl::ResourceExhaustedError(absl::StrCat("an edit of ", text.size(),
                                                     " bytes in a Yjs document of ", items_.bytes(),
                                                     " bytes and ", items_.size(), " items"));
  }
  if (count == 0 && text.empty()) return std::string();
  std::string valid;
  if (!IsUtf8(text)) text = valid = ToUtf8(text);

  std::string update;
  std::vector<ClientDeletes> deletes;
  const ItemIndex left =
      count > 0 ? DeleteText(list, unit, at, count, deletes) : ItemBefore(list, unit, at);
  if (text.empty()) {
    crdt::AppendUint(update, 0);
  } else {
    InsertText(list, left, text, update);
  }
  AppendDeletes(update, deletes);
  return update;
}

// The item that ends at a place of the text; kNone at the start.
ItemIndex Document::ItemBefore(uint32_t list, Unit unit, uint32_t at) {
  if (at == 0) return kNone;
  const auto [index, units] = items_.TextOf(list).Find(unit, at - 1);
  const Item& item = items_.item(index);
  const uint64_t left = UnitsAround(item, unit, units + 1);
  if (left < item.length) items_.Split(index, left);
  return index;
}

// Returns the last item that it has deleted.
ItemIndex Document::DeleteText(uint32_t list, Unit unit, uint32_t at, uint32_t count,
                               std::vector<ClientDeletes>& deletes) {
  auto [index, before] = items_.TextOf(list).Find(unit, at);
  if (before > 0) {
    const Item& item = items_.item(index);
    const uint64_t units = UnitsBelow(item, unit, before);
    count += before - SizeOfFirst(item, units).In(unit);
    if (units > 0) index = items_.Split(index, units);
  }
  for (;;) {
    const Item& item = items_.item(index);
    const uint32_t width = item.size.In(unit);
    if (width > count) {
      const uint64_t units = UnitsAround(item, unit, count);
      if (units < item.length) items_.Split(index, units);
    }
    if (width > 0) {
      const Item& whole = items_.item(index);
      AddYjsRange(deletes, items_.FirstId(whole), whole.length);
      items_.Delete(index);
      index = items_.JoinLeft(index);
    }
    if (width >= count) break;
    count -= width;
    index = items_.item(index).right;
  }
  SortYjsDeletes(deletes);
  return items_.Join(index);
}

void Document::InsertText(uint32_t list, ItemIndex left, std::string_view text,
                          std::string& update) {
  // As Yjs does it: so that what is typed and deleted again becomes one item.
  ItemIndex right = items_.RightOf(list, left);
  for (int i = 0; i < kMaxYjsSkipped && right != kNone && items_.item(right).deleted; ++i) {
    left = right;
    right = items_.item(right).right;
  }
  ItemStore::NewItem made{.client = items_.ClientOf(client_), .list = list};
  made.content = {.kind = ContentKind::kString, .length = crdt::Measure(text).utf16, .bytes = text};
  Struct item{.id = {.client = client_, .clock = items_.clients()[made.client].next_clock},
              .length = made.content.length,
              .content = made.content};
  if (left != kNone) item.origin = made.origin = items_.LastId(items_.item(left));
  if (right != kNone) item.right_origin = made.right_origin = items_.FirstId(items_.item(right));
  if (left == kNone && right == kNone) item.parent = RootName{.name = items_.list(list).root};
  crdt::AppendUint(update, 1);
  crdt::AppendUint(update, 1);
  crdt::AppendUint(update, client_);
  crdt::AppendUint(update, item.id.clock);
  AppendStruct(update, item);

  if (items_.Append(made.client, made.origin, made.right_origin, made.content)) return;
  items_.Insert(made, left);
  items_.JoinLeft(items_.clients()[made.client].last);
}

std::optional<Id> Document::AnchorAt(std::string_view root, Unit unit, uint32_t at) {
  TextList& text = items_.TextOf(items_.RootOf(root));
  if (at >= text.size().In(unit)) return std::nullopt;
  const auto [index, units] = text.Find(unit, at);
  const Item& item = items_.item(index);
  Id id = items_.FirstId(item);
  id.clock += UnitsBelow(item, unit, units);
  return id;
}

std::optional<TextSize> Document::PositionOf(std::string_view root, const Id& unit, int assoc) {
  const std::optional<uint32_t> list = items_.FindRoot(root);
  if (!list || !items_.Has(unit)) return std::nullopt;
  const ItemIndex index = items_.Find(unit);
  const Item& item = items_.item(index);
  if (item.list != *list || item.key != kNone) return std::nullopt;
  const TextSize before = items_.TextOf(*list).SizeBefore(index);
  if (item.size == TextSize()) return before;
  const uint64_t units = unit.clock - item.clock;
  if (assoc >= 0) return before + SizeOfFirst(item, units);
  return before +
         SizeOfFirst(item, UnitsAround(item, Unit::kUtf16, static_cast<uint32_t>(units) + 1));
}

// --- what peers ask for

StateVector Document::state_vector() const {
  StateVector clocks;
  for (const ItemStore::Client& client : items_.clients()) {
    if (client.next_clock > 0) clocks.push_back({.client = client.id, .clock = client.next_clock});
  }
  std::sort(clocks.begin(), clocks.end(),
            [](const Id& a, const Id& b) { return a.client > b.client; });
  return clocks;
}

std::string Document::EncodeState(const StateVector& theirs) const {
  return *EncodeStateWithin(theirs, std::numeric_limits<size_t>::max());
}

std::optional<std::string> Document::EncodeStateWithin(const StateVector& theirs,
                                                       size_t max_bytes) const {
  return StateWriter(items_, pending_, theirs, max_bytes).Write();
}

}  // namespace cursorwire::yjs
