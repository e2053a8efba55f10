#ifndef CURSORWIRE_SRC_AGENT_EVENTS_THINK_TAGS_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_THINK_TAGS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cursorwire::agent {

// Separates reasoning, which some models put between tags into their text, from the answer. Where
// the text is cut into pieces does not matter.
//
// An opening tag counts only at the start of a message, and at the start of a line if only blanks
// stand between that line and a closed block. An answer that mentions a tag, in backticks or not,
// is left alone. The next closing tag ends the block, whatever its name; opening tags within the
// block are part of it. A closing tag outside of a block is text.
//
// Order: Add() any number of times; Flush() when text that follows cannot continue what came
// before; StartMessage() when the model begins a new message; End() at the end of the turn.
//
// A block is given as thinking while it arrives. A block that is still open at End() was not
// reasoning: it is given a second time, as text, including its tag. A block that exceeds
// kMaxBlockBytes is given as text at once, and so is everything after it.
//
// Memory: the open block, up to its limit, and less than 16 bytes that may be the start of a tag.
// Thread-compatible. Source: docs/protocol.md, think tags.
class ThinkTagFilter {
 public:
  struct Piece {
    bool thinking = false;
    // Valid during the call; never empty. It is the argument of Add() itself, uncopied, if that is
    // all of one kind.
    std::string_view text{};
  };
  using Give = std::function<void(const Piece&)>;
  // More than any model writes in one block of reasoning.
  static constexpr size_t kMaxBlockBytes = size_t{1} * 1024 * 1024;

  // True if Add() would give `text` back unchanged, as text; then Add() need not be called.
  bool Passes() const { return state_ == State::kText; }

  // Text was held back: Flush() would give some.
  bool holds_text() const { return !held_.empty(); }

  void Add(std::string_view text, const Give& give);
  // Gives the text that was held back, since it did not become a tag. An open block stays open.
  void Flush(const Give& give);
  // The next text starts a message. An open block stays open. Call Flush() first.
  void StartMessage();
  // Gives the text that was held back and an open block. The next text starts a message.
  void End(const Give& give);

 private:
  enum class State {
    kStart,        // only blanks so far, at the start of a message or of a line that may begin with
                   // a tag
    kBehindBlock,  // only blanks so far after a block, on its last line
    kText,
    kBlock,
  };

  void Scan(std::string_view text, const Give& give);
  // Each gives the first bytes of `text`, which must not be empty, and returns how many.
  size_t ScanStart(std::string_view text, const Give& give);
  size_t ScanBlock(std::string_view text, const Give& give);
  // Gives the first bytes of `text` as thinking, as many as fit into the block.
  size_t AddToBlock(std::string_view text, const Give& give);
  // Gives the whole block as text.
  void GiveBack(const Give& give);

  State state_ = State::kStart;
  std::string held_;
  std::string block_;  // as received, including its opening tag; empty unless state_ is kBlock
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_THINK_TAGS_H_
