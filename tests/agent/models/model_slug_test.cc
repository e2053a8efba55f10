#include "agent/models/model_slug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cursorwire::agent {
namespace {

TEST(ParseSlug, TakesSuffixesFromTheEndAndIsUndoneByBuildSlug) {
  const struct {
    const char* id;
    SlugParts parts;
  } kCases[] = {
      {"default", {.base = "default"}},
      {"acme-5.5", {.base = "acme-5.5"}},
      {"acme-5.5-high", {.base = "acme-5.5", .effort = "high"}},
      {"acme-5.5-fast", {.base = "acme-5.5", .fast = true}},
      {"acme-5.5-high-fast", {.base = "acme-5.5", .effort = "high", .fast = true}},
      {"acme-5.5-extra-high", {.base = "acme-5.5", .effort = "extra-high"}},
      {"acme-5.5-xhigh", {.base = "acme-5.5", .effort = "xhigh"}},
      {"acme-5.5-none", {.base = "acme-5.5", .effort = "none"}},
      {"acme-mini-low", {.base = "acme-mini", .effort = "low"}},
      {"bolt-4.6-max-thinking", {.base = "bolt-4.6", .effort = "max", .thinking = true}},
      {"bolt-4.6-thinking", {.base = "bolt-4.6", .thinking = true}},
      {"bolt-4.6-low-thinking-fast",
       {.base = "bolt-4.6", .effort = "low", .thinking = true, .fast = true}},
      {"bolt-4.8-thinking-max",
       {.base = "bolt-4.8", .effort = "max", .thinking = true, .effort_behind_thinking = true}},
      {"bolt-4.8-thinking-high-fast",
       {.base = "bolt-4.8",
        .effort = "high",
        .thinking = true,
        .fast = true,
        .effort_behind_thinking = true}},
      {"gpt-5.1-codex-max-high", {.base = "gpt-5.1-codex-max", .effort = "high"}},
      // Nothing would be left.
      {"fast", {.base = "fast"}},
      {"-high", {.base = "-high"}},
      {"high-fast", {.base = "high", .fast = true}},
      {"", {}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.id);
    EXPECT_TRUE(ParseSlug(c.id) == c.parts);
    EXPECT_EQ(BuildSlug(c.parts), c.id);
  }
}

TEST(BuildSlug, PutsTheEffortBeforeTheOtherSuffixes) {
  SlugParts parts = ParseSlug("gpt-5.4-fast");
  parts.effort = "high";
  EXPECT_EQ(BuildSlug(parts), "gpt-5.4-high-fast");
}

// The efforts of the ids, in their order.
std::vector<std::string> EffortsOf(const std::vector<std::string>& ids) {
  std::vector<std::string> efforts;
  for (const SlugParts& parts : ParseSlugs(ids)) efforts.push_back(parts.effort);
  return efforts;
}

TEST(ParseSlugs, TellsTheNameMaxFromTheEffortByTheSiblings) {
  const struct {
    const char* name;
    std::vector<std::string> ids;
    std::vector<std::string> efforts;
  } kCases[] = {
      {"an id has an effort after it",
       {"gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5.1-codex-max-high", "gpt-5.1-codex-high"},
       {"", "", "high", "high"}},
      {"the same, fast", {"gpt-5.1-codex-max-fast", "gpt-5.1-codex-max-low-fast"}, {"", "low"}},
      {"it stands alone", {"gpt-5.1-codex-max", "acme-5.5"}, {"", ""}},
      {"alone but for its fast form", {"gpt-5.1-codex-max", "gpt-5.1-codex-max-fast"}, {"", ""}},
      {"another effort of the same base",
       {"bolt-max-thinking", "bolt-low-thinking"},
       {"max", "low"}},
      {"the bare id of the same base", {"bolt", "bolt-max"}, {"", "max"}},
      {"both", {"a-max", "a-max-low", "a-max-max"}, {"", "low", "max"}},
      {"a name with its own max", {"a-max", "a-max-max"}, {"", "max"}},
      {"after thinking it is no name", {"bolt-thinking-max"}, {"max"}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(EffortsOf(c.ids), c.efforts);
    const std::vector<SlugParts> parts = ParseSlugs(c.ids);
    for (size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(BuildSlug(parts[i]), c.ids[i]);
  }
}

TEST(EffortWord, HasOneWordForEach) {
  EXPECT_EQ(EffortWord("extra-high"), "xhigh");
  EXPECT_EQ(EffortWord("off"), "none");
  EXPECT_EQ(EffortWord("High"), "high");
  EXPECT_LT(EffortRank("none"), EffortRank("minimal"));
  EXPECT_LT(EffortRank("xhigh"), EffortRank("max"));
  EXPECT_LT(EffortRank("max"), EffortRank("other"));
}

TEST(TokensOfWord, ReadsThousandsAndMillions) {
  const struct {
    const char* word;
    int64_t tokens;
  } kCases[] = {{"200k", 200'000}, {"272k", 272'000}, {"1m", 1'000'000}, {"1M", 1'000'000},
                {"2m", 2'000'000}, {"", 0},           {"k", 0},          {"200", 0},
                {"1.5m", 0},       {"-1k", 0},        {"+1k", 0},        {" 1k", 0},
                {"1g", 0},         {"99999999k", 0}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.word);
    EXPECT_EQ(TokensOfWord(c.word), c.tokens);
  }
  EXPECT_EQ(WordOfTokens(272'000), "272k");
  EXPECT_EQ(WordOfTokens(1'000'000), "1m");
  EXPECT_EQ(WordOfTokens(1'048'576), "1048576");
}

TEST(GuessContextTokens, LooksForAWordOfTheIdOrName) {
  EXPECT_EQ(GuessContextTokens("bolt-4.6-1m"), 1'000'000);
  EXPECT_EQ(GuessContextTokens("Bolt 4.6 1M Max"), 1'000'000);
  EXPECT_EQ(GuessContextTokens("acme-272k-high"), 272'000);
  EXPECT_EQ(GuessContextTokens("acme-5.1m"), 200'000);
  EXPECT_EQ(GuessContextTokens("11m"), 200'000);
  EXPECT_EQ(GuessContextTokens(""), 200'000);
}

}  // namespace
}  // namespace cursorwire::agent
