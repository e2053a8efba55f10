#ifndef CURSORWIRE_SRC_CRDT_TEXT_PIECE_TREE_H_
#define CURSORWIRE_SRC_CRDT_TEXT_PIECE_TREE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <variant>

#include "crdt/text/text_size.h"

namespace cursorwire::crdt {

// A sequence of pieces in a B+ tree, which knows how long the text in front of each piece is. A
// piece is a run of elements that lie side by side and were made one after the other, so that a
// node costs a run and not an element.
//
// Host gives it, for a piece:
//   TextSize SizeOf(piece)              of what is visible of it
//   uint32_t WidthOf(piece, unit)       the same in one unit; not for kLines in haste
//   Id LeastId(piece)                   of its elements
//   bool IsLess(id, id)                 the order of ids
//   void OnMoved(piece, leaf)           it is in another leaf now
// Leaves and the places of pieces in them stay until the next Insert(). Nodes are never given back.
// Thread-compatible.
template <typename Piece, typename Host, typename Id>
class PieceTree {
 public:
  static constexpr size_t kLeafPieces = 32;
  static constexpr size_t kFan = 16;

  struct Leaf;
  struct Inner;
  using Node = std::variant<Leaf*, Inner*>;
  struct Sum {
    TextSize size{};
    Id least{};  // of the ids
  };
  struct Inner {
    Inner* parent = nullptr;
    uint32_t slot = 0;  // in the parent
    uint32_t count = 0;
    std::array<Sum, kFan> sums;
    std::array<Node, kFan> children;
  };
  struct Leaf {
    Inner* parent = nullptr;
    uint32_t slot = 0;
    uint32_t count = 0;
    Leaf* next = nullptr;
    std::array<Piece, kLeafPieces> pieces{};

    Piece* begin() { return pieces.data(); }
    Piece* end() { return pieces.data() + count; }
    const Piece* begin() const { return pieces.data(); }
    const Piece* end() const { return pieces.data() + count; }
  };
  struct Place {
    Leaf* leaf = nullptr;
    size_t index = 0;  // of a piece, or the count
  };
  struct Found {
    Place place;
    uint32_t units = 0;  // within the piece
  };

  explicit PieceTree(Host& host) : host_(host), root_(&leaves_.emplace_back()) {}
  PieceTree(const PieceTree&) = delete;
  PieceTree& operator=(const PieceTree&) = delete;

  const TextSize& size() const { return size_; }
  Leaf* first() const { return first_; }
  Leaf* last() const { return last_; }

  // The piece with the unit of this number, which must be less than size().In(unit).
  Found Find(Unit unit, uint32_t units) const {
    Node node = root_;
    while (Inner* const* inner = std::get_if<Inner*>(&node)) {
      size_t slot = 0;
      while (units >= (*inner)->sums[slot].size.In(unit)) {
        units -= (*inner)->sums[slot].size.In(unit);
        ++slot;
      }
      node = (*inner)->children[slot];
    }
    Leaf* leaf = std::get<Leaf*>(node);
    size_t index = 0;
    for (;; ++index) {
      const uint32_t width = host_.WidthOf(leaf->pieces[index], unit);
      if (units < width) break;
      units -= width;
    }
    return {{leaf, index}, units};
  }

  // The size of the text in front of a piece.
  TextSize SizeBefore(const Place& place) const {
    TextSize size{};
    for (size_t i = 0; i < place.index; ++i) size += host_.SizeOf(place.leaf->pieces[i]);
    size_t slot = place.leaf->slot;
    for (const Inner* inner = place.leaf->parent; inner != nullptr; inner = inner->parent) {
      for (size_t i = 0; i < slot; ++i) size += inner->sums[i].size;
      slot = inner->slot;
    }
    return size;
  }

  // The next leaf that has a piece whose LeastId() is less than `id`; nullptr if there is none.
  Leaf* NextLeafBelow(const Leaf* leaf, const Id& id) const {
    size_t slot = leaf->slot + 1;
    for (const Inner* inner = leaf->parent; inner != nullptr; inner = inner->parent) {
      for (; slot < inner->count; ++slot) {
        if (host_.IsLess(inner->sums[slot].least, id)) {
          return FirstLeafBelow(inner->children[slot], id);
        }
      }
      slot = inner->slot + 1;
    }
    return nullptr;
  }

  // Puts `piece` in front of the piece at `place`, and returns where it is now.
  Place Insert(Place place, const Piece& piece) {
    if (place.leaf->count == kLeafPieces) place = MakeRoom(place);
    Leaf& leaf = *place.leaf;
    std::copy_backward(leaf.begin() + place.index, leaf.end(), leaf.end() + 1);
    leaf.pieces[place.index] = piece;
    ++leaf.count;
    Add(leaf, host_.SizeOf(piece), host_.LeastId(piece));
    return place;
  }

  // Takes a piece out whose elements have become part of its neighbour; Changed() is told apart.
  // Never the only one of a leaf.
  void Erase(const Place& place) {
    Leaf& leaf = *place.leaf;
    std::copy(leaf.begin() + place.index + 1, leaf.end(), leaf.begin() + place.index);
    --leaf.count;
  }

  // The visible size of the pieces of `leaf` has grown by this (or shrunk: TextSize wraps).
  void Changed(Leaf& leaf, const TextSize& difference) {
    size_ += difference;
    size_t slot = leaf.slot;
    for (Inner* inner = leaf.parent; inner != nullptr; inner = inner->parent) {
      inner->sums[slot].size += difference;
      slot = inner->slot;
    }
  }

 private:
  Leaf* FirstLeafBelow(Node node, const Id& id) const {
    while (Inner* const* inner = std::get_if<Inner*>(&node)) {
      size_t slot = 0;
      while (!host_.IsLess((*inner)->sums[slot].least, id)) ++slot;
      node = (*inner)->children[slot];
    }
    return std::get<Leaf*>(node);
  }

  static void Adopt(Inner& inner, size_t slot) {
    std::visit(
        [&inner, slot](auto* child) {
          child->parent = &inner;
          child->slot = static_cast<uint32_t>(slot);
        },
        inner.children[slot]);
  }

  void Add(Leaf& leaf, const TextSize& size, const Id& least) {
    size_ += size;
    size_t slot = leaf.slot;
    for (Inner* inner = leaf.parent; inner != nullptr; inner = inner->parent) {
      inner->sums[slot].size += size;
      if (host_.IsLess(least, inner->sums[slot].least)) inner->sums[slot].least = least;
      slot = inner->slot;
    }
  }

  Sum SumOf(const Leaf& leaf) const {
    Sum sum{.least = host_.LeastId(leaf.pieces[0])};
    for (const Piece& piece : leaf) {
      sum.size += host_.SizeOf(piece);
      const Id least = host_.LeastId(piece);
      if (host_.IsLess(least, sum.least)) sum.least = least;
    }
    return sum;
  }
  Sum SumOf(const Inner& inner) const {
    Sum sum{.least = inner.sums[0].least};
    for (size_t i = 0; i < inner.count; ++i) {
      sum.size += inner.sums[i].size;
      if (host_.IsLess(inner.sums[i].least, sum.least)) sum.least = inner.sums[i].least;
    }
    return sum;
  }

  // Splits a full leaf, and returns where `place` is now.
  Place MakeRoom(const Place& place) {
    Leaf& left = *place.leaf;
    Leaf& right = leaves_.emplace_back();
    right.next = left.next;
    left.next = &right;
    // What grows at its end keeps full leaves.
    const bool append = last_ == &left && place.index == kLeafPieces;
    if (last_ == &left) last_ = &right;
    const size_t keep = append ? kLeafPieces : kLeafPieces / 2;
    std::copy(left.begin() + keep, left.end(), right.begin());
    right.count = static_cast<uint32_t>(kLeafPieces - keep);
    left.count = static_cast<uint32_t>(keep);
    for (const Piece& piece : right) host_.OnMoved(piece, &right);
    AddSibling(left, right);
    if (place.index < keep || (place.index == keep && !append)) return place;
    return {&right, place.index - keep};
  }

  template <typename Child>
  void AddSibling(Child& left, Child& right) {
    const Sum sum = SumOf(right);
    if (left.parent == nullptr) {
      Inner& top = inners_.emplace_back();
      top.children[0] = &left;
      top.sums[0] = SumOf(left);
      top.count = 1;
      Adopt(top, 0);
      root_ = &top;
    } else {
      left.parent->sums[left.slot] = SumOf(left);
    }
    InsertChild(*left.parent, left.slot + 1, &right, sum);
  }

  void InsertChild(Inner& parent, size_t slot, Node child, const Sum& sum) {
    Inner* inner = &parent;
    const bool split = inner->count == kFan;
    if (split) {
      Inner& right = inners_.emplace_back();
      const bool append = slot == kFan;
      const size_t keep = append ? kFan - 1 : kFan / 2;
      for (size_t i = keep; i < kFan; ++i) {
        right.children[i - keep] = inner->children[i];
        right.sums[i - keep] = inner->sums[i];
        Adopt(right, i - keep);
      }
      right.count = static_cast<uint32_t>(kFan - keep);
      inner->count = static_cast<uint32_t>(keep);
      AddSibling(*inner, right);
      if (slot > keep) {
        inner = &right;
        slot -= keep;
      }
    }
    for (size_t i = inner->count; i > slot; --i) {
      inner->children[i] = inner->children[i - 1];
      inner->sums[i] = inner->sums[i - 1];
      Adopt(*inner, i);
    }
    inner->children[slot] = child;
    inner->sums[slot] = sum;
    ++inner->count;
    Adopt(*inner, slot);
    // The sums above were made while the child was missing.
    if (split) SumAgainAbove(*inner);
  }

  void SumAgainAbove(Inner& lowest) const {
    for (Inner* inner = &lowest; inner->parent != nullptr; inner = inner->parent) {
      inner->parent->sums[inner->slot] = SumOf(*inner);
    }
  }

  Host& host_;
  std::deque<Leaf> leaves_;
  std::deque<Inner> inners_;
  Node root_;
  Leaf* first_ = &leaves_.front();
  Leaf* last_ = &leaves_.front();
  TextSize size_;
};

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_TEXT_PIECE_TREE_H_
