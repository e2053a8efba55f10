#ifndef CURSORWIRE_SRC_CLIENT_TURN_SHOWN_TEXT_H_
#define CURSORWIRE_SRC_CLIENT_TURN_SHOWN_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire {

// The text of the answer that was shown since the last checkpoint. A turn that goes on from that
// checkpoint says it again: what is the same is left out. It keeps the text of attempts that are
// over; what the running one says, its Run writes down anyway. A value.
class ShownText {
 public:
  // Text that came: the part that was not shown yet, maybe none. nullopt: it says something else
  // than what was shown.
  std::optional<std::string_view> Add(std::string_view text) {
    if (is_behind()) return AddAgain(text);
    said_ += text.size();
    return text;
  }
  // What came so far is in a checkpoint: it is not said again.
  void OnCheckpoint();
  // Another attempt begins. `said`: all text that came in the one before since its last checkpoint,
  // RunProgress::text_since.
  void OnRestart(std::string said);
  void Clear() { text_.clear(), said_ = 0; }

  bool empty() const { return text_.empty() && said_ == 0; }
  // The attempt has not said all of it again.
  bool is_behind() const { return said_ < text_.size(); }

 private:
  std::optional<std::string_view> AddAgain(std::string_view text);

  std::string text_;
  size_t said_ = 0;  // so many bytes came in this attempt since its last checkpoint
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_SHOWN_TEXT_H_
