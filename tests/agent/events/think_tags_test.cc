#include "agent/events/think_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
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
  void StartMessage() {
    Flush();
    filter_.StartMessage();
  }
  void End() {
    filter_.End([this](const ThinkTagFilter::Piece& piece) { Take(piece); });
  }
  std::string Result() const { return result_ + (thinking_ ? "]" : ""); }
  // The answer alone.
  const std::string& text() const { return text_; }
  size_t given() const { return given_; }
  const ThinkTagFilter& filter() const { return filter_; }

 private:
  void Take(const ThinkTagFilter::Piece& piece) {
    EXPECT_FALSE(piece.text.empty());
    if (piece.thinking != thinking_) result_ += piece.thinking ? "[" : "]";
    thinking_ = piece.thinking;
    result_ += piece.text;
    if (!piece.thinking) text_ += piece.text;
    given_ += piece.text.size();
  }

  ThinkTagFilter filter_;
  std::string result_;
  std::string text_;
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
      collector.End();
      EXPECT_EQ(collector.Result(), c->result);
    });
  }
}

TEST(ThinkTagFilter, TellsThinkingFromText) {
  constexpr FilterCase kCases[] = {
      {"plain", "plain"},
      {"<think>a</think>b", "[a]b"},
      {"<thinking>b</thinking>c", "[b]c"},
      {"<reasoning>a</reasoning>", "[a]"},
      {"<thought>a</thought>\n\nb", "[a]\n\nb"},
      {"<think_intent>b</think_intent>c", "[b]c"},
      {"<THINK>a</Think>b", "[a]b"},
      {"<think >a</think\n>b", "[a]b"},
      {"<think></think>a", "a"},
      {"<think>\xC3\xA4\xF0\x9F\x98\x80</think>\xE2\x82\xAC",
       "[\xC3\xA4\xF0\x9F\x98\x80]\xE2\x82\xAC"},
      {"<think>a < b </thin></think>c", "[a < b </thin>]c"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

TEST(ThinkTagFilter, OpensABlockAtTheStartAlone) {
  constexpr FilterCase kCases[] = {
      {" \r\n\t<think>a</think>b", " \r\n\t[a]b"},
      {"a<think>b</think>c", "a<think>b</think>c"},
      {"a\n<think>b</think>c", "a\n<think>b</think>c"},
      {"a\n\n<think>\nb\n</think>\nc", "a\n\n<think>\nb\n</think>\nc"},
      {".<think>b</think>", ".<think>b</think>"},
      {"In `<think>` and `</think>`", "In `<think>` and `</think>`"},
      {"`<think>` opens, `</think>` closes", "`<think>` opens, `</think>` closes"},
      {"``<think>``", "``<think>``"},
      {"```\n<think>\n</think>\n```\n", "```\n<think>\n</think>\n```\n"},
      {"~~~xml\n<think>a</think>\n~~~", "~~~xml\n<think>a</think>\n~~~"},
      {"\\<think>a</think>", "\\<think>a</think>"},
      {"</think>a", "</think>a"},
      {"</think><think>a</think>", "</think><think>a</think>"},
      {"a</think>b", "a</think>b"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

TEST(ThinkTagFilter, OpensABlockOnALineRightBehindABlock) {
  constexpr FilterCase kCases[] = {
      {"<think>a</think>\n<think>b</think>c", "[a]\n[b]c"},
      {"<think>a</think> \n\n\t<thought>b</thought>\nc", "[a] \n\n\t[b]\nc"},
      {"<think>a</think>\n<think>b</think>\n<think>c</think>", "[a]\n[b]\n[c]"},
      {"<think>a</think><think>b</think>c", "[a]<think>b</think>c"},
      {"<think>a</think> <think>b", "[a] <think>b"},
      {"<think>a</think>\nb <think>c</think>", "[a]\nb <think>c</think>"},
      {"<think>a</think>b\n<think>c</think>", "[a]b\n<think>c</think>"},
      {"<think>a</think>\n`<think>`", "[a]\n`<think>`"},
      {"<think>a</think>\n```\n<think>\n```", "[a]\n```\n<think>\n```"},
      {"<think>a</think>\n</think>\n<think>", "[a]\n</think>\n<think>"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

TEST(ThinkTagFilter, GivesBackABlockThatIsNotClosed) {
  constexpr FilterCase kCases[] = {
      {"<think> is a tag.", "[ is a tag.]<think> is a tag."},
      {"<think>", "<think>"},
      {"\n<THINK >a<think>b", "\n[a<think>b]<THINK >a<think>b"},
      {"<think>a</thin", "[a</thin]<think>a</thin"},
      {"<think>a</think>\n<think>b", "[a]\n[b]<think>b"},
      {"<think>a</ think>", "[a</ think>]<think>a</ think>"},
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
      {"<<think>a", "<<think>a"},
      {"<think<think>a", "<think<think>a"},
      {"<thin\xC3\xA4>", "<thin\xC3\xA4>"},
      {"<think_intent   >a", "<think_intent   >a"},  // longer than a tag
      {"<think            >a", "<think            >a"},
      {"<b>bold</b> x<y>z", "<b>bold</b> x<y>z"},
      {"<think>a</think_intent  >b</think>", "[a</think_intent  >b]"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

TEST(ThinkTagFilter, CountsNoDepth) {
  constexpr FilterCase kCases[] = {
      {"<think>a<think>b</think>c", "[a<think>b]c"},
      {"<think>a</reasoning>b", "[a]b"},
      {"<think>a<think>b</think>c</think>d", "[a<think>b]c</think>d"},
  };
  ExpectResults(std::begin(kCases), std::end(kCases));
}

// All of it in one piece, cut in two between characters near `place`, and in small pieces.
std::vector<std::vector<std::string_view>> SplitsNear(std::string_view text, size_t place) {
  std::vector<std::vector<std::string_view>> splits = {{text}};
  for (size_t cut = place - 4; cut <= std::min(place + 4, text.size()); ++cut) {
    if (IsUtf8(text.substr(0, cut))) splits.push_back({text.substr(0, cut), text.substr(cut)});
  }
  splits.emplace_back();
  for (size_t at = 0; at < text.size(); at += 1000) splits.back().push_back(text.substr(at, 1000));
  return splits;
}

TEST(ThinkTagFilter, BoundsTheBlock) {
  const std::string tag = "<think>";
  const std::string most(ThinkTagFilter::kMaxBlockBytes - tag.size(), 'x');
  const std::string half = most.substr(1);  // a character after it does not fit whole
  const struct {
    const char* name;
    std::string text;
    std::string result;
  } kCases[] = {
      {"the most", tag + most + "</think>b", "[" + most + "]b"},
      {"one more", tag + most + "y</think>b", "[" + most + "]" + tag + most + "y</think>b"},
      {"no end", tag + most + "yz", "[" + most + "]" + tag + most + "yz"},
      {"the start of an end", tag + most + "</thi", "[" + most + "]" + tag + most + "</thi"},
      {"half a character", tag + half + "\xC3\xA4" + "b",
       "[" + half + "]" + tag + half + "\xC3\xA4" + "b"},
      {"another tag after it", tag + most + "yz\n<think>a</think>",
       "[" + most + "]" + tag + most + "yz\n<think>a</think>"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (const auto& pieces : SplitsNear(c.text, ThinkTagFilter::kMaxBlockBytes)) {
      Collector collector;
      for (const std::string_view piece : pieces) collector.Add(piece);
      collector.End();
      EXPECT_TRUE(collector.Result() == c.result);
    }
  }
}

// The text is made of words that could mislead the filter, in any order.
TEST(ThinkTagFilter, GivesTheSameForEverySplit) {
  constexpr std::string_view kWords[] = {"<think>", "</think>", "<thi", "</", "<",  ">",
                                         "`",       "```\n",    "\n",   " ",  "ab", "<reasoning >"};
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string text = round % 2 == 0 ? "<think>" : "";
    for (int i = 0; i < 6; ++i) text += kWords[random() % std::size(kWords)];
    SCOPED_TRACE(text);
    Collector whole;
    whole.Add(text);
    whole.End();
    const std::string result = whole.Result();
    ForEachSplit(text, [&result](const std::vector<std::string_view>& pieces) {
      Collector collector;
      for (const std::string_view piece : pieces) collector.Add(piece);
      collector.End();
      EXPECT_EQ(collector.Result(), result);
    });
    if (text.find("</think>") == std::string::npos) {
      EXPECT_EQ(whole.text(), text);  // nothing is lost, and nothing comes twice
    }
  }
}

TEST(ThinkTagFilter, HoldsBackNoMoreThanATag) {
  const std::string block =
      "<think_intent</think_intent </reasoning\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t<<<</thought";
  for (const std::string& text : {"<think>" + block, std::string("<reasoning\t\t\t\t\t")}) {
    Collector collector;
    size_t added = 0;
    size_t given = 0;
    for (const char c : text) {
      collector.Add({&c, 1});
      added += 1;
      if (given == 0 && added == 7 && c == '>') added = 0;  // the tag itself
      given += collector.given();
      EXPECT_LT(added - given, 16U);
    }
    collector.End();
    EXPECT_TRUE(collector.Result().ends_with(text)) << collector.Result();
  }
}

TEST(ThinkTagFilter, GoesOnAfterAFlush) {
  Collector collector;
  collector.Add("<think>a</thi");
  collector.Flush();
  EXPECT_EQ(collector.Result(), "[a</thi]");
  collector.Add("nk>b</think>c");
  EXPECT_EQ(collector.Result(), "[a</think>b]c");

  Collector start;
  start.Add("<thi");
  start.Flush();
  start.Add("nk>a</think><think>");
  start.End();
  EXPECT_EQ(start.Result(), "<think>a</think><think>");
}

TEST(ThinkTagFilter, OpensABlockInEachMessage) {
  Collector collector;
  collector.Add("<think>a</think>b");
  collector.StartMessage();
  collector.Add("<think>c</think>d");
  collector.StartMessage();
  collector.Add("e<think>");
  collector.StartMessage();
  collector.Add("<think>f");
  collector.StartMessage();  // does not close it
  collector.Add("<think>g</think>h");
  collector.End();
  EXPECT_EQ(collector.Result(), "[a]b[c]de<think>[f<think>g]h");
  collector.Add("<think>i</think>j");  // of another turn
  EXPECT_EQ(collector.Result(), "[a]b[c]de<think>[f<think>g]h[i]j");
}

TEST(ThinkTagFilter, SaysWhatPasses) {
  Collector collector;
  EXPECT_FALSE(collector.filter().Passes());
  collector.Add(" <");
  EXPECT_FALSE(collector.filter().Passes());
  collector.Add("b");
  EXPECT_TRUE(collector.filter().Passes());

  Collector block;
  block.Add("<think>a");
  EXPECT_FALSE(block.filter().Passes());
  block.Add("</think>");
  EXPECT_FALSE(block.filter().Passes());
  block.Add("b");
  EXPECT_TRUE(block.filter().Passes());
}

}  // namespace
}  // namespace cursorwire::agent
