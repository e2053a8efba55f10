#ifndef CURSORWIRE_SRC_CLIENT_SHOWN_TEXT_H_
#define CURSORWIRE_SRC_CLIENT_SHOWN_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire {

// The text of the answer that was shown since the last checkpoint. A turn that goes on from that
// checkpoint says it again: what is the same is left out. A value.
class ShownText {
 public:
  // Text that came: the part that was not shown yet, maybe none. nullopt: it says something else
  // than what was shown.
  std::optional<std::string_view> Add(std::string_view text);
  // What came so far is in a checkpoint: it is not said again.
  void OnCheckpoint();
  // Another attempt begins.
  void OnRestart() { repeated_ = 0; }
  void Clear() { text_.clear(), repeated_ = 0; }

  bool empty() const { return text_.empty(); }
  // The attempt has not said all of it again.
  bool is_behind() const { return repeated_ < text_.size(); }
  // More came than is kept: what comes again would not be known.
  bool overflown() const { return overflown_; }

 private:
  void Keep(std::string_view fresh);

  static constexpr size_t kMaxBytes = size_t{8} * 1024 * 1024;

  std::string text_;
  size_t repeated_ = 0;  // so many bytes came in this attempt
  bool overflown_ = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_SHOWN_TEXT_H_
