#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_SEQUENCE_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_SEQUENCE_H_

#include <absl/container/btree_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/automerge/actor_table.h"
#include "crdt/automerge/operation.h"
#include "crdt/text/piece_tree.h"
#include "crdt/text/text_size.h"

namespace cursorwire::automerge {

// A text or a list of a document: its elements in their order, those that were deleted too, since
// others may refer to them. Runs of characters that one actor typed are one piece.
//
// The order is that of docs/collab/automerge.md, "Sequences". Thread-compatible.
class Sequence {
 public:
  // A run of elements: this one and those that its actor made right after it.
  struct ElementRun {
    OpId first{};
    uint32_t count = 0;
  };
  struct Piece {
    uint32_t counter = 0;  // of its first element
    uint32_t actor = 0;
    uint32_t start = 0;   // in the text of the actor, in bytes; or in `specials_`
    uint16_t length = 0;  // in elements
    enum class Kind : uint8_t { kAscii, kText, kSpecial } kind = Kind::kAscii;
    bool visible = true;
  };

  // How long a piece may become. In one that is not ASCII, places are found by reading it.
  static constexpr uint32_t kMaxAsciiElements = 4096;
  static constexpr uint32_t kMaxTextElements = 256;

  explicit Sequence(const ActorTable& actors);
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // Of what is visible.
  const crdt::TextSize& size() const { return tree_.size(); }
  std::string Text() const;

  bool Has(OpId element) const { return Locate(element).has_value(); }
  // Where the element is, or would be if it were visible.
  std::optional<crdt::TextSize> PositionOf(OpId element) const;
  // The visible element with the unit of this number; none at the end.
  OpId ElementAt(crdt::Unit unit, uint32_t units) const;

  // New elements, the first of which goes after `after`, which must be there, and each other one
  // after the one before it. Their text is at `start` in the text of their actor, one character
  // each.
  void InsertText(OpId first, OpId after, uint32_t start, std::string_view text);
  // A new element of any other value.
  void InsertSpecial(OpId id, OpId after, std::string_view shown);

  // A further value of an element that is there.
  void AddValue(OpId element, OpId id, std::string_view shown);
  // A value of an element was overwritten; `id` is the element itself where it is the one that it
  // was made with.
  void HideValue(OpId element, OpId id);
  // The same for the first elements of a run, which were made with a character each: for as many as
  // lie side by side. Takes them out of `run`, and returns how much text has gone from one place.
  crdt::TextSize HideFirst(ElementRun& run);

  // The elements with visible units from `units` to `units` + `count`, whole.
  std::vector<ElementRun> ElementsOf(crdt::Unit unit, uint32_t units, uint32_t count) const;
  // What is shown of an element; nothing of one that is not there.
  std::string ShownAt(OpId element) const;
  // Which of its values that is; nothing where none is visible.
  std::optional<OpId> ShownValueOf(OpId element) const;
  // The ids of the visible values of an element, ascending: what is overwritten with it.
  std::vector<OpId> VisibleValuesOf(OpId element) const;

  // Calls `visit` with each piece, in order.
  template <typename Visit>
  void ForEachPiece(Visit visit) const {
    for (const Tree::Leaf* leaf = tree_.first(); leaf != nullptr; leaf = leaf->next) {
      for (const Piece& piece : *leaf) visit(piece);
    }
  }

 private:
  friend class SequenceLoader;

  // One of the values of an element, as it is shown.
  struct ElementValue {
    explicit ElementValue(std::string_view shown) : text(shown), size(crdt::Measure(shown)) {}

    std::string text;
    crdt::TextSize size;
  };
  using Values = absl::btree_map<OpId, ElementValue, IdLess>;

  // What the tree asks for.
  class Sizes {
   public:
    explicit Sizes(Sequence& sequence) : sequence_(sequence) {}
    crdt::TextSize SizeOf(const Piece& piece) const { return sequence_.SizeOf(piece); }
    uint32_t WidthOf(const Piece& piece, crdt::Unit unit) const {
      return sequence_.WidthOf(piece, unit);
    }
    static OpId LeastId(const Piece& piece) {
      return {.counter = piece.counter, .actor = piece.actor};
    }
    bool IsLess(const OpId& a, const OpId& b) const { return sequence_.actors_.IsLess(a, b); }
    template <typename Leaf>
    void OnMoved(const Piece& piece, Leaf* leaf) {
      sequence_.OnMoved(piece, leaf);
    }

   private:
    Sequence& sequence_;
  };
  using Tree = crdt::PieceTree<Piece, Sizes, OpId>;
  using Place = Tree::Place;
  struct Located {
    Place place;
    uint32_t offset = 0;  // in elements
  };

  std::optional<Located> Locate(OpId element) const;
  static std::optional<Located> LocateIn(Tree::Leaf* leaf, OpId element);
  Place PlaceOf(OpId id, OpId after);
  Place SkipGreater(Place place, OpId id) const;
  // Cuts the piece in two where `offset` elements are on the left; returns the place of the right
  // part.
  Place Split(const Place& place, uint32_t offset);
  void Put(const Place& place, const Piece& piece);
  void JoinNext(const Place& place);
  bool CanJoin(const Piece& left, const Piece& right) const;
  // The piece of this element alone, of the special kind.
  Piece& MakeSpecial(OpId element);

  // The text of the first elements of a piece, whether it is visible or not.
  std::string_view TextOf(const Piece& piece, uint32_t elements) const;
  crdt::TextSize SizeOf(const Piece& piece) const;
  uint32_t WidthOf(const Piece& piece, crdt::Unit unit) const;
  uint32_t ElementsIn(const Piece& piece, crdt::Unit unit, uint32_t units) const;
  // Of a special piece: the value that is shown; nullptr for none.
  const Values::value_type* ShownOf(const Piece& special) const;
  // A new one, without values; returns where it is.
  uint32_t AddSpecialValues();

  void AppendLoaded(const Piece& piece);
  void FinishLoading();
  void OnNew(const Piece& piece, Tree::Leaf* leaf);
  void OnMoved(const Piece& piece, Tree::Leaf* leaf);

  const ActorTable& actors_;
  Sizes sizes_{*this};
  Tree tree_{sizes_};
  // In which leaf an element is: that of the last key which is not greater than its own. Keys are
  // actor and counter.
  absl::btree_map<uint64_t, Tree::Leaf*> leaves_;
  mutable Tree::Leaf* last_leaf_ = nullptr;  // where something was found: the next is often there
  // Of each special piece, the values that are visible: the one with the greatest id is shown.
  std::vector<Values> specials_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_SEQUENCE_H_
