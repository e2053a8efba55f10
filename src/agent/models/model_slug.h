#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_SLUG_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_SLUG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::agent {

// The parts of a model id: `{base}[-{effort}][-thinking][-fast]`, or `{base}-thinking-{effort}`.
// Source: docs/protocol.md, models.
struct SlugParts {
  std::string base{};
  std::string effort{};  // as spelled in the id, such as "extra-high"; empty: no effort
  bool thinking = false;
  bool fast = false;
  bool effort_behind_thinking = false;  // the second form

  friend bool operator==(const SlugParts&, const SlugParts&) = default;
};

// Always reads a known suffix as a suffix, even at the end of a name; ParseSlugs() knows better.
SlugParts ParseSlug(std::string_view id);
// The id made of these parts; the inverse of ParseSlug().
std::string BuildSlug(const SlugParts& parts);

// The parts of the ids of one catalog, in the same order. The word `max` may belong to the name, as
// in `gpt-5.1-codex-max`: it counts as an effort only if another id has the same base, and no id
// has an effort after `max`.
std::vector<SlugParts> ParseSlugs(const std::vector<std::string>& ids);

// One word for each effort: "extra-high" is "xhigh", "off" is "none"; lower case.
std::string EffortWord(std::string_view text);
// From none (0) to max; an unknown word comes last.
int EffortRank(std::string_view word);
// Distance from the default: the bare id ("") is 0, then comes medium.
int EffortDistance(std::string_view word);

// The tokens that a word such as "272k" or "1m" stands for; 0 for any other word.
int64_t TokensOfWord(std::string_view word);
// "272k", "1m", or just the number.
std::string WordOfTokens(int64_t tokens);
// The context window that an id or a name hints at by the word "1m" or "272k", else 200 000.
// Guess: docs/protocol.md, models.
int64_t GuessContextTokens(std::string_view id_or_name);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_SLUG_H_
