#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_SLUG_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_SLUG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::agent {

// A model id taken apart: `{base}[-{effort}][-thinking][-fast]`, or `{base}-thinking-{effort}`.
// Source: docs/protocol.md, models.
struct SlugParts {
  std::string base{};
  std::string effort{};  // as it stands in the id, such as "extra-high"; empty: none
  bool thinking = false;
  bool fast = false;
  bool effort_behind_thinking = false;  // the second form

  friend bool operator==(const SlugParts&, const SlugParts&) = default;
};

// Whatever ends with a suffix is taken for having it; ParseSlugs() knows better.
SlugParts ParseSlug(std::string_view id);
// The id of these parts; ParseSlug() undone.
std::string BuildSlug(const SlugParts& parts);

// The parts of several ids of one catalog, in their order. The word `max` may be the end of a name,
// as in `gpt-5.1-codex-max`: it counts as an effort only where another id has the same base and no
// id has an effort behind it.
std::vector<SlugParts> ParseSlugs(const std::vector<std::string>& ids);

// One word for each effort: "extra-high" is "xhigh", "off" is "none"; lower case.
std::string EffortWord(std::string_view text);
// From none (0) to max; what is no effort comes last.
int EffortRank(std::string_view word);
// How far it is from what is meant without a word for it: the bare id ("") is 0, then comes medium.
int EffortDistance(std::string_view word);

// The tokens that a word such as "272k" or "1m" says; 0 if it is no such word.
int64_t TokensOfWord(std::string_view word);
// "272k", "1m", or the number.
std::string WordOfTokens(int64_t tokens);
// The window that an id or a name hints at: its word "1m" or "272k", else 200 000.
// Guess: docs/protocol.md, models.
int64_t GuessContextTokens(std::string_view id_or_name);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_SLUG_H_
