#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_LISTING_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_LISTING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::room_agent {

// What one listing holds, without its remarks.
inline constexpr uint32_t kMaxShownLines = 2000;
inline constexpr size_t kMaxShownBytes = size_t{64} * 1024;

// Lines of a text for the model, one on each line: `N: text`, and `+: text` for a line without a
// number. Thread-compatible.
class LineListing {
 public:
  enum class Remark : uint8_t { kChanged, kGone, kReplaced, kDeleted };

  // False: it does not fit. The listing is closed then; of a line that would have been the first,
  // the beginning is in it.
  bool Add(std::optional<uint32_t> number, std::string_view line);
  // What has become of lines; in ascending order for each remark.
  void Note(Remark remark, uint32_t first, uint32_t last);
  // So many lines are left out.
  void LeaveOut(uint32_t lines) { left_out_ = lines; }

  bool is_complete() const { return left_out_ == 0; }
  // Without a line feed at the end.
  std::string Text() const;

 private:
  struct Lines {
    std::string text{};
    uint32_t first = 0;  // the range that is not in `text` yet; 0: none
    uint32_t last = 0;

    void Close();
  };

  std::string rows_;
  uint32_t count_ = 0;
  bool closed_ = false;
  bool has_new_ = false;
  uint32_t left_out_ = 0;
  Lines changed_{};
  Lines gone_{};
  Lines replaced_{};
  Lines deleted_{};
};

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_LISTING_H_
