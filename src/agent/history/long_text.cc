#include "agent/history/long_text.h"

#include <algorithm>

namespace cursorwire::agent {
namespace {

// Each piece is twice as large as the one before, up to the largest. Few pieces, since a large
// allocation costs more than a copy: it makes the allocator tidy up what small ones have freed.
constexpr size_t kFirstPieceBytes = size_t{64} * 1024;
constexpr size_t kLargestPieceBytes = size_t{1024} * 1024;

}  // namespace

void LongText::AddPiece() {
  // Most texts are short: the first piece grows with its text.
  const bool is_first = pieces_.empty();
  room_ = is_first ? kFirstPieceBytes : std::min(2 * pieces_.back().size(), kLargestPieceBytes);
  pieces_.emplace_back();
  if (!is_first) pieces_.back().reserve(room_);
}

void LongText::AppendPieces(std::string_view text) {
  while (!text.empty()) {
    if (room_ == 0) AddPiece();
    const std::string_view part = text.substr(0, room_);
    pieces_.back() += part;
    room_ -= part.size();
    text.remove_prefix(part.size());
  }
}

std::string LongText::Since(size_t first) const {
  std::string text;
  text.reserve(size_ - first);
  for (const std::string_view piece : pieces_) {
    const size_t skipped = std::min(first, piece.size());
    text += piece.substr(skipped);
    first -= skipped;
  }
  return text;
}

}  // namespace cursorwire::agent
