#include "agent/think_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/for_each_split.h"

namespace cursorwire::agent {
namespace {

using test::ForEachSplit;

// What a filter gives: the answer and the reasoning between brackets, pieces of a kind joined.
class Collector {
 public:
  void Add(std::string_view text) {
    given_ = 0;
    filter_.Add(text, [this](const ThinkTagFilter::Piece& piece) { Take(piece); });
  }
  void Flush() {
    filter_.Flush([this](const ThinkTagFilter::Piece& piece) { Take(piece); });
  }
  std::string Result() const { return result_ + (thinking_ ? "]" : ""); }
  size_t given() const { return given_; }
  const ThinkTagFilter& filter() const { return filter_; }

 private:
  void Take(const ThinkTagFilter::Piece& piece) {
    EXPECT_FALSE(piece.text.empty());
    if (piece.thinking != thinking_) result_ += piece.thinking ? "[" : "]";
    thinking_ = piece.thinking;
    result_ += piece.text;
    given_ += piece.text.size();
  }

  ThinkTagFilter filter_;
  std::string result_;
  bool thinking_ = false;
  size_t given_ = 0;
};

struct FilterCase {
  const char* text;
  const char* result;
};

void ExpectResults(const FilterCase* begin, const FilterCase* end) {
  for (const FilterCase* c = begin; c != end; ++c) {
    SCOPED_TRACE(c->text);
    ForEachSplit(c->text, [c](const std::vector<std::string_view>& pieces) {
      Collector collector;
      for (const std::string_view piece : pieces) collector.Add(piece);
      collector.Flush();
      EXPECT_EQ(collector.Result(), c->result);
    });
  }
}

TEST(ThinkTagFilter, TellsThinkingFromText) {
  constexpr FilterCase kCases[] = {
      {"plain", "plain"},
      {"<think>a</think>b", "[a]b"},
      {"a<thinking>b</thinking>c", "a[b]c"},
      {"<reasoning>a</reasoning>", "[a]"},
      {"<thought>a</thought>\n\nb", "[a]\n\nb"},
      {"a<think_intent>b</think_intent>c", "a[b]c"},
      {"<THINK>a</Think>b", "[a]b"},
      {"<think >a</think\n>b", "[a]b"},
      {"</think_intent >a", "a"},
      {"<think></think>a", "a"},
      {"<think>\xC3\xA4\xF0\x9F\x98\x80</think>\xE2\x82\xAC",
       "[\xC3\xA4\xF0\x9F\x98\x80]\xE2\x82\xAC"},
      {"a<think>b</think>c<thought>d</thought>e", "a[b]c[d]e"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

TEST(ThinkTagFilter, LeavesWhatIsNoTag) {
  constexpr FilterCase kCases[] = {
      {"a < b", "a < b"},
      {"<", "<"},
      {"</", "</"},
      {"<thin>", "<thin>"},
      {"<thinker>a", "<thinker>a"},
      {"<think", "<think"},
      {"<think/>", "<think/>"},
      {"<think a=1>b", "<think a=1>b"},
      {"< think>", "< think>"},
      {"</ think>", "</ think>"},
      {"<<think>a", "<[a]"},
      {"<think<think>a", "<think[a]"},
      {"<thin\xC3\xA4>", "<thin\xC3\xA4>"},
      {"</think_intent  >a", "</think_intent  >a"},  // longer than a tag
      {"<think            >a", "<think            >a"},
      {"<b>bold</b> x<y>z", "<b>bold</b> x<y>z"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

TEST(ThinkTagFilter, CountsNoDepth) {
  constexpr FilterCase kCases[] = {
      {"<think>a<think>b</think>c", "[ab]c"},
      {"<think>a</reasoning>b", "[a]b"},
      {"a</think>b", "ab"},
      {"<think>a", "[a]"},
      {"<think>a<thin", "[a<thin]"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

TEST(ThinkTagFilter, HoldsBackNoMoreThanATag) {
  const std::string text =
      "<think_intent</think_intent <reasoning\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t<<<</thought";
  Collector collector;
  size_t added = 0;
  size_t given = 0;
  for (const char c : text) {
    collector.Add({&c, 1});
    added += 1;
    given += collector.given();
    EXPECT_LT(added - given, 16U);
  }
  collector.Flush();
  EXPECT_EQ(collector.Result(), text);
}

TEST(ThinkTagFilter, GoesOnAfterAFlush) {
  Collector collector;
  collector.Add("<think>a<thi");
  collector.Flush();
  EXPECT_TRUE(collector.filter().thinking());
  collector.Add("nk>b</think>c");
  EXPECT_EQ(collector.Result(), "[a<think>b]c");
}

TEST(ThinkTagFilter, SaysWhatPasses) {
  Collector collector;
  EXPECT_TRUE(collector.filter().Passes("a > b"));
  EXPECT_FALSE(collector.filter().Passes("a < b"));
  collector.Add("a <");
  EXPECT_FALSE(collector.filter().Passes("b"));
  collector.Add(" b");
  EXPECT_TRUE(collector.filter().Passes("b"));
}

}  // namespace
}  // namespace cursorwire::agent
