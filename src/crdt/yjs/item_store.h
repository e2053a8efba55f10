#ifndef CURSORWIRE_SRC_CRDT_YJS_ITEM_STORE_H_
#define CURSORWIRE_SRC_CRDT_YJS_ITEM_STORE_H_

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/text/text_size.h"
#include "crdt/yjs/item.h"
#include "crdt/yjs/text_list.h"
#include "crdt/yjs/update.h"

namespace cursorwire::yjs {

// All items of a document: by client and clock, and in their lists. A list is what a root holds, or
// an item of type kType: a sequence of items, and for a map a sequence of the values of each key,
// the last of which counts.
//
// What is deleted keeps its place and its length, and loses its content; what is below it becomes
// garbage. Neighbours become one item where that is possible. Thread-compatible.
class ItemStore {
 public:
  // How many units an item may have. In text that is not ASCII, places are found by reading it.
  static constexpr uint64_t kMaxAsciiUnits = 4096;
  static constexpr uint64_t kMaxTextUnits = 512;
  // Of other content: an item is read where it is cut. One element may have more bytes.
  static constexpr uint64_t kMaxElements = 512;
  static constexpr size_t kMaxElementsBytes = 4096;

  struct Client {
    uint64_t id = 0;
    uint64_t next_clock = 0;
    ItemIndex last = kNone;
    absl::btree_map<uint64_t, ItemIndex> items{};  // by first clock, without gaps
  };
  // The values of a key.
  struct Entry {
    ItemIndex first = kNone;
    ItemIndex last = kNone;
  };
  struct List {
    std::string root{};       // its name, for that of a root
    ItemIndex owner = kNone;  // else what makes it
    ItemIndex first = kNone;
    absl::flat_hash_map<uint32_t, Entry> entries{};  // by key
    std::unique_ptr<TextList> text{};
  };

  ItemStore() = default;
  ItemStore(const ItemStore&) = delete;
  ItemStore& operator=(const ItemStore&) = delete;

  // --- Looking. An Item& is valid until there is a new item.

  const Item& item(ItemIndex index) const { return items_[index]; }
  const std::vector<Client>& clients() const { return clients_; }
  const List& list(uint32_t index) const { return lists_[index]; }
  std::string_view key(uint32_t index) const { return keys_[index]; }
  // Of items that there is room for.
  size_t size() const { return items_.size() - free_.size(); }
  // Of the content that is not deleted.
  uint64_t bytes() const { return bytes_; }
  // Of the names of roots and keys, as of BytesOfYjsName().
  uint64_t name_bytes() const { return name_bytes_; }

  std::optional<uint32_t> FindClient(uint64_t id) const;
  std::optional<uint32_t> FindRoot(std::string_view name) const;
  bool HasKey(std::string_view name) const;
  uint64_t NextClock(uint64_t client) const;
  bool Has(const Id& id) const { return id.clock < NextClock(id.client); }
  // The item with this unit, which must be there.
  ItemIndex Find(const Id& id) const;
  ItemIndex FindIn(const Client& client, uint64_t clock) const;
  // From this unit on, which must be there, the first one before `end` that is not deleted; else
  // `end`, which is at most NextClock().
  uint64_t PastDeleted(const Id& from, uint64_t end) const;

  Id FirstId(const Item& item) const { return {clients_[item.client].id, item.clock}; }
  Id LastId(const Item& item) const { return {clients_[item.client].id, item.end() - 1}; }
  // What follows `left`, which is kNone for the start of the list.
  ItemIndex RightOf(uint32_t list, ItemIndex left) const {
    return left == kNone ? lists_[list].first : items_[left].right;
  }
  // Of a list, or of the values of a key.
  ItemIndex FirstOf(uint32_t list, uint32_t key) const;
  // Whether these, the second of which begins where the first ends, are one item in an update.
  bool AreOneRun(const Item& left, const Item& right) const;
  // The same for any two items.
  bool IsGoneOnBy(ItemIndex left, ItemIndex right) const;

  // --- Changing.

  uint32_t ClientOf(uint64_t id);
  uint32_t RootOf(std::string_view name);
  uint32_t KeyOf(std::string_view name);
  // Numbers the items of a list by the text in front of them.
  TextList& TextOf(uint32_t list);
  // Changes go to the lists that are watched.
  void SetNoting(bool noting) { noting_ = noting; }

  // The item that ends with this unit, or starts with it: cut there, unless it is garbage.
  ItemIndex EndingWith(const Id& id);
  ItemIndex StartingWith(const Id& id);
  // Returns the right part, which begins after so many units.
  ItemIndex Split(ItemIndex index, uint64_t units);

  // The next units of a client. `bytes` and `length` are those of Content; text becomes as many
  // items as it needs. `right_origin`, `list`, `key` as in Item.
  struct NewItem {
    uint32_t client = kNone;
    Id origin = kNoId;
    Id right_origin = kNoId;
    uint32_t list = kNone;
    uint32_t key = kNone;
    Content content{};
  };
  // Behind `left`. The first of the items that it becomes; the last is that of its client.
  ItemIndex Insert(const NewItem& made, ItemIndex left);
  void AddGarbage(uint32_t client, uint64_t length);
  // Puts text at the end of the last item of a client, if it would become one with it there: that
  // ends with `origin`, and what follows it is `right_origin`.
  bool Append(uint32_t client, const Id& origin, const Id& right_origin, const Content& content);

  // With all that is below it.
  void Delete(ItemIndex index);
  // Makes one item of this and its neighbours; returns it.
  ItemIndex Join(ItemIndex index);
  ItemIndex JoinLeft(ItemIndex index);

  // Writes a number into Item::scanned that is greater than all before.
  uint64_t Stamp(ItemIndex index) { return items_[index].scanned = ++stamp_; }
  uint64_t next_stamp() const { return stamp_ + 1; }

 private:
  ItemIndex NewIndex();
  ItemIndex InsertOne(const NewItem& made, ItemIndex left);
  void Link(ItemIndex linked, ItemIndex left);
  void AddToClient(ItemIndex index);
  void CutContentOf(Item& left, Item& right);
  void NoteTornPair(TextList& text, ItemIndex index);
  bool CanJoin(ItemIndex left, ItemIndex right) const;
  void Absorb(ItemIndex left, ItemIndex right);
  void Hide(Item& item);
  uint32_t NewList(ItemIndex owner);
  void MakeGarbageOf(uint32_t list);
  void MakeGarbage(ItemIndex index, std::vector<uint32_t>& lists);
  TextList* NumberedListOf(const Item& item) const;
  void NoteShown(ItemIndex index);

  std::vector<Item> items_;
  std::vector<ItemIndex> free_;
  std::vector<Client> clients_;
  absl::flat_hash_map<uint64_t, uint32_t> client_numbers_;
  std::vector<List> lists_;
  std::vector<uint32_t> free_lists_;
  absl::flat_hash_map<std::string, uint32_t> roots_;
  std::vector<std::string> keys_;
  absl::flat_hash_map<std::string, uint32_t> key_numbers_;
  uint64_t bytes_ = 0;
  uint64_t name_bytes_ = 0;
  uint64_t stamp_ = 0;
  bool noting_ = false;
};

// What a name of a root or key takes, which is kept for good: twice, and with what belongs to it.
uint64_t BytesOfYjsName(std::string_view name);
// What is shown of content, and how long that is.
crdt::TextSize SizeOfContent(const Content& content);
void AppendShown(std::string& out, const Item& item);
// The size of the first units of an item, whose content must be visible. A character that they end
// within does not count.
crdt::TextSize SizeOfFirst(const Item& item, uint64_t units);
// How many units of such an item `count` of `unit` are: without a character that they end within,
// or with it.
uint64_t UnitsBelow(const Item& item, crdt::Unit unit, uint32_t count);
uint64_t UnitsAround(const Item& item, crdt::Unit unit, uint32_t count);

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_ITEM_STORE_H_
