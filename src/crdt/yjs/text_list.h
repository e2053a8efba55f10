#ifndef CURSORWIRE_SRC_CRDT_YJS_TEXT_LIST_H_
#define CURSORWIRE_SRC_CRDT_YJS_TEXT_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/text/text_size.h"
#include "crdt/yjs/item.h"

namespace cursorwire::yjs {

// What became of a text by edits of others, step by step: each place is in the text that the steps
// before it have made.
struct TextChange {
  crdt::TextSize at{};  // in front of it
  crdt::TextSize deleted{};
  std::string inserted{};
};

// Where the items of a list are in its text. Items are in it in the order of their links.
//
// The items must outlive it. Thread-compatible.
class TextList {
 public:
  struct Found {
    ItemIndex item = kNone;
    uint32_t units = 0;  // within the item
  };

  explicit TextList(std::vector<Item>& items) : items_(items), sizes_(items) {}
  TextList(const TextList&) = delete;
  TextList& operator=(const TextList&) = delete;

  const crdt::TextSize& size() const { return tree_.size(); }
  // The item with the unit of this number, which must be less than size().In(unit).
  Found Find(crdt::Unit unit, uint32_t units) const;
  crdt::TextSize SizeBefore(ItemIndex item) const;

  // `after`: kNone for the first place.
  void Insert(ItemIndex item, ItemIndex after);
  // `item` has become part of its left neighbour, in the same leaf.
  void Erase(ItemIndex item);
  // The size of `item` has grown by this; it may wrap.
  void Resized(ItemIndex item, const crdt::TextSize& difference) {
    tree_.Changed(*items_[item].leaf, difference);
  }

  // From now on changes are kept that Note() is told of.
  void Watch() { watched_ = true; }
  void Unwatch() {
    watched_ = false;
    changes_ = {};
  }
  bool watched() const { return watched_; }
  void Note(const crdt::TextSize& at, const crdt::TextSize& deleted, std::string_view inserted);
  std::vector<TextChange> TakeChanges() { return std::exchange(changes_, {}); }

 private:
  size_t PlaceOf(ItemIndex item) const;

  std::vector<Item>& items_;
  ItemSizes sizes_;
  TextTree tree_{sizes_};
  bool watched_ = false;
  std::vector<TextChange> changes_;
  crdt::TextSize inserted_{};  // by the last of them
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_TEXT_LIST_H_
