#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_SEQUENCE_LOADER_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_SEQUENCE_LOADER_H_

#include <cstdint>
#include <string_view>

#include "crdt/automerge/actor_table.h"
#include "crdt/automerge/operation.h"
#include "crdt/automerge/sequence.h"

namespace cursorwire::automerge {

// Fills an empty sequence with its elements in their order, which takes less than to put each where
// it belongs. After the last one: Finish(); nothing else may be done with the sequence before.
class SequenceLoader {
 public:
  SequenceLoader(Sequence& sequence, ActorTable& actors) : sequence_(sequence), actors_(actors) {}

  // An element that is one character.
  void AddTyped(OpId id, std::string_view character, bool visible);
  // Characters that follow the last one, alike in all but their ids, which go on.
  void AddMore(std::string_view ascii);
  // An element of any other value.
  void AddSpecial(OpId id, std::string_view shown, bool visible);
  // A further value of `element`; false if that is not the last one that was added.
  bool AddValue(OpId element, OpId id, std::string_view shown, bool visible);
  void Finish();

 private:
  using Piece = Sequence::Piece;

  bool Extends(OpId id, bool ascii, bool visible) const;
  void Flush();

  Sequence& sequence_;
  ActorTable& actors_;
  Piece piece_;  // of characters that are not in the tree yet; length 0: none
  // The last element.
  OpId last_;
  bool last_is_special_ = false;
  uint32_t last_bytes_ = 0;  // of a character
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_SEQUENCE_LOADER_H_
