#include "workspace/search/glob.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/search/brace_expansion.h"

namespace cursorwire::workspace {
namespace {

// Only the last star before the mismatch can need to take more, since everything before it has
// matched as early as possible. So each of `patterns` looks at each of `things` at most once.
template <typename Pattern, typename Things, typename IsStar, typename Matches>
bool MatchWithStars(const std::vector<Pattern>& patterns, const Things& things, IsStar is_star,
                    Matches matches) {
  constexpr auto kNone = static_cast<size_t>(-1);
  size_t pattern = 0;
  size_t thing = 0;
  size_t after_star = kNone;
  size_t star_takes_until = 0;
  while (thing < things.size()) {
    if (pattern < patterns.size() && is_star(patterns[pattern])) {
      after_star = ++pattern;
      star_takes_until = thing;
    } else if (pattern < patterns.size() && matches(patterns[pattern], things[thing])) {
      ++pattern;
      ++thing;
    } else if (after_star != kNone) {
      pattern = after_star;
      thing = ++star_takes_until;
    } else {
      return false;
    }
  }
  while (pattern < patterns.size() && is_star(patterns[pattern])) ++pattern;
  return pattern == patterns.size();
}

std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> names;
  for (;;) {
    const size_t slash = path.find('/');
    names.push_back(path.substr(0, slash));
    if (slash == path.npos) return names;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

// Parses one alternative, without braces.
class Glob::Parser {
 public:
  explicit Parser(std::string_view pattern) : rest_(pattern) {}

  absl::StatusOr<Alternative> Parse() {
    const bool anchored = rest_.find('/') != rest_.npos;
    if (rest_.starts_with('/')) rest_.remove_prefix(1);
    if (rest_.empty()) return InvalidArgument("an empty pattern");
    Alternative parts;
    if (!anchored) parts.push_back({.any_depth = true});
    parts.emplace_back();
    while (!rest_.empty()) {
      if (rest_.front() == '/') {
        rest_.remove_prefix(1);
        parts.emplace_back();
      } else {
        absl::Status status = ParseToken(parts.back());
        if (!status.ok()) return status;
      }
    }
    for (Part& part : parts) Finish(part);
    // At the end it stands for everything below, but not for the folder itself.
    if (parts.back().any_depth) parts.push_back(AnyName());
    return parts;
  }

 private:
  static Part AnyName() {
    return {.literal = false, .tokens = {Token{.kind = Token::Kind::kStar}}};
  }

  static bool IsStar(const Token& token) { return token.kind == Token::Kind::kStar; }

  static void Finish(Part& part) {
    part.any_depth = part.any_depth ||
                     (part.tokens.size() == 2 && IsStar(part.tokens[0]) && IsStar(part.tokens[1]));
    // One of them is enough, and takes no more than it needs.
    if (part.literal) {
      part.tokens = {};
    } else {
      part.text = {};
    }
    part.tokens.shrink_to_fit();
  }

  absl::Status ParseToken(Part& part) {
    const std::string_view start = rest_;
    const char32_t character = TakeCharacter(rest_);
    if (character == '*') {
      Add(part, {.kind = Token::Kind::kStar});
    } else if (character == '?') {
      Add(part, {.kind = Token::Kind::kAny});
    } else if (character == '[') {
      return ParseClass(part);
    } else if (character == '\\') {
      const absl::StatusOr<char32_t> escaped = TakeEscaped();
      if (!escaped.ok()) return escaped.status();
      AddCharacter(part, *escaped, start.substr(1, start.size() - rest_.size() - 1));
    } else {
      AddCharacter(part, character, start.substr(0, start.size() - rest_.size()));
    }
    return absl::OkStatus();
  }

  static void Add(Part& part, const Token& token) {
    part.literal = false;
    part.tokens.push_back(token);
  }

  static void AddCharacter(Part& part, char32_t character, std::string_view bytes) {
    part.text += bytes;
    part.tokens.push_back({.character = character});
  }

  // After a backslash.
  absl::StatusOr<char32_t> TakeEscaped() {
    if (rest_.empty())
      return InvalidArgument("a backslash with nothing after it; write \\\\ for itself");
    return TakeCharacter(rest_);
  }

  // After the opening bracket.
  absl::Status ParseClass(Part& part) {
    Token token = {.kind = Token::Kind::kClass,
                   .character = static_cast<char32_t>(part.ranges.size())};
    if (rest_.starts_with('!') || rest_.starts_with('^')) {
      token.negated = true;
      rest_.remove_prefix(1);
    }
    while (token.range_count == 0 || !rest_.starts_with(']')) {
      const absl::StatusOr<char32_t> first = TakeMember();
      if (!first.ok()) return first.status();
      char32_t last = *first;
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        const absl::StatusOr<char32_t> end = TakeMember();
        if (!end.ok()) return end.status();
        last = *end;
      }
      if (last < *first) return InvalidArgument("a range in brackets [ ] that goes backwards");
      part.ranges.emplace_back(*first, last);
      ++token.range_count;
    }
    rest_.remove_prefix(1);
    Add(part, token);
    return absl::OkStatus();
  }

  absl::StatusOr<char32_t> TakeMember() {
    if (rest_.empty()) {
      return InvalidArgument("an opening bracket [ has no closing one; write \\[ for itself");
    }
    const char32_t character = TakeCharacter(rest_);
    if (character == '\\') return TakeEscaped();
    return character;
  }

  std::string_view rest_;
};

absl::StatusOr<Glob> Glob::Parse(std::string_view pattern, Braces braces) {
  if (pattern.size() > kMaxBytes) {
    return InvalidArgument(absl::StrCat("the glob has more than ", kMaxBytes, " bytes"));
  }
  absl::StatusOr<std::vector<std::string>> texts =
      braces == Braces::kAlternatives ? ExpandBraces(pattern, kMaxAlternatives)
                                      : std::vector<std::string>{std::string(pattern)};
  if (!texts.ok()) return Annotate(texts.status(), "glob");
  Glob glob;
  size_t bytes = 0;
  for (const std::string& text : *texts) {
    bytes += text.size();
    if (bytes > kMaxExpandedBytes)
      return InvalidArgument("glob: the braces make too long patterns");
    absl::StatusOr<Alternative> alternative = Parser(text).Parse();
    if (!alternative.ok()) return Annotate(alternative.status(), "glob");
    glob.alternatives_.push_back(*std::move(alternative));
  }
  return glob;
}

bool Glob::Matches(std::string_view path) const {
  const std::vector<std::string_view> names = SplitPath(path);
  return std::any_of(alternatives_.begin(), alternatives_.end(),
                     [&](const Alternative& parts) { return Matches(parts, names); });
}

bool Glob::Matches(const Alternative& parts, const std::vector<std::string_view>& names) {
  return MatchWithStars(
      parts, names, [](const Part& part) { return part.any_depth; },
      [](const Part& part, std::string_view name) { return part.Matches(name); });
}

bool Glob::Part::Matches(std::string_view name) const {
  if (literal) return name == text;
  std::u32string characters;
  characters.reserve(name.size());
  while (!name.empty()) characters += TakeCharacter(name);
  return MatchWithStars(
      tokens, characters, [](const Token& token) { return token.kind == Token::Kind::kStar; },
      [this](const Token& token, char32_t character) { return Matches(token, character); });
}

bool Glob::Part::Matches(const Token& token, char32_t character) const {
  if (token.kind == Token::Kind::kCharacter) return token.character == character;
  if (token.kind != Token::Kind::kClass) return true;
  const auto first = ranges.begin() + static_cast<ptrdiff_t>(token.character);
  const bool within = std::any_of(first, first + token.range_count, [&](const auto& range) {
    return range.first <= character && character <= range.second;
  });
  return within != token.negated;
}

}  // namespace cursorwire::workspace
