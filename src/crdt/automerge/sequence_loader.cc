#include "crdt/automerge/sequence_loader.h"

#include <string>

namespace cursorwire::automerge {

using PieceKind = Sequence::Piece::Kind;

bool SequenceLoader::Extends(OpId id, bool ascii, bool visible) const {
  if (piece_.length == 0 || piece_.counter + piece_.length != id.counter ||
      piece_.actor != id.actor || piece_.visible != visible || piece_.kind == PieceKind::kSpecial) {
    return false;
  }
  if (piece_.kind == PieceKind::kAscii) return ascii && piece_.length < Sequence::kMaxAsciiElements;
  return piece_.length < Sequence::kMaxTextElements;
}

void SequenceLoader::AddTyped(OpId id, std::string_view character, bool visible) {
  std::string& text = actors_.text(id.actor);
  const bool ascii = character.size() == 1;
  if (!Extends(id, ascii, visible)) {
    Flush();
    piece_ = {.counter = id.counter,
              .actor = id.actor,
              .start = static_cast<uint32_t>(text.size()),
              .kind = ascii ? PieceKind::kAscii : PieceKind::kText,
              .visible = visible};
  }
  ++piece_.length;
  text += character;
  last_ = id;
  last_is_special_ = false;
  last_bytes_ = static_cast<uint32_t>(character.size());
}

void SequenceLoader::AddMore(std::string_view ascii) {
  while (!ascii.empty()) {
    const uint32_t most =
        piece_.kind == PieceKind::kAscii ? Sequence::kMaxAsciiElements : Sequence::kMaxTextElements;
    if (piece_.length >= most) {
      const bool visible = piece_.visible;
      AddTyped({.counter = last_.counter + 1, .actor = last_.actor}, ascii.substr(0, 1), visible);
      ascii.remove_prefix(1);
      continue;
    }
    const std::string_view part = ascii.substr(0, most - piece_.length);
    actors_.text(last_.actor) += part;
    piece_.length = static_cast<uint16_t>(piece_.length + part.size());
    last_.counter += static_cast<uint32_t>(part.size());
    last_bytes_ = 1;
    ascii.remove_prefix(part.size());
  }
}

void SequenceLoader::AddSpecial(OpId id, std::string_view shown, bool visible) {
  Flush();
  const uint32_t values = sequence_.AddSpecialValues();
  if (visible) sequence_.specials_.back().try_emplace(id, shown);
  piece_ = {.counter = id.counter,
            .actor = id.actor,
            .start = values,
            .length = 1,
            .kind = PieceKind::kSpecial,
            .visible = visible};
  last_ = id;
  last_is_special_ = true;
}

bool SequenceLoader::AddValue(OpId element, OpId id, std::string_view shown, bool visible) {
  if (element != last_ || last_.is_none()) return false;
  if (!last_is_special_) {
    // The last character becomes an element of its own.
    const bool was_visible = piece_.visible;
    std::string& text = actors_.text(element.actor);
    const std::string character = text.substr(text.size() - last_bytes_);
    --piece_.length;
    AddSpecial(element, character, was_visible);
  }
  if (visible) sequence_.specials_.back().try_emplace(id, shown);
  piece_.visible = piece_.visible || visible;
  return true;
}

void SequenceLoader::Flush() {
  if (piece_.length != 0) sequence_.AppendLoaded(piece_);
  piece_.length = 0;
}

void SequenceLoader::Finish() {
  Flush();
  sequence_.FinishLoading();
}

}  // namespace cursorwire::automerge
