#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_GLOB_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_GLOB_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cursorwire::workspace {

// A pattern for paths, as in ripgrep and .gitignore. A value; thread-safe.
//   ?        one character         *    any number of characters; neither matches a slash
//   [a-z]    one of these          [!a-z] or [^a-z]  any other character
//   **       as a whole part of the path: any number of parts; at the end at least one
//   {a,b}    one of these, which may be empty, nested and have slashes (Braces::kAlternatives)
//   \x       x itself
// A pattern without a slash matches a name at any depth. A pattern with a slash, even at its start,
// matches the whole path. Classes such as [[:alpha:]] are not supported.
//
// Time of Matches(): at most the product of the lengths of pattern and path, for each alternative.
class Glob {
 public:
  enum class Braces { kAlternatives, kLiteral };

  static constexpr size_t kMaxBytes = 4096;  // of one pattern
  static constexpr size_t kMaxAlternatives = 256;
  static constexpr size_t kMaxExpandedBytes = size_t{16} * 1024;  // of all alternatives together

  //   kInvalidArgument  empty, over a limit, an unclosed bracket or brace, a range that goes
  //                     backwards, or a backslash at the end
  static absl::StatusOr<Glob> Parse(std::string_view pattern, Braces braces);

  // `path` must be relative, without a slash at its end.
  bool Matches(std::string_view path) const;

 private:
  // One character of a name, or any number of characters (kStar). Small, since a stranger's pattern
  // has thousands.
  struct Token {
    enum class Kind : uint8_t { kCharacter, kAny, kStar, kClass } kind = Kind::kCharacter;
    bool negated = false;
    uint16_t range_count = 0;  // of a class
    char32_t character = 0;    // of a class: where its ranges begin in those of the part
  };
  // One part of a path, or any number of parts (any_depth).
  struct Part {
    bool any_depth = false;
    bool literal = true;  // `text` is the whole part
    std::string text{};
    std::vector<Token> tokens{};
    std::vector<std::pair<char32_t, char32_t>> ranges{};

    bool Matches(std::string_view name) const;
    bool Matches(const Token& token, char32_t character) const;
  };
  using Alternative = std::vector<Part>;
  class Parser;

  static bool Matches(const Alternative& parts, const std::vector<std::string_view>& names);

  std::vector<Alternative> alternatives_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_GLOB_H_
