#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_PATTERN_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_PATTERN_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace cursorwire::workspace {

// A regular expression in the syntax of RE2, which has no back references: the time of a search
// grows with the length of the text alone. Thread-safe.
class Pattern {
 public:
  // Where a match lies.
  struct Span {
    size_t begin = 0;
    size_t end = 0;
  };
  struct Options {
    bool case_insensitive = false;
    // ^ and $ are for each line of a text, and . is for its newlines too.
    bool multiline = false;
  };

  static constexpr size_t kMaxBytes = 4096;

  //   kInvalidArgument  it does not parse, or needs too much memory
  static absl::StatusOr<Pattern> Compile(const std::string& pattern, const Options& options);
  ~Pattern();
  Pattern(Pattern&& other) noexcept;
  Pattern& operator=(Pattern&& other) noexcept;

  // A search cannot be interrupted. In a text of this size it takes some seconds at the very worst;
  // the more complex the pattern, the less it is.
  size_t max_text_bytes() const;

  bool Matches(std::string_view line) const;
  // The first match that begins at `from` or later.
  std::optional<Span> Find(std::string_view text, size_t from) const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> program);

  std::unique_ptr<re2::RE2> program_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_PATTERN_H_
