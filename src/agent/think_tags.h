#ifndef CURSORWIRE_SRC_AGENT_THINK_TAGS_H_
#define CURSORWIRE_SRC_AGENT_THINK_TAGS_H_

#include <functional>
#include <string>
#include <string_view>

namespace cursorwire::agent {

// Takes the tags out of a text that has reasoning between them, however it is cut into pieces: what
// follows an opening tag is thinking, what follows a closing one is not, and none of them counts
// how deep they are nested.
//
// Order: Add() any number of times; Flush() where nothing more can belong to what came, and at the
// end. Holds back less than 16 bytes, which may be the start of a tag. Thread-compatible.
// Source: docs/protocol.md, think tags.
class ThinkTagFilter {
 public:
  struct Piece {
    bool thinking = false;
    std::string_view text{};  // valid during the call; never empty
  };
  using Give = std::function<void(const Piece&)>;

  // True if Add() would give `text` as it is and whole: then it need not be called.
  bool Passes(std::string_view text) const {
    return held_.empty() && text.find('<') == std::string_view::npos;
  }
  // Whether what comes next is thinking.
  bool thinking() const { return thinking_; }

  void Add(std::string_view text, const Give& give);
  // Gives what is held back: no tag came of it. What comes next is thinking if it was before.
  void Flush(const Give& give);

 private:
  void Scan(std::string_view text, const Give& give);

  std::string held_;
  bool thinking_ = false;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_THINK_TAGS_H_
