#include "crdt/yjs/item_store.h"

#include <absl/strings/string_view.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace cursorwire::yjs {
namespace {

using crdt::TextSize;
using crdt::Unit;

constexpr std::string_view kYjsPlaceholder = "\xef\xbf\xbc";  // U+FFFC
constexpr std::string_view kYjsTornHalf = "\xef\xbf\xbd";     // U+FFFD

bool IsYjsAscii(const Item& item) {
  return item.kind == ContentKind::kString && item.size.bytes == item.length;
}

constexpr size_t kSpareBytes = 64;

// How much of it one item takes.
Content FirstYjsPart(const Content& content) {
  if (content.kind == ContentKind::kJson || content.kind == ContentKind::kAny) {
    return FirstElements(content, ItemStore::kMaxElements, ItemStore::kMaxElementsBytes);
  }
  if (content.kind != ContentKind::kString) return content;
  std::string_view part = content.bytes.substr(0, ItemStore::kMaxAsciiUnits);
  const bool ascii = std::all_of(part.begin(), part.end(),
                                 [](char byte) { return static_cast<uint8_t>(byte) < 0x80; });
  if (!ascii) part = crdt::PrefixOf(content.bytes, Unit::kUtf16, ItemStore::kMaxTextUnits);
  return {.kind = content.kind, .length = crdt::Measure(part).utf16, .bytes = part};
}

bool HasYjsRuns(ContentKind kind) {
  return kind == ContentKind::kDeleted || kind == ContentKind::kString ||
         kind == ContentKind::kJson || kind == ContentKind::kAny;
}

}  // namespace

uint64_t BytesOfYjsName(std::string_view name) {
  constexpr uint64_t kOfAny = 200;
  return 2 * name.size() + kOfAny;
}

TextSize SizeOfContent(const Content& content) {
  if (content.kind == ContentKind::kString) return crdt::Measure(content.bytes);
  if (!IsCountable(content.kind)) return {};
  const auto length = static_cast<uint32_t>(content.length);
  const auto bytes = static_cast<uint32_t>(kYjsPlaceholder.size());
  return {.bytes = length * bytes, .utf16 = length, .code_points = length};
}

void AppendShown(std::string& out, const Item& item) {
  if (item.kind == ContentKind::kString) {
    out += item.bytes;
  } else {
    for (uint32_t i = 0; i < item.size.utf16; ++i) out += kYjsPlaceholder;
  }
}

TextSize SizeOfFirst(const Item& item, uint64_t units) {
  if (item.kind != ContentKind::kString) {
    return SizeOfContent({.kind = item.kind, .length = units});
  }
  const std::string_view bytes = item.bytes;
  if (IsYjsAscii(item)) return crdt::Measure(bytes.substr(0, units));
  return crdt::Measure(crdt::PrefixOf(bytes, Unit::kUtf16, units));
}

uint64_t UnitsBelow(const Item& item, Unit unit, uint32_t count) {
  if (item.kind != ContentKind::kString) {
    return unit == Unit::kBytes ? count / kYjsPlaceholder.size() : count;
  }
  if (IsYjsAscii(item)) return count;
  return crdt::Measure(crdt::PrefixOf(item.bytes, unit, count)).utf16;
}

uint64_t UnitsAround(const Item& item, Unit unit, uint32_t count) {
  const uint64_t below = UnitsBelow(item, unit, count);
  if (IsYjsAscii(item) || SizeOfFirst(item, below).In(unit) == count) return below;
  const uint64_t next = SizeOfFirst(item, below + 1).utf16;
  return next > below ? next : below + 2;  // a pair
}

// --- looking

std::optional<uint32_t> ItemStore::FindClient(uint64_t id) const {
  const auto found = client_numbers_.find(id);
  if (found == client_numbers_.end()) return std::nullopt;
  return found->second;
}

std::optional<uint32_t> ItemStore::FindRoot(std::string_view name) const {
  const auto found = roots_.find(ToAbsl(name));
  if (found == roots_.end()) return std::nullopt;
  return found->second;
}

bool ItemStore::HasKey(std::string_view name) const { return key_numbers_.contains(ToAbsl(name)); }

uint64_t ItemStore::NextClock(uint64_t client) const {
  const std::optional<uint32_t> number = FindClient(client);
  return number ? clients_[*number].next_clock : 0;
}

ItemIndex ItemStore::FindIn(const Client& client, uint64_t clock) const {
  if (items_[client.last].clock <= clock) return client.last;
  return std::prev(client.items.upper_bound(clock))->second;
}

ItemIndex ItemStore::Find(const Id& id) const {
  return FindIn(clients_[*FindClient(id.client)], id.clock);
}

ItemIndex ItemStore::FirstOf(uint32_t list, uint32_t key) const {
  if (key == kNone) return lists_[list].first;
  const auto entry = lists_[list].entries.find(key);
  return entry == lists_[list].entries.end() ? kNone : entry->second.first;
}

bool ItemStore::AreOneRun(const Item& left, const Item& right) const {
  if (left.garbage || right.garbage) return left.garbage && right.garbage;
  return left.kind == right.kind && left.deleted == right.deleted && HasYjsRuns(left.kind) &&
         left.right_origin == right.right_origin && right.origin == LastId(left) &&
         left.right != kNone && &items_[left.right] == &right;
}

bool ItemStore::IsGoneOnBy(ItemIndex left, ItemIndex right) const {
  const Item& a = items_[left];
  const Item& b = items_[right];
  return a.client == b.client && a.end() == b.clock && AreOneRun(a, b);
}

uint64_t ItemStore::PastDeleted(const Id& from, uint64_t end) const {
  const Client& client = clients_[*FindClient(from.client)];
  auto item = std::prev(client.items.upper_bound(from.clock));
  while (item != client.items.end() && item->first < end && items_[item->second].deleted) ++item;
  if (item == client.items.end()) return end;
  return std::min(std::max(item->first, from.clock), end);
}

// --- lists, clients and keys

uint32_t ItemStore::ClientOf(uint64_t id) {
  const auto [found, is_new] = client_numbers_.try_emplace(id, clients_.size());
  if (is_new) clients_.push_back({.id = id});
  return found->second;
}

uint32_t ItemStore::RootOf(std::string_view name) {
  const auto [found, is_new] = roots_.try_emplace(ToAbsl(name), lists_.size());
  if (is_new) {
    lists_.emplace_back().root = name;
    name_bytes_ += BytesOfYjsName(name);
  }
  return found->second;
}

uint32_t ItemStore::KeyOf(std::string_view name) {
  const auto [found, is_new] = key_numbers_.try_emplace(ToAbsl(name), keys_.size());
  if (is_new) {
    keys_.emplace_back(name);
    name_bytes_ += BytesOfYjsName(name);
  }
  return found->second;
}

TextList& ItemStore::TextOf(uint32_t list) {
  std::unique_ptr<TextList>& text = lists_[list].text;
  if (text == nullptr) {
    text = std::make_unique<TextList>(items_);
    ItemIndex before = kNone;
    for (ItemIndex index = lists_[list].first; index != kNone; index = items_[index].right) {
      text->Insert(index, before);
      before = index;
    }
  }
  return *text;
}

TextList* ItemStore::NumberedListOf(const Item& item) const {
  return item.leaf == nullptr ? nullptr : lists_[item.list].text.get();
}

// --- new items

ItemIndex ItemStore::NewIndex() {
  if (!free_.empty()) {
    const ItemIndex index = free_.back();
    free_.pop_back();
    items_[index] = Item();
    return index;
  }
  items_.emplace_back();
  return static_cast<ItemIndex>(items_.size() - 1);
}

uint32_t ItemStore::NewList(ItemIndex owner) {
  if (free_lists_.empty()) {
    free_lists_.push_back(static_cast<uint32_t>(lists_.size()));
    lists_.emplace_back();
  }
  const uint32_t list = free_lists_.back();
  free_lists_.pop_back();
  lists_[list] = List();
  lists_[list].owner = owner;
  return list;
}

void ItemStore::AddToClient(ItemIndex index) {
  const Item& item = items_[index];
  Client& client = clients_[item.client];
  client.items.emplace_hint(client.items.end(), item.clock, index);
  client.last = index;
  client.next_clock = item.end();
}

void ItemStore::AddGarbage(uint32_t client, uint64_t length) {
  Client& of = clients_[client];
  if (of.last != kNone && items_[of.last].garbage) {
    items_[of.last].length += length;
    of.next_clock += length;
    return;
  }
  const uint64_t clock = of.next_clock;
  const ItemIndex index = NewIndex();
  Item& item = items_[index];
  item.client = client;
  item.clock = clock;
  item.length = length;
  item.deleted = item.garbage = true;
  AddToClient(index);
}

ItemIndex ItemStore::Insert(const NewItem& made, ItemIndex left) {
  ItemIndex first = kNone;
  NewItem part = made;
  for (Content rest = made.content; rest.length > 0;) {
    part.content = FirstYjsPart(rest);
    rest.length -= part.content.length;
    rest.bytes.remove_prefix(part.content.bytes.size());
    left = InsertOne(part, left);
    if (first == kNone) first = left;
    const Client& client = clients_[made.client];
    part.origin = {.client = client.id, .clock = client.next_clock - 1};
  }
  return first;
}

ItemIndex ItemStore::InsertOne(const NewItem& made, ItemIndex left) {
  const ItemIndex index = NewIndex();
  Item& item = items_[index];
  item.client = made.client;
  item.clock = clients_[made.client].next_clock;
  item.length = made.content.length;
  item.origin = made.origin;
  item.right_origin = made.right_origin;
  item.list = made.list;
  item.key = made.key;
  item.kind = made.content.kind;
  item.deleted = item.kind == ContentKind::kDeleted;
  item.bytes = made.content.bytes;
  bytes_ += item.bytes.size();
  if (item.key == kNone) item.size = SizeOfContent(made.content);
  if (item.kind == ContentKind::kType) {
    item.inner = NewList(index);
  }
  Link(index, left);
  AddToClient(index);
  if (lists_[made.list].text != nullptr && made.key == kNone) {
    lists_[made.list].text->Insert(index, left);
    NoteShown(index);
  }
  return index;
}

void ItemStore::Link(ItemIndex linked, ItemIndex left) {
  Item& item = items_[linked];
  List& list = lists_[item.list];
  Entry* const entry = item.key == kNone ? nullptr : &list.entries[item.key];
  ItemIndex& first = entry == nullptr ? list.first : entry->first;
  ItemIndex& before = left == kNone ? first : items_[left].right;
  item.left = left;
  item.right = before;
  before = linked;
  if (item.right != kNone) {
    items_[item.right].left = linked;
  } else if (entry != nullptr) {
    entry->last = linked;
  }
}

bool ItemStore::Append(uint32_t client, const Id& origin, const Id& right_origin,
                       const Content& content) {
  const ItemIndex index = clients_[client].last;
  if (index == kNone || content.kind != ContentKind::kString) return false;
  Item& item = items_[index];
  if (item.kind != ContentKind::kString || item.deleted || item.key != kNone ||
      item.right_origin != right_origin || LastId(item) != origin) {
    return false;
  }
  const Id next = item.right == kNone ? kNoId : FirstId(items_[item.right]);
  if (next != right_origin) return false;
  const TextSize added = crdt::Measure(content.bytes);
  const bool ascii = IsYjsAscii(item) && added.bytes == content.length;
  if (item.length + content.length > (ascii ? kMaxAsciiUnits : kMaxTextUnits)) return false;

  TextList* const text = NumberedListOf(item);
  if (text != nullptr && noting_ && text->watched()) {
    text->Note(text->SizeBefore(index) + item.size, {}, content.bytes);
  }
  item.bytes += content.bytes;
  bytes_ += content.bytes.size();
  item.length += content.length;
  item.size += added;
  clients_[client].next_clock = item.end();
  if (text != nullptr) text->Resized(index, added);
  return true;
}

void ItemStore::NoteShown(ItemIndex index) {
  const Item& item = items_[index];
  TextList* const text = NumberedListOf(item);
  if (!noting_ || text == nullptr || !text->watched() || item.size == TextSize()) return;
  std::string shown;
  AppendShown(shown, item);
  text->Note(text->SizeBefore(index), {}, shown);
}

// --- cutting and joining

ItemIndex ItemStore::EndingWith(const Id& id) {
  const ItemIndex index = Find(id);
  const Item& item = items_[index];
  if (!item.garbage && id.clock + 1 < item.end()) Split(index, id.clock + 1 - item.clock);
  return index;
}

ItemIndex ItemStore::StartingWith(const Id& id) {
  const ItemIndex index = Find(id);
  const Item& item = items_[index];
  if (item.garbage || item.clock == id.clock) return index;
  return Split(index, id.clock - item.clock);
}

// `left` still has its whole length.
void ItemStore::CutContentOf(Item& left, Item& right) {
  if (left.kind == ContentKind::kDeleted) return;
  const uint64_t units = left.length - right.length;
  if (IsYjsAscii(left)) {
    right.bytes = left.bytes.substr(units);
    left.bytes.resize(units);
    // What a piece could have kept of the memory of the whole would add up.
    if (left.bytes.capacity() > 2 * units + kSpareBytes) left.bytes.shrink_to_fit();
    const TextSize whole = left.size;
    if (units < right.length) {
      left.size = crdt::Measure(left.bytes);
      right.size = whole;
      right.size -= left.size;
    } else {
      right.size = crdt::Measure(right.bytes);
      left.size -= right.size;
    }
    return;
  }
  bytes_ -= left.bytes.size();
  auto [first, second] =
      CutContent({.kind = left.kind, .length = left.length, .bytes = left.bytes}, units);
  left.bytes.swap(first.bytes);  // a move would keep the memory of the whole
  right.bytes.swap(second.bytes);
  bytes_ += left.bytes.size() + right.bytes.size();
  if (left.key != kNone) return;
  left.size = SizeOfContent({.kind = left.kind, .length = units, .bytes = left.bytes});
  right.size = SizeOfContent({.kind = right.kind, .length = right.length, .bytes = right.bytes});
}

// A pair was cut: `index` ends with what is left of it.
void ItemStore::NoteTornPair(TextList& text, ItemIndex index) {
  const TextSize pair{.bytes = 4, .utf16 = 2, .code_points = 1};
  const TextSize half = crdt::Measure(kYjsTornHalf);
  const TextSize at = text.SizeBefore(index) + items_[index].size - half;
  text.Note(at, pair, std::string(kYjsTornHalf).append(kYjsTornHalf));
}

ItemIndex ItemStore::Split(ItemIndex index, uint64_t units) {
  const ItemIndex created = NewIndex();
  Item& left = items_[index];
  Item& right = items_[created];
  const TextSize whole = left.size;
  right.client = left.client;
  right.clock = left.clock + units;
  right.length = left.length - units;
  right.right_origin = left.right_origin;
  right.list = left.list;
  right.key = left.key;
  right.kind = left.kind;
  right.deleted = left.deleted;
  right.origin = {.client = clients_[left.client].id, .clock = right.clock - 1};
  CutContentOf(left, right);
  left.length = units;
  Client& client = clients_[left.client];
  client.items.emplace(right.clock, created);
  if (client.last == index) client.last = created;
  Link(created, index);
  if (TextList* const text = NumberedListOf(left)) {
    text->Resized(index, left.size - whole);
    text->Insert(created, index);
    if (noting_ && text->watched() && left.size + right.size != whole) {
      NoteTornPair(*text, index);
    }
  }
  return created;
}

bool ItemStore::CanJoin(ItemIndex left, ItemIndex right) const {
  const Item& a = items_[left];
  const Item& b = items_[right];
  if (a.client != b.client || a.end() != b.clock || a.garbage || a.leaf != b.leaf ||
      !AreOneRun(a, b)) {
    return false;
  }
  if (a.kind == ContentKind::kDeleted) return true;
  if (a.kind != ContentKind::kString) return false;
  const bool ascii = IsYjsAscii(a) && IsYjsAscii(b);
  return a.length + b.length <= (ascii ? kMaxAsciiUnits : kMaxTextUnits);
}

void ItemStore::Absorb(ItemIndex left, ItemIndex right) {
  Item& a = items_[left];
  Item& b = items_[right];
  if (TextList* const text = NumberedListOf(b)) text->Erase(right);
  a.length += b.length;
  a.size += b.size;
  a.bytes += b.bytes;
  a.right = b.right;
  if (a.right != kNone) {
    items_[a.right].left = left;
  } else if (a.key != kNone) {
    lists_[a.list].entries[a.key].last = left;
  }
  Client& client = clients_[a.client];
  client.items.erase(b.clock);
  if (client.last == right) client.last = left;
  b = Item();
  free_.push_back(right);
}

ItemIndex ItemStore::JoinLeft(ItemIndex index) {
  const ItemIndex left = items_[index].left;
  if (left == kNone || !CanJoin(left, index)) return index;
  Absorb(left, index);
  return left;
}

ItemIndex ItemStore::Join(ItemIndex index) {
  const ItemIndex right = items_[index].right;
  if (right != kNone && CanJoin(index, right)) Absorb(index, right);
  return JoinLeft(index);
}

// --- deleting

void ItemStore::Hide(Item& item) {
  bytes_ -= item.bytes.size();
  item.deleted = true;
  item.kind = ContentKind::kDeleted;
  item.size = {};
  std::string().swap(item.bytes);
}

void ItemStore::Delete(ItemIndex index) {
  Item& item = items_[index];
  if (item.deleted) return;
  if (TextList* const text = NumberedListOf(item); text != nullptr && item.size != TextSize()) {
    if (noting_ && text->watched()) text->Note(text->SizeBefore(index), item.size, {});
    text->Resized(index, TextSize() - item.size);
  }
  Hide(item);
  if (item.inner != kNone) MakeGarbageOf(std::exchange(item.inner, kNone));
}

void ItemStore::MakeGarbageOf(uint32_t list) {
  std::vector<uint32_t> lists{list};
  while (!lists.empty()) {
    List& below = lists_[lists.back()];
    free_lists_.push_back(lists.back());
    lists.pop_back();
    for (ItemIndex index = std::exchange(below.first, kNone); index != kNone;) {
      const ItemIndex next = items_[index].right;
      MakeGarbage(index, lists);
      index = next;
    }
    for (const auto& [key, entry] : std::exchange(below.entries, {})) {
      for (ItemIndex index = entry.first; index != kNone;) {
        const ItemIndex next = items_[index].right;
        MakeGarbage(index, lists);
        index = next;
      }
    }
  }
}

void ItemStore::MakeGarbage(ItemIndex index, std::vector<uint32_t>& lists) {
  Item& item = items_[index];
  if (item.inner != kNone) lists.push_back(item.inner);
  Hide(item);
  item.garbage = true;
  item.left = item.right = item.list = item.key = item.inner = kNone;
}

}  // namespace cursorwire::yjs
