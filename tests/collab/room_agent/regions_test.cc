#include "collab/room_agent/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::room_agent {

static void PrintTo(const RegionEdit& edit, std::ostream* out) {
  *out << edit.first << "+" << edit.count << " -> \"" << edit.lines << "\"";
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SentLines AllSent(std::string_view text, bool whole = true) {
  const auto lines = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n')) +
                     (text.empty() || text.ends_with('\n') ? 0 : 1);
  return {.first = 1, .last = lines, .whole = whole};
}

std::vector<RegionPlace> PlacesOf(std::string_view answer, std::string_view text,
                                  const SentLines& sent) {
  return LocateRegions(text, ParseRegions(answer, RegionDividers(text)).regions, sent);
}

// The text with all that was accepted; the fates of the rest at its end.
std::string AppliedRegions(std::string_view answer, std::string_view text, const SentLines& sent) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.emplace_back(text.substr(at, end - at));
    at = end;
  }
  std::string refusals;
  std::vector<RegionEdit> edits;
  for (const RegionPlace& place : PlacesOf(answer, text, sent)) {
    if (place.fate != RegionFate::kReplace) {
      refusals += "!" + std::string(ReasonOf(place.fate));
    }
    edits.insert(edits.end(), place.edits.begin(), place.edits.end());
  }
  std::vector<std::string> before(lines.size() + 1);
  for (const RegionEdit& edit : edits) {
    before[edit.first - 1] += edit.lines;
    for (uint32_t i = 0; i < edit.count; ++i) lines[edit.first - 1 + i].clear();
  }
  std::string result;
  for (size_t i = 0; i < lines.size(); ++i) result += before[i] + lines[i];
  return result + before.back() + refusals;
}

struct RegionCase {
  const char* name;
  std::string answer;
  std::string text;
  std::string result;  // and "!" with each refusal
  bool whole = true;   // the whole text was sent
};

void ExpectRegions(const std::vector<RegionCase>& cases) {
  for (const RegionCase& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(AppliedRegions(c.answer, c.text, AllSent(c.text, c.whole)), c.result);
  }
}

TEST(Regions, EqualSignsInsideMarkdown) {
  const std::string text = "Title\n==========\nold\nOther\n===========\nend\n";
  ExpectRegions({
      {"heading as context", "==========\nnew\nOther\n", text,
       "Title\n==========\nnew\nOther\n===========\nend\n"},
      {"two regions", "==========\nnew\nOther\n============\n===========\nmore\nend\n", text,
       "Title\n==========\nnew\nOther\n===========\nmore\nend\n"},
      {"short ones", "a\n====\nB\nc\n", "a\n====\nb\nc\n", "a\n====\nB\nc\n"},
  });
}

// --- the table of defects of the first program

TEST(Regions, InsertsALineBetweenTwo) {
  ExpectRegions({{"a x b", "a\nx\nb", "a\nb\n", "a\nx\nb\n"},
                 {"without a last line feed", "a\nx\nb", "a\nb", "a\nx\nb"}});
}

TEST(Regions, DeletesWhatIsBetween) {
  ExpectRegions({{"a b", "a\nb", "a\nx\nb\n", "a\nb\n"},
                 {"several", "a\nb", "0\na\nx\n\ny\nb\n1\n", "0\na\nb\n1\n"}});
}

TEST(Regions, WithoutALineInCommonIsRefused) {
  ExpectRegions({
      {"small text", "Sorry, I cannot do that.", "a\nb\n@agent x\n", "a\nb\n@agent x\n!no context"},
      {"text that was sent in part", "x\ny", "a\nb\n", "a\nb\n!no context", false},
      {"one of two", "x\ny\n==========\na\nB\nc", "a\nb\nc\n", "a\nB\nc\n!no context"},
      {"blank lines in common are not enough", "x\n\ny", "a\n\nb\n", "a\n\nb\n!no context"},
  });
}

TEST(Regions, TopLinesThatOccurTwice) {
  const std::string twice = "f {\n  old\n}\n\ng {\n  old\n}\n";
  ExpectRegions({
      {"the same function twice", "  old\n  new\n}", twice, twice + "!ambiguous"},
      {"the best place", "  old\n  new\n}\n\ng {", twice,
       "f {\n  old\n  new\n}\n\ng {\n  old\n}\n"},
      {"the longer top", "g {\n  old\n  new\n}", twice, "f {\n  old\n}\n\ng {\n  old\n  new\n}\n"},
      {"the same end, two tops", "f {\nnew\n}\nEND", "f {\n}\nf {\n}\nEND\n",
       "f {\n}\nf {\n}\nEND\n!ambiguous"},
  });
}

TEST(Regions, BottomBeforeTopIsRefused) {
  ExpectRegions({
      {"within", "a\nx\nb", "b\nc\na\nd\n", "b\nc\na\nd\n!not found"},
      {"top at the end", "a\nx\nb", "b\na\n", "b\na\n!not found"},
  });
}

TEST(Regions, AllAreLocatedInOneText) {
  ExpectRegions(
      {{"second after moved lines", "a\n1\n2\n3\nb\n==========\nc\nnew\nd\n==========\nd\ne",
        "a\nb\nc\nd\nx\ne\n", "a\n1\n2\n3\nb\nc\nnew\nd\ne\n"}});
}

// --- rules

TEST(Regions, ContextAtOneEnd) {
  ExpectRegions({
      {"append", "b\nnew\nmore", "a\nb\n", "a\nb\nnew\nmore\n"},
      {"append a function", "g {\n}\n\nh {\n}", "f {\n}\ng {\n}\n", "f {\n}\ng {\n}\n\nh {\n}\n"},
      {"top only, within", "a\nnew", "a\nb\n", "a\nb\n!not found"},
      {"top at several places", "}\nnew", "}\n}\n", "}\n}\n!ambiguous"},
      {"prepend", "new\nmore\na", "a\nb\n", "new\nmore\na\nb\n"},
      {"bottom only, within", "new\nb", "a\nb\n", "a\nb\n!not found"},
  });
}

TEST(Regions, UnchangedDoesNothing) {
  ExpectRegions({
      {"whole text", "a\nb", "a\nb\n", "a\nb\n!unchanged"},
      {"a part", "b\nc", "a\nb\nc\nd\n", "a\nb\nc\nd\n!unchanged"},
      {"in several places", "a", "a\na\n", "a\na\n!unchanged"},
  });
}

TEST(Regions, TrailingBlanksAreOverlookedIfNothingElseFits) {
  ExpectRegions({
      {"in the region", "a  \nx\nb\t", "a\nb\n", "a\nx\nb\n"},
      {"in the text", "a\nx\nb", "a \nb \n", "a \nx\nb \n"},
      {"exact one first", "a\nx\nb", "a \nb\na\nb\n", "a \nb\na\nx\nb\n"},
      {"not those in front", "a\nx\nb", " a\n b\n", " a\n b\n!no context"},
  });
}

TEST(Regions, PlaceInsideTheWindowIsPreferred) {
  const std::string text = "a\nb\n-\na\nb\n-\na\nb\n";
  const std::vector<RegionPlace> places =
      PlacesOf("a\nx\nb", text, {.first = 3, .last = 6, .whole = false});
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_THAT(places[0].edits, ElementsAre(RegionEdit{.first = 5, .count = 0, .lines = "x\n"}));
  EXPECT_EQ(PlacesOf("a\nx\nb", text, {.first = 3, .last = 8})[0].fate, RegionFate::kAmbiguous);
  EXPECT_EQ(PlacesOf("a\nx\nb", text, {.first = 3, .last = 3})[0].fate, RegionFate::kAmbiguous);
}

TEST(Regions, AmbiguousOneTellsALine) {
  const std::vector<RegionPlace> places =
      PlacesOf("a\nx\nb", "-\na\nb\na\nb\n", {.first = 1, .last = 5});
  EXPECT_EQ(places[0].line, 2U);
}

TEST(Regions, WholeNewText) {
  std::string twenty;
  for (int i = 1; i <= 20; ++i) twenty += "line " + std::to_string(i) + "\n";
  const std::string more = twenty + "line 21\n";
  ExpectRegions({
      {"first and last line change", "A\nb\nC", "a\nb\nc\n", "A\nb\nC\n"},
      {"looks like a part", "A\nline 5\nC", more, more + "!looks like a part"},
      {"twenty lines may shrink", "A\nline 5\nC", twenty, "A\nline 5\nC\n"},
      {"not all was sent", "A\nb\nC", "a\nb\nc\n", "a\nb\nc\n!no context", false},
  });
  const SentLines sent{.first = 1, .last = 2, .whole = true, .prompt = 1};
  EXPECT_EQ(AppliedRegions("print()", "@agent write it\n\n", sent), "print()\n");
  EXPECT_EQ(AppliedRegions("@agent write it\nprint()", "@agent write it\n", sent),
            "@agent write it\nprint()\n");
  // The prompt is not what tells a new text from an excuse.
  EXPECT_EQ(AppliedRegions("Sorry\n@agent x\nI cannot", "a\n@agent x\nb\n",
                           {.first = 1, .last = 3, .whole = true, .prompt = 2}),
            "a\n@agent x\nb\n!no context");
}

TEST(Regions, WholeNewTextIsAMinimalDiff) {
  const std::string text = "a\nb\nc\nd\ne\nf\ng\n";
  const std::vector<RegionPlace> places = PlacesOf("A\nb\nc\nx\ny\nd\nf\nG", text, AllSent(text));
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_THAT(places[0].edits, ElementsAre(RegionEdit{.first = 1, .count = 1, .lines = "A\n"},
                                           RegionEdit{.first = 4, .count = 0, .lines = "x\ny\n"},
                                           RegionEdit{.first = 5, .count = 1, .lines = ""},
                                           RegionEdit{.first = 7, .count = 1, .lines = "G\n"}));
}

TEST(Regions, OverlapIsRefused) {
  ExpectRegions({
      {"same lines", "a\nX\nc\n==========\na\nY\nc", "a\nb\nc\n", "a\nX\nc\n!overlap"},
      {"same place", "a\nX\nb\n==========\na\nY\nb", "a\nb\n", "a\nX\nb\n!overlap"},
      {"context may be shared", "a\nX\nc\n==========\nc\nY\ne", "a\nb\nc\nd\ne\n",
       "a\nX\nc\nY\ne\n"},
      {"what was replaced is context of another", "a\nX\nc\n==========\nb\nY\nd", "a\nb\nc\nd\n",
       "a\nX\nY\nd\n"},
      {"part", "a\nX\nd\n==========\nb\nY\ne", "a\nb\nc\nd\ne\n", "a\nX\nd\ne\n!overlap"},
  });
}

TEST(Regions, EmptyText) {
  ExpectRegions({{"whole", "a\nb", "", "a\nb\n"}, {"nothing", "", "", ""}});
}

TEST(Regions, FirmContextIsMoreThanBlankLines) {
  const std::string text = "a\n\nb\n";
  EXPECT_TRUE(PlacesOf("a\nx\n\nb", text, AllSent(text))[0].is_firm);
  EXPECT_FALSE(PlacesOf("a\nx\n", text, AllSent(text))[0].is_firm);
  const std::vector<RegionPlace> blank =
      LocateRegions(text, {Region{.lines = {"", "x", "b"}}}, AllSent(text));
  EXPECT_EQ(blank[0].fate, RegionFate::kReplace);
  EXPECT_FALSE(blank[0].is_firm);
}

// --- against a search that tries everything

struct SlowMatch {
  size_t prefix = 0;
  size_t suffix = 0;
  std::vector<RegionEdit> gaps{};  // without lines
};

bool StandsAt(const std::vector<std::string_view>& text, size_t at,
              const std::vector<std::string_view>& region, size_t first, size_t count) {
  if (at + count > text.size()) return false;
  for (size_t i = 0; i < count; ++i) {
    if (text[at + i] != region[first + i]) return false;
  }
  return true;
}

// The best pairs of a prefix and a suffix, as docs/collab/room-agent.md has it.
SlowMatch FindSlowly(const std::vector<std::string_view>& text,
                     const std::vector<std::string_view>& region) {
  SlowMatch best;
  const size_t size = region.size();
  for (size_t p = size; p > 0; --p) {
    for (size_t s = size - p + 1; s-- > 0;) {
      for (size_t i = 0; i + p <= text.size(); ++i) {
        if (!StandsAt(text, i, region, 0, p)) continue;
        for (size_t j = i + p; j + s <= text.size(); ++j) {
          if (!StandsAt(text, j, region, size - s, s)) continue;
          best.gaps.push_back({.first = static_cast<uint32_t>(i + p + 1),
                               .count = static_cast<uint32_t>(j - i - p)});
          break;
        }
      }
      if (best.gaps.empty()) continue;
      best.prefix = p;
      best.suffix = s;
      return best;
    }
  }
  return best;
}

TEST(Regions, FindsWhatASearchOfEverythingFinds) {
  std::mt19937 random(7);
  const std::vector<std::string_view> letters = {"a", "b", "c"};
  const auto some_lines = [&random, &letters](size_t most) {
    std::vector<std::string_view> lines(1 + random() % most);
    for (std::string_view& line : lines) line = letters[random() % letters.size()];
    return lines;
  };
  int replaced = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<std::string_view> text = some_lines(9);
    const Region region{.lines = some_lines(6)};
    std::string joined;
    for (const std::string_view line : text) joined.append(line).append("\n");
    SCOPED_TRACE(joined);
    const SlowMatch slow = FindSlowly(text, region.lines);
    const RegionPlace place = LocateRegions(joined, {region}, AllSent(joined, false)).front();
    if (slow.prefix == region.lines.size()) {
      ASSERT_EQ(place.fate, RegionFate::kUnchanged);
    } else if (slow.prefix > 0 && slow.gaps.size() > 1) {
      ASSERT_EQ(place.fate, RegionFate::kAmbiguous);
    } else if (slow.prefix > 0 && slow.suffix > 0) {
      ASSERT_EQ(place.fate, RegionFate::kReplace);
      ASSERT_EQ(place.above, slow.prefix);
      ASSERT_EQ(place.below, slow.suffix);
      ASSERT_EQ(place.edits[0].first, slow.gaps[0].first);
      ASSERT_EQ(place.edits[0].count, slow.gaps[0].count);
      ++replaced;
    }
  }
  EXPECT_GT(replaced, 1000);
}

// --- sizes

TEST(Regions, HundredThousandLines) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i % 1000) + "\n";
  text += "only\nhere\n";
  const std::vector<RegionPlace> places = PlacesOf("only\nnew\nhere", text, AllSent(text, false));
  EXPECT_THAT(places[0].edits,
              ElementsAre(RegionEdit{.first = 100'002, .count = 0, .lines = "new\n"}));
}

TEST(Regions, HundredThousandEqualLines) {
  const std::string text(100'000, '\n');
  std::vector<Region> regions;
  for (size_t i = 0; i < 10; ++i) {
    Region region{.lines = std::vector<std::string_view>(1000)};
    if (i > 0) region.lines[i] = "x";
    regions.push_back(region);
  }
  const std::vector<RegionPlace> places = LocateRegions(text, regions, AllSent(text, false));
  EXPECT_EQ(places[0].fate, RegionFate::kUnchanged);
  for (size_t i = 1; i < places.size(); ++i) EXPECT_EQ(places[i].fate, RegionFate::kAmbiguous);
}

TEST(Regions, WorkIsBounded) {
  const std::string text(1'000'000, '\n');
  const std::vector<Region> regions(kMaxRegions + 10, Region{.lines = {"x"}});
  const std::vector<RegionPlace> places = LocateRegions(text, regions, AllSent(text, false));
  EXPECT_EQ(places.front().fate, RegionFate::kNoContext);
  EXPECT_EQ(places.back().fate, RegionFate::kTooMuch);
}

}  // namespace
}  // namespace cursorwire::room_agent
