#ifndef CURSORWIRE_SRC_PATTERN_PATTERN_H_
#define CURSORWIRE_SRC_PATTERN_PATTERN_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace cursorwire {

// A regular expression in the syntax of RE2, which has no back references, so that the time of a
// search grows only linearly with the text. Thread-safe.
class Pattern {
 public:
  // The position of a match.
  struct Span {
    size_t begin = 0;
    size_t end = 0;
  };
  struct Options {
    bool case_insensitive = false;
    // ^ and $ match at each line of a text, and . matches newlines too.
    bool multiline = false;
  };

  static constexpr size_t kMaxBytes = 4096;

  //   kInvalidArgument  the pattern does not parse, or needs too much memory
  static absl::StatusOr<Pattern> Compile(const std::string& pattern, const Options& options);
  ~Pattern();
  Pattern(Pattern&& other) noexcept;
  Pattern& operator=(Pattern&& other) noexcept;

  // Texts to search should not be longer than this, since a search cannot be interrupted. With a
  // text of this size it takes a few seconds at worst. The more complex the pattern, the smaller it
  // is.
  size_t max_text_bytes() const;

  bool Matches(std::string_view line) const;
  // The first match that begins at or after `from`.
  std::optional<Span> Find(std::string_view text, size_t from) const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> program);

  std::unique_ptr<re2::RE2> program_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_PATTERN_PATTERN_H_
