#ifndef CURSORWIRE_SRC_CRDT_YJS_ITEM_H_
#define CURSORWIRE_SRC_CRDT_YJS_ITEM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "crdt/text/piece_tree.h"
#include "crdt/text/text_size.h"
#include "crdt/yjs/content.h"
#include "crdt/yjs/id.h"

namespace cursorwire::yjs {

// Items, lists, keys and clients go by their number in the ItemStore.
using ItemIndex = uint32_t;
constexpr uint32_t kNone = UINT32_MAX;
constexpr Id kNoId{.client = 0, .clock = UINT64_MAX};

class ItemSizes;
// Nothing is looked for in it by id.
struct NoItemId {};
using TextTree = crdt::PieceTree<ItemIndex, ItemSizes, NoItemId>;

// Units of one client that lie side by side in a list, or that are gone.
struct Item {
  uint64_t clock = 0;
  uint64_t length = 0;  // in units
  Id origin = kNoId;
  Id right_origin = kNoId;
  uint32_t client = kNone;
  ItemIndex left = kNone;
  ItemIndex right = kNone;
  uint32_t list = kNone;   // that it is in
  uint32_t key = kNone;    // in a map: then its neighbours are other values of that key
  uint32_t inner = kNone;  // the list that it makes, for kType
  crdt::TextSize size{};   // of what is visible of it
  std::string bytes{};     // as in Content
  TextTree::Leaf* leaf = nullptr;
  uint64_t scanned = 0;  // when a scan for conflicts last passed it
  ContentKind kind = ContentKind::kDeleted;
  bool deleted = false;
  bool garbage = false;  // nothing is known but that it is gone; in no list

  uint64_t end() const { return clock + length; }
};

// What a TextTree asks for.
class ItemSizes {
 public:
  explicit ItemSizes(std::vector<Item>& items) : items_(items) {}
  crdt::TextSize SizeOf(ItemIndex item) const { return items_[item].size; }
  uint32_t WidthOf(ItemIndex item, crdt::Unit unit) const { return items_[item].size.In(unit); }
  static NoItemId LeastId(ItemIndex) { return {}; }
  static bool IsLess(NoItemId, NoItemId) { return false; }
  void OnMoved(ItemIndex item, TextTree::Leaf* leaf) { items_[item].leaf = leaf; }

 private:
  std::vector<Item>& items_;
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_ITEM_H_
