#include "crdt/text/text_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/text/text_size.h"

namespace cursorwire::crdt {
namespace {

constexpr std::string_view kDiffAcute = "\xcc\x81";          // U+0301
constexpr std::string_view kDiffZwj = "\xe2\x80\x8d";        // U+200D
constexpr std::string_view kDiffMan = "\xf0\x9f\x91\xa8";    // U+1F468
constexpr std::string_view kDiffWoman = "\xf0\x9f\x91\xa9";  // U+1F469
constexpr std::string_view kDiffDark = "\xf0\x9f\x8f\xbf";   // U+1F3FF
constexpr std::string_view kDiffLight = "\xf0\x9f\x8f\xbb";  // U+1F3FB

// What may not stand behind a border, by the first and the last of each range; and what stands next
// to the range and may.
constexpr std::string_view kDiffExtending[] = {
    "\xcc\x80",         "\xcd\xaf",          // U+0300, U+036F
    "\xe1\xaa\xb0",     "\xe1\xab\xbf",      // U+1AB0, U+1AFF
    "\xe1\xb7\x80",     "\xe1\xb7\xbf",      // U+1DC0, U+1DFF
    "\xe2\x80\x8d",                          // U+200D
    "\xe2\x83\x90",     "\xe2\x83\xbf",      // U+20D0, U+20FF
    "\xef\xb8\x80",     "\xef\xb8\x8f",      // U+FE00, U+FE0F
    "\xef\xb8\xa0",     "\xef\xb8\xaf",      // U+FE20, U+FE2F
    "\xf0\x9f\x8f\xbb", "\xf0\x9f\x8f\xbf",  // U+1F3FB, U+1F3FF
    "\xf3\xa0\x80\xa0", "\xf3\xa0\x81\xbf",  // U+E0020, U+E007F
    "\xf3\xa0\x84\x80", "\xf3\xa0\x87\xaf",  // U+E0100, U+E01EF
};
constexpr std::string_view kDiffStandingAlone[] = {
    "\xcb\xbf",         "\xcd\xb0",          // U+02FF, U+0370
    "\xe1\xaa\xaf",     "\xe1\xac\x80",      // U+1AAF, U+1B00
    "\xe2\x80\x8c",     "\xe2\x80\x8e",      // U+200C, U+200E
    "\xef\xb8\x90",     "\xef\xb8\xb0",      // U+FE10, U+FE30
    "\xf0\x9f\x8f\xba", "\xf0\x9f\x90\x80",  // U+1F3FA, U+1F400
    "\xf3\xa0\x82\x80", "\xf3\xa0\x87\xb0",  // U+E0080, U+E01F0
};

std::string JoinForDiff(const std::vector<std::string_view>& pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

// Where each code point of well-formed UTF-8 begins, and the end.
std::vector<size_t> DiffBorders(std::string_view text) {
  std::vector<size_t> borders;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xc0) != 0x80) borders.push_back(i);
  }
  borders.push_back(text.size());
  return borders;
}

bool StartsWithAnyOfDiff(std::string_view text) {
  return std::any_of(std::begin(kDiffExtending), std::end(kDiffExtending),
                     [text](std::string_view piece) { return text.starts_with(piece); });
}

// By the samples above only.
bool DiffBorderTears(std::string_view text, size_t at) {
  if (at == 0 || at == text.size()) return false;
  const std::string_view before = text.substr(0, at);
  const std::string_view after = text.substr(at);
  return (before.ends_with('\r') && after.starts_with('\n')) || before.ends_with(kDiffZwj) ||
         StartsWithAnyOfDiff(after);
}

// Does what the hunks say, and checks all that holds for any two texts of well-formed UTF-8.
void ExpectDiffHolds(std::string_view from, std::string_view to, const TextDiff& diff) {
  const std::vector<size_t> borders = DiffBorders(from);
  std::string made;
  size_t old_at = 0;  // in bytes
  size_t differences = 0;
  bool first = true;
  for (const TextHunk& hunk : diff.hunks) {
    ASSERT_LT(size_t{hunk.at} + hunk.deleted, borders.size());
    const size_t begin = borders[hunk.at];
    const size_t end = borders[hunk.at + hunk.deleted];
    ASSERT_TRUE(first || begin > old_at) << "hunks touch";
    ASSERT_TRUE(hunk.deleted > 0 || !hunk.inserted.empty());
    EXPECT_NE(from.substr(begin, end - begin), hunk.inserted);
    made += from.substr(old_at, begin - old_at);
    const auto new_at = static_cast<size_t>(hunk.inserted.data() - to.data());
    EXPECT_EQ(new_at, made.size());
    EXPECT_FALSE(DiffBorderTears(from, begin));
    EXPECT_FALSE(DiffBorderTears(from, end));
    EXPECT_FALSE(DiffBorderTears(to, new_at));
    EXPECT_FALSE(DiffBorderTears(to, new_at + hunk.inserted.size()));
    made += hunk.inserted;
    old_at = end;
    differences += hunk.deleted + DiffBorders(hunk.inserted).size() - 1;
    first = false;
  }
  made += from.substr(old_at);
  EXPECT_EQ(made, to);
  EXPECT_EQ(diff.differences, differences);
}

std::string RandomDiffText(std::mt19937& random, const std::vector<std::string_view>& alphabet,
                           size_t most) {
  std::string text;
  for (size_t left = random() % (most + 1); left > 0; --left) {
    text += alphabet[random() % alphabet.size()];
  }
  return text;
}

// Some code points of `text` replaced, deleted, and others inserted.
std::string ChangedDiffText(std::mt19937& random, const std::vector<std::string_view>& alphabet,
                            std::string_view text) {
  const std::vector<size_t> borders = DiffBorders(text);
  std::string changed;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    const auto dice = random() % 16;
    if (dice < 2) changed += alphabet[random() % alphabet.size()];
    if (dice != 1 && dice != 2) changed += text.substr(borders[i], borders[i + 1] - borders[i]);
  }
  return changed;
}

// Code points of ASCII deleted and inserted, at least.
size_t LeastDifferences(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t above = row[j];
      row[j] = from[i - 1] == to[j - 1] ? corner : std::min(above, row[j - 1]) + 1;
      corner = above;
    }
  }
  return row[to.size()];
}

std::string ManyOfDiff(std::string_view piece, size_t count) {
  std::string text;
  for (; count > 0; --count) text += piece;
  return text;
}

TEST(TextDiff, HasNoHunksForEqualTexts) {
  for (const std::string_view text : {"", "a", "a\r\nb", "\xc3\xa9", "\xff\x80"}) {
    const TextDiff diff = DiffText(text, std::string(text));
    EXPECT_TRUE(diff.hunks.empty());
    EXPECT_EQ(diff.differences, 0u);
  }
}

TEST(TextDiff, InsertsAllIntoAnEmptyTextAndDeletesAllForOne) {
  const std::string_view text = "a\xc3\xa9\xf0\x9f\x98\x80";
  EXPECT_EQ(DiffText("", text).hunks, (std::vector<TextHunk>{{0, 0, text}}));
  EXPECT_EQ(DiffText("", text).differences, 3u);
  EXPECT_EQ(DiffText(text, "").hunks, (std::vector<TextHunk>{{0, 3, ""}}));
  EXPECT_EQ(DiffText(text, "").differences, 3u);
}

TEST(TextDiff, CountsInCodePointsOfTheOldText) {
  const std::string from = JoinForDiff({"\xc3\xa9", kDiffMan, "one two ", kDiffMan, " three"});
  const std::string to = JoinForDiff({"\xc3\xa9", kDiffMan, "one 2 ", kDiffMan, "! three"});
  const TextDiff diff = DiffText(from, to);
  ExpectDiffHolds(from, to, diff);
  EXPECT_EQ(diff.hunks, (std::vector<TextHunk>{{6, 3, "2"}, {11, 0, "!"}}));
  EXPECT_EQ(diff.differences, 5u);
}

TEST(TextDiff, FindsSingleChangesInLongTexts) {
  // Around the block size, and around the words of ASCII.
  for (const size_t length : {7u, 8u, 255u, 256u, 257u, 511u, 512u, 5000u}) {
    for (const std::string_view piece : {"x", "\xc3\xa9", "x\xe4\xb8\x96"}) {
      SCOPED_TRACE(length);
      const std::string side = ManyOfDiff(piece, length);
      const std::string from = JoinForDiff({side, "abc", side});
      const std::string to = JoinForDiff({side, "aBBc", side});
      const TextDiff diff = DiffText(from, to);
      ExpectDiffHolds(from, to, diff);
      const uint32_t at = Measure(side).code_points + 1;
      EXPECT_EQ(diff.hunks, (std::vector<TextHunk>{{at, 1, "BB"}}));
    }
  }
}

TEST(TextDiff, CutsNoCodePointOfWhichBytesAreEqual) {
  struct Case {
    std::string_view from;
    std::string_view to;
  } const kCases[] = {
      {"a\xe4\xb8\x96z", "a\xe4\xb8\x97z"},                  // the first two bytes
      {"a\xe4\xb8\x96z", "a\xe5\xb8\x96z"},                  // the last two
      {"\xc3\xa9", "\xc4\xa9"},                              // the last
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81"},              // the first three
      {"\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa8\xc3\xa9"},      // of a neighbour
      {"\xe4\xb8\x96\xe5\xb8\x96", "\xe4\xb8\x97\xb8\x96"},  // malformed
  };
  for (const Case& c : kCases) {
    const TextDiff diff = DiffText(c.from, c.to);
    ASSERT_EQ(diff.hunks.size(), 1u);
    EXPECT_NE(static_cast<uint8_t>(diff.hunks[0].inserted[0]) & 0xc0, 0x80);
  }
  EXPECT_EQ(DiffText(kCases[0].from, kCases[0].to).hunks,
            (std::vector<TextHunk>{{1, 1, "\xe4\xb8\x97"}}));
  EXPECT_EQ(DiffText(kCases[1].from, kCases[1].to).hunks,
            (std::vector<TextHunk>{{1, 1, "\xe5\xb8\x96"}}));
}

TEST(TextDiff, ReplacesWholeGraphemes) {
  const std::string accented = JoinForDiff({"e", kDiffAcute});
  const std::string dark = JoinForDiff({kDiffMan, kDiffDark});
  const std::string light = JoinForDiff({kDiffMan, kDiffLight});
  const std::string pair = JoinForDiff({kDiffMan, kDiffZwj, kDiffWoman});
  const std::string men = JoinForDiff({kDiffMan, kDiffZwj, kDiffMan});
  struct Case {
    std::string_view name;
    std::string_view from;
    std::string_view to;
    uint32_t deleted;
  } const kCases[] = {
      {"mark added", "e", accented, 1},
      {"mark removed", accented, "e", 2},
      {"letter changed under its mark", "o\xcc\x81", accented, 2},
      {"line feed added", "\r", "\r\n", 1},
      {"line feed removed", "\r\n", "\r", 2},
      {"carriage return added", "\n", "\r\n", 1},
      {"carriage return removed", "\r\n", "\n", 2},
      {"emoji modifier", dark, light, 2},
      {"behind the joiner", pair, men, 3},
      {"joined", kDiffMan, pair, 1},
      {"taken apart", pair, kDiffWoman, 3},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    for (const std::string_view side : {"", "ab"}) {
      const std::string from = JoinForDiff({side, c.from, side});
      const std::string to = JoinForDiff({side, c.to, side});
      const TextDiff diff = DiffText(from, to);
      ExpectDiffHolds(from, to, diff);
      EXPECT_EQ(diff.hunks,
                (std::vector<TextHunk>{{static_cast<uint32_t>(side.size()), c.deleted, c.to}}));
    }
    // With other changes on both sides, so that it is not the common start or end that is cut.
    const std::string from = JoinForDiff({"1ab", c.from, "ab1"});
    const std::string to = JoinForDiff({"2ab", c.to, "ab2"});
    const TextDiff diff = DiffText(from, to);
    ExpectDiffHolds(from, to, diff);
    ASSERT_EQ(diff.hunks.size(), 3u);
    EXPECT_EQ(diff.hunks[1], (TextHunk{3, c.deleted, c.to}));
  }
}

TEST(TextDiff, KnowsWhatExtendsAGrapheme) {
  for (const std::string_view mark : kDiffExtending) {
    const std::string to = JoinForDiff({"ae", mark});
    EXPECT_EQ(DiffText("ae", to).hunks,
              (std::vector<TextHunk>{{1, 1, std::string_view(to).substr(1)}}))
        << testing::PrintToString(mark);
  }
  for (const std::string_view other : kDiffStandingAlone) {
    const std::string to = JoinForDiff({"ae", other});
    EXPECT_EQ(DiffText("ae", to).hunks, (std::vector<TextHunk>{{2, 0, other}}))
        << testing::PrintToString(other);
  }
}

TEST(TextDiff, InsertsAGraphemeAmongOthersOnly) {
  const std::string grapheme = JoinForDiff({"e", kDiffAcute});
  const std::string from = grapheme + grapheme;
  const std::string to = grapheme + grapheme + grapheme;
  const TextDiff diff = DiffText(from, to);
  ExpectDiffHolds(from, to, diff);
  EXPECT_EQ(diff.hunks, (std::vector<TextHunk>{{4, 0, grapheme}}));
}

TEST(TextDiff, MergesHunksThatMeetWhenWidened) {
  // The mark between the two changes belongs to both.
  const std::string from = JoinForDiff({"1ax", kDiffAcute, "yb1"});
  const std::string to =
      JoinForDiff({"2ax", kDiffAcute, kDiffAcute, kDiffAcute, "\xcc\x80", "yb2"});
  const TextDiff diff = DiffText(from, to);
  ExpectDiffHolds(from, to, diff);
  ASSERT_EQ(diff.hunks.size(), 3u);
  EXPECT_EQ(diff.hunks[1].at, 2u);
  EXPECT_EQ(diff.hunks[1].deleted, 2u);

  const std::string joined = JoinForDiff({"1", kDiffMan, kDiffZwj, kDiffMan, "1"});
  const std::string other = JoinForDiff({"2", kDiffWoman, kDiffZwj, kDiffWoman, "2"});
  EXPECT_EQ(DiffText(joined, other).hunks, (std::vector<TextHunk>{{0, 5, other}}));
}

TEST(TextDiff, MakesOneRandomTextOfAnother) {
  const std::vector<std::string_view> alphabet = {
      "a",      "b",      "\r",       "\n",      "\r\n",     "\xc3\xa9",     kDiffAcute,
      kDiffZwj, kDiffMan, kDiffWoman, kDiffDark, kDiffLight, "\xef\xb8\x8f",
  };
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string from = RandomDiffText(random, alphabet, 40);
    const std::string to =
        i % 2 == 0 ? RandomDiffText(random, alphabet, 40) : ChangedDiffText(random, alphabet, from);
    SCOPED_TRACE(testing::PrintToString(from) + " to " + testing::PrintToString(to));
    const TextDiff diff = DiffText(from, to);
    ExpectDiffHolds(from, to, diff);
    EXPECT_EQ(DiffText(from, to).hunks, diff.hunks);
    // Whatever the limits.
    const TextDiffLimits limits = {.max_differences = static_cast<uint32_t>(random() % 30),
                                   .max_steps = random() % 300};
    ExpectDiffHolds(from, to, DiffText(from, to, limits));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(TextDiff, IsTheLeastForPlainText) {
  std::mt19937 random(2);
  const std::vector<std::string_view> alphabet = {"a", "b", "c", "d"};
  for (int i = 0; i < 2000; ++i) {
    const std::string from = RandomDiffText(random, alphabet, 60);
    const std::string to =
        i % 2 == 0 ? RandomDiffText(random, alphabet, 60) : ChangedDiffText(random, alphabet, from);
    const TextDiff diff = DiffText(from, to);
    ASSERT_EQ(diff.differences, LeastDifferences(from, to)) << from << " to " << to;
    ExpectDiffHolds(from, to, diff);
    // Just that many will do; with fewer it is one hunk.
    EXPECT_EQ(DiffText(from, to, {.max_differences = diff.differences}).hunks, diff.hunks);
    if (diff.hunks.size() > 1) {
      EXPECT_EQ(DiffText(from, to, {.max_differences = diff.differences - 1}).hunks.size(), 1u);
    }
  }
}

TEST(TextDiff, ReplacesTheMiddleOfTextsThatDifferInTooMuch) {
  const std::string from = "same " + ManyOfDiff("ab", 100'000) + " end";
  const std::string to = "same " + ManyOfDiff("cd", 100'000) + " end";
  const TextDiff diff = DiffText(from, to);
  ExpectDiffHolds(from, to, diff);
  ASSERT_EQ(diff.hunks.size(), 1u);
  EXPECT_EQ(diff.hunks[0].at, 5u);
  EXPECT_EQ(diff.hunks[0].deleted, 200'000u);
  EXPECT_EQ(diff.differences, 400'000u);
}

TEST(TextDiff, NeedsNoDifferencesToSpareForOneInsertionOrDeletion) {
  const std::string text = ManyOfDiff("ab", 5000);
  const TextDiffLimits limits = {.max_differences = 0, .max_steps = 0};
  EXPECT_EQ(DiffText("xy", "x" + text + "y", limits).hunks[0].deleted, 0u);
  EXPECT_EQ(DiffText("x" + text + "y", "xy", limits).hunks,
            (std::vector<TextHunk>{{1, 10000, ""}}));
}

TEST(TextDiff, ReplacesTheMiddleWhenItRunsOutOfSteps) {
  const std::string from = "1abcdefgh1";
  const std::string to = "2abcdefgh2";
  const std::vector<TextHunk> whole = {{0, 10, to}};
  const std::vector<TextHunk> least = {{0, 1, "2"}, {9, 1, "2"}};
  uint64_t steps = 0;
  while (steps < 1000 && DiffText(from, to, {.max_steps = steps}).hunks == whole) ++steps;
  // A step for each that is equal, and one for each diagonal of the rounds of 0 to 3 differences;
  // at most one more for each of the last round's, and over the equal ones again on other
  // diagonals.
  EXPECT_GE(steps, 8u + 10u);
  EXPECT_LE(steps, 40u);
  for (; steps < 60; ++steps) {
    EXPECT_EQ(DiffText(from, to, {.max_steps = steps}).hunks, least) << steps;
  }
}

TEST(TextDiff, GivesUpByTheLengthsAlone) {
  // Equal but for both ends: not a step more than the limit is spent on it.
  const std::string middle = ManyOfDiff("abcdefgh", 1000);
  const std::string from = "1" + middle + "1";
  const std::string to = "2" + middle + "2";
  EXPECT_EQ(DiffText(from, to).hunks.size(), 2u);
  EXPECT_EQ(DiffText(from, to, {.max_steps = 6000}).hunks.size(), 1u);
}

TEST(TextDiff, ReadsAnyBytes) {
  std::mt19937 random(3);
  const std::vector<std::string_view> alphabet = {
      "a",    "\x80", "\xbf", "\xcc", "\x81", "\xe2",     "\x80\x8d",         "\xf0", "\x9f\x8f",
      "\xff", "\xc0", "\xed", "\xa0", "\xf4", "\xc0\x80", "\xf4\x90\x80\x80", "\r",   "\n",
  };
  for (int i = 0; i < 5000; ++i) {
    const std::string from = RandomDiffText(random, alphabet, 30);
    const std::string to = RandomDiffText(random, alphabet, 30);
    const TextDiff diff = DiffText(from, to);
    EXPECT_EQ(diff.hunks.empty(), from == to);
    // What is unchanged is so byte for byte: walked from the end of one hunk to the next in the new
    // text, it is found in the old one in the same order.
    size_t old_at = 0;
    const char* new_at = to.data();
    for (const TextHunk& hunk : diff.hunks) {
      ASSERT_LE(new_at, hunk.inserted.data());
      const std::string_view unchanged(new_at, static_cast<size_t>(hunk.inserted.data() - new_at));
      const size_t found = from.find(unchanged, old_at);
      ASSERT_NE(found, from.npos);
      old_at = found + unchanged.size();
      new_at = hunk.inserted.data() + hunk.inserted.size();
    }
    ASSERT_LE(new_at, to.data() + to.size());
    const std::string_view rest(new_at, static_cast<size_t>(to.data() + to.size() - new_at));
    EXPECT_TRUE(from.ends_with(rest));
  }
}

TEST(TextDiff, CountsEachByteOfMalformedTextAsOne) {
  for (const std::string_view bad :
       {"\x80", "\xff", "\xc3", "\xe4\xb8", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf0\x80\x80\x80"}) {
    EXPECT_EQ(DiffText(bad, "").hunks,
              (std::vector<TextHunk>{{0, static_cast<uint32_t>(bad.size()), ""}}));
    const std::string from = JoinForDiff({"a", bad, "b"});
    const std::string to = from + "c";
    EXPECT_EQ(DiffText(from, to).hunks,
              (std::vector<TextHunk>{{static_cast<uint32_t>(from.size()), 0, "c"}}));
  }
  // A code point cut off, and the whole of it.
  EXPECT_EQ(DiffText("a\xc3", "a\xc3\xa9").hunks, (std::vector<TextHunk>{{1, 1, "\xc3\xa9"}}));
  // The carriage return is not next to the line feed.
  EXPECT_EQ(DiffText("\r\x80", "\r\x80\n").hunks, (std::vector<TextHunk>{{2, 0, "\n"}}));
  // What the mark joins is one byte, though a longer code point is in front of it.
  EXPECT_EQ(DiffText("a\xcc\x81\x80", "a\xcc\x81\x80\xcc\x81").hunks,
            (std::vector<TextHunk>{{2, 1, "\x80\xcc\x81"}}));
  // The same value, but another text.
  EXPECT_EQ(DiffText(std::string_view("\0", 1), "\xc0\x80").differences, 3u);
}

TEST(TextDiff, WalksBackOverAnyNumberOfMarks) {
  const std::string marks = ManyOfDiff(kDiffAcute, 100'000);
  const std::string from = JoinForDiff({"ae", marks});
  const std::string to = JoinForDiff({"ae", marks, "\xcc\x80", "z"});
  const TextDiff diff = DiffText(from, to);
  ExpectDiffHolds(from, to, diff);
  ASSERT_EQ(diff.hunks.size(), 1u);
  EXPECT_EQ(diff.hunks[0].at, 1u);
  EXPECT_EQ(diff.hunks[0].deleted, 100'001u);
}

}  // namespace
}  // namespace cursorwire::crdt
