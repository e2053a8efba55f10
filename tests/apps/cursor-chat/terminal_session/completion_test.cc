#include "terminal_session/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/scratch_folder.h"

namespace cursor_chat {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CompletionSources Sources() {
  return {.models =
              [] {
                return std::vector<std::string>{"bolt", "acme-5", "acme-4"};
              },
          .efforts =
              [] {
                return std::vector<std::string>{"low", "high"};
              },
          .files =
              [](std::string_view) {
                return std::vector<std::string>{"a.png", "b/"};
              },
          .attachable =
              [](std::string_view) {
                return std::vector<std::string>{"src/", "sun"};
              }};
}

TEST(Complete, FindsCommandsAndWhatTheyTake) {
  const struct {
    const char* before;
    size_t start;
    std::vector<std::string> words;
  } cases[] = {
      {"/mod", 0, {"/mode", "/model"}},
      {"/q", 0, {"/quit"}},
      {"/nothing", 0, {}},
      {"/model ", 7, {"acme-4", "acme-5", "bolt"}},
      {"/model  ac", 8, {"acme-4", "acme-5"}},
      {"/mode p", 6, {"plan"}},
      {"/effort ", 8, {"high", "low"}},
      {"/image a", 7, {"a.png"}},
      {"/help ", 6, {}},
      {"/what ", 0, {}},
      {"see @s", 5, {"src/", "sun"}},
      {"@su", 1, {"sun"}},
      {"a\n@su", 3, {"sun"}},
      {"ada@su", 0, {}},
      {"word", 0, {}},
      {"", 0, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.before);
    const Completion completion = Complete(c.before, Sources());
    EXPECT_EQ(completion.words, c.words);
    EXPECT_EQ(completion.words.empty() ? c.start : completion.start, c.start);
  }
}

TEST(Complete, NamesWithSpacesSoThatTheyAreAttached) {
  const CompletionSources sources{.attachable = [](std::string_view start) {
    EXPECT_TRUE(std::string_view("a b/c d.txt").starts_with(start)) << start;
    return std::vector<std::string>{"a b/", "a b/c d.txt"};
  }};
  const struct {
    const char* before;
    size_t start;
    std::vector<std::string> words;
  } cases[] = {
      {"see @a", 5, {"a\\ b/", "a\\ b/c\\ d.txt"}}, {"see @a\\ b/c", 5, {"a\\ b/c\\ d.txt"}},
      {"see @a\\ b/c\\ ", 5, {"a\\ b/c\\ d.txt"}},  {"see @\"a b/c d", 6, {"a b/c d.txt\""}},
      {"@\"a", 2, {"a b/", "a b/c d.txt\""}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.before);
    const Completion completion = Complete(c.before, sources);
    EXPECT_EQ(completion.words, c.words);
    EXPECT_EQ(completion.start, c.start);
  }
  EXPECT_THAT(Complete("see @\"a b\" and a", sources).words, IsEmpty());
}

TEST(Complete, NeedsNoSources) { EXPECT_THAT(Complete("/model ", {}).words, IsEmpty()); }

TEST(CommonStart, IsOfWholeCharacters) {
  EXPECT_EQ(CommonStart({}), "");
  EXPECT_EQ(CommonStart({"abc"}), "abc");
  EXPECT_EQ(CommonStart({"abc", "abd", "ab"}), "ab");
  EXPECT_EQ(CommonStart({"x\u00E4", "x\u00F6"}), "x");
}

TEST(CompletePath, ListsNamesBelowAFolder) {
  const cursorwire::test::ScratchFolder scratch;
  const std::string folder = scratch.path();
  std::filesystem::create_directories(folder + "/src/deep");
  for (const char* name : {"/sun", "/.hidden", "/src/main.cc", "/s\033[31m", "/s\nx"}) {
    std::ofstream(folder + name) << "x";
  }
  EXPECT_THAT(CompletePath(folder, "s"), ElementsAre("src/", "sun"));
  EXPECT_THAT(CompletePath(folder, "src/"), ElementsAre("src/deep/", "src/main.cc"));
  EXPECT_THAT(CompletePath(folder, "."), ElementsAre(".hidden"));
  EXPECT_THAT(CompletePath(folder, folder + "/su"), ElementsAre(folder + "/sun"));
  EXPECT_THAT(CompletePath(folder, "none/"), IsEmpty());
}

TEST(Complete, SaysThatThereMayBeMoreThanItLookedAt) {
  const std::vector<std::string> some(kMaxCompletions - 1, "a");
  const std::vector<std::string> many(kMaxCompletions, "a");
  for (const char* before : {"@", "/image "}) {
    SCOPED_TRACE(before);
    const auto none = [](std::string_view) { return std::vector<std::string>(); };
    CompletionSources sources{.files = none, .attachable = none};
    EXPECT_FALSE(Complete(before, sources).is_cut);
    sources.files = sources.attachable = [&some](std::string_view) { return some; };
    EXPECT_FALSE(Complete(before, sources).is_cut);
    sources.files = sources.attachable = [&many](std::string_view) { return many; };
    EXPECT_TRUE(Complete(before, sources).is_cut);
  }
}

TEST(InColumns, FitsTheScreenAndShowsEveryCharacter) {
  EXPECT_EQ(InColumns({.words = {"a", "bb", "ccc"}}, 80), "a    bb   ccc\n");
  EXPECT_EQ(InColumns({.words = {"a", "bb", "ccc"}}, 10), "a    ccc\nbb\n");
  EXPECT_EQ(InColumns({.words = {"\033[31m"}}, 80), "<U+001B>[31m\n");
  Completion many{.words = std::vector<std::string>(100, "word")};
  EXPECT_THAT(InColumns(many, 8), ::testing::EndsWith("... and 90 more\n"));
  many.is_cut = true;
  EXPECT_THAT(InColumns(many, 8), ::testing::EndsWith("... and at least 90 more\n"));
}

}  // namespace
}  // namespace cursor_chat
