#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_LIVE_REGION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_LIVE_REGION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat::markdown {

// The lines at the end of the output that may still change. They are drawn again over themselves;
// what has scrolled off the screen cannot be, so of more lines than the screen has only the last
// ones are drawn until they are settled.
//
// The cursor stays at the end of the last open line, or at the start of a line if none is open.
// No line may be as wide as the screen. Thread-compatible.
class LiveRegion {
 public:
  explicit LiveRegion(size_t rows) : rows_(rows) {}

  // Returns the bytes that put `settled` and then `open` in the place of the lines that were open.
  // `settled` never changes again.
  std::string Draw(const std::vector<std::string>& settled, std::vector<std::string> open);

  // The lines may have moved: the next Draw() draws all of them. `wrapped_at` are the columns at
  // which the terminal has wrapped the lines anew; nullopt: nobody knows whether it does so. Then
  // what a narrower screen has wrapped may stay there as well, above; nothing that was settled is
  // erased.
  void Resize(std::optional<size_t> wrapped_at, size_t rows);

 private:
  size_t Unchanged(const std::vector<std::string>& lines, bool keeps_window) const;
  bool OnlyGrows(const std::vector<std::string>& lines, size_t from) const;
  std::string GoTo(size_t line) const;
  size_t RowsOf(std::string_view line) const;
  std::string Overwrite(const std::vector<std::string>& lines, size_t from) const;

  size_t rows_;
  std::vector<std::string> drawn_;  // the open lines on the screen
  size_t hidden_ = 0;               // the open lines above them, which were not drawn
  bool moved_ = false;
  std::optional<size_t> wrapped_at_;  // if it has moved
};

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_LIVE_REGION_H_
