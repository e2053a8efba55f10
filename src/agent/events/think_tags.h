#ifndef CURSORWIRE_SRC_AGENT_EVENTS_THINK_TAGS_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_THINK_TAGS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cursorwire::agent {

// Tells the reasoning that a model puts between tags into its text from the answer, however the
// text is cut into pieces.
//
// An opening tag counts where reasoning begins, and nowhere else: at the start of a message, and at
// the start of a line with nothing but blanks between it and a closed block. An answer that
// mentions a tag, in backticks or not, is left alone. The next closing tag ends the block, whatever
// its name; opening tags within the block are part of it. A closing tag outside of a block is text.
//
// Order: Add() any number of times; Flush() where nothing more can belong to what came;
// StartMessage() where the model begins anew; End() at the end of the turn.
//
// A block is given as thinking while it comes. One that is still open at End() was no reasoning: it
// is given once more, as text, its tag included. The same happens to one that is longer than its
// limit, as soon as it is; what follows is text then, too.
//
// Memory: the open block, under its limit, and less than 16 bytes that may be the start of a tag.
// Thread-compatible. Source: docs/protocol.md, think tags.
class ThinkTagFilter {
 public:
  struct Piece {
    bool thinking = false;
    // Valid during the call; never empty. The very argument of Add() if all of it is of one kind.
    std::string_view text{};
  };
  using Give = std::function<void(const Piece&)>;
  // More than any model reasons at a time.
  static constexpr size_t kMaxBlockBytes = size_t{1} * 1024 * 1024;

  // True if Add() would give `text` as it is and as text: then it need not be called.
  bool Passes() const { return state_ == State::kText; }

  void Add(std::string_view text, const Give& give);
  // Gives what is held back: no tag came of it. An open block stays open.
  void Flush(const Give& give);
  // The next text starts a message. An open block stays open. Call Flush() before.
  void StartMessage();
  // Gives what is held back and an open block. What comes next starts a message.
  void End(const Give& give);

 private:
  enum class State {
    kStart,        // nothing but blanks came since the start of the message, or of a line that may
                   // begin with a tag
    kBehindBlock,  // nothing but blanks came since a block, on its last line
    kText,
    kBlock,
  };

  void Scan(std::string_view text, const Give& give);
  // Each gives a start of `text`, which is not empty, and returns how long that is.
  size_t ScanStart(std::string_view text, const Give& give);
  size_t ScanBlock(std::string_view text, const Give& give);
  // Gives a start of `text` as thinking: all, or what the block has room for.
  size_t AddToBlock(std::string_view text, const Give& give);
  // Gives the block as text.
  void GiveBack(const Give& give);

  State state_ = State::kStart;
  std::string held_;
  std::string block_;  // as it came, from its opening tag on; empty unless kBlock
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_THINK_TAGS_H_
