#include "crdt/yjs/text_list.h"

#include <algorithm>

namespace cursorwire::yjs {

using crdt::TextSize;
using crdt::Unit;

size_t TextList::PlaceOf(ItemIndex item) const {
  const TextTree::Leaf& leaf = *items_[item].leaf;
  return static_cast<size_t>(std::find(leaf.begin(), leaf.end(), item) - leaf.begin());
}

TextList::Found TextList::Find(Unit unit, uint32_t units) const {
  const TextTree::Found found = tree_.Find(unit, units);
  return {.item = found.place.leaf->pieces[found.place.index], .units = found.units};
}

TextSize TextList::SizeBefore(ItemIndex item) const {
  return tree_.SizeBefore({items_[item].leaf, PlaceOf(item)});
}

void TextList::Insert(ItemIndex item, ItemIndex after) {
  TextTree::Place place{tree_.first(), 0};
  if (after != kNone) place = {items_[after].leaf, PlaceOf(after) + 1};
  items_[item].leaf = tree_.Insert(place, item).leaf;
}

void TextList::Erase(ItemIndex item) { tree_.Erase({items_[item].leaf, PlaceOf(item)}); }

void TextList::Note(const TextSize& at, const TextSize& deleted, std::string_view inserted) {
  const TextSize size = crdt::Measure(inserted);
  if (!changes_.empty()) {
    TextChange& last = changes_.back();
    if (deleted == TextSize() && at == last.at + inserted_) {
      last.inserted += inserted;
      inserted_ += size;
      return;
    }
    if (inserted.empty() && last.inserted.empty() && (at == last.at || at + deleted == last.at)) {
      last.at = at;
      last.deleted += deleted;
      return;
    }
  }
  changes_.push_back({.at = at, .deleted = deleted, .inserted = std::string(inserted)});
  inserted_ = size;
}

}  // namespace cursorwire::yjs
