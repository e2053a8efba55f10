#ifndef CURSORWIRE_SRC_AGENT_HISTORY_LONG_TEXT_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_LONG_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::agent {

// A text that may grow to megabytes, in pieces: what is there is not copied when more comes, but
// for the first 64 KiB. Thread-compatible.
class LongText {
 public:
  void Append(std::string_view text) {
    size_ += text.size();
    if (text.size() >= room_) return AppendPieces(text);
    room_ -= text.size();
    pieces_.back() += text;
  }

  size_t size() const { return size_; }
  // From byte `first` on, which is at most size().
  std::string Since(size_t first) const;

 private:
  void AddPiece();
  void AppendPieces(std::string_view text);

  std::vector<std::string> pieces_;
  size_t room_ = 0;  // what the last piece still takes
  size_t size_ = 0;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_LONG_TEXT_H_
