#include "frame.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "support/for_each_split.h"
#include "support/status_matchers.h"

namespace h2_bridge {
namespace {

using cursorwire::test::StatusIs;
using testing::ElementsAre;

std::string Framed(std::string_view message) {
  const auto prefix = FramePrefix(static_cast<uint32_t>(message.size()));
  return std::string(prefix.data(), prefix.size()) + std::string(message);
}

// The whole messages of all pieces.
class Collector {
 public:
  void Feed(std::string_view input) {
    for (;;) {
      const auto piece = parser_.Next(input);
      ASSERT_TRUE(piece.ok()) << piece.status();
      if (!piece->has_value()) break;
      EXPECT_EQ((*piece)->first, !open_);
      if ((*piece)->first) messages_.emplace_back();
      messages_.back() += (*piece)->bytes;
      open_ = !(*piece)->last;
      if (!open_) {
        EXPECT_EQ(messages_.back().size(), (*piece)->message_bytes);
      }
    }
    EXPECT_TRUE(input.empty());
  }
  const std::vector<std::string>& messages() const { return messages_; }
  bool at_border() const { return parser_.at_border(); }

 private:
  FrameParser parser_;
  std::vector<std::string> messages_;
  bool open_ = false;
};

TEST(BridgeFrame, PrefixIsTheLengthBigEndian) {
  EXPECT_THAT(FramePrefix(0x01020304), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(FramePrefix(0), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(Framed("abc"), std::string("\0\0\0\3abc", 7));
}

TEST(BridgeFrame, MessagesAreTheSameHoweverTheyAreSplit) {
  const std::string bytes = Framed("one") + Framed("") + Framed("{}") + Framed("x");
  cursorwire::test::ForEachSplit(bytes, [](const auto& pieces) {
    Collector collector;
    for (const auto& piece : pieces) collector.Feed(piece);
    EXPECT_THAT(collector.messages(), ElementsAre("one", "", "{}", "x"));
    EXPECT_TRUE(collector.at_border());
  });
}

TEST(BridgeFrame, KnowsWhetherAMessageIsComplete) {
  const std::string bytes = Framed("ab");
  for (size_t cut = 1; cut < bytes.size(); ++cut) {
    Collector collector;
    EXPECT_TRUE(collector.at_border());
    collector.Feed(bytes.substr(0, cut));
    EXPECT_FALSE(collector.at_border()) << cut;
    collector.Feed(bytes.substr(cut));
    EXPECT_TRUE(collector.at_border()) << cut;
  }
}

TEST(BridgeFrame, TakesTheLargestMessageAndRefusesALargerOne) {
  FrameParser parser;
  const auto largest = FramePrefix(kMaxMessageBytes);
  const std::string bytes = std::string(largest.data(), largest.size()) + "x";
  std::string_view input = bytes;
  const auto piece = parser.Next(input);
  ASSERT_TRUE(piece.ok() && piece->has_value());
  EXPECT_EQ((*piece)->message_bytes, kMaxMessageBytes);
  EXPECT_FALSE((*piece)->last);

  FrameParser other;
  const auto larger = FramePrefix(kMaxMessageBytes + 1);
  input = {larger.data(), larger.size()};
  EXPECT_THAT(other.Next(input), StatusIs(absl::StatusCode::kResourceExhausted));
  input = "more";
  EXPECT_THAT(other.Next(input), StatusIs(absl::StatusCode::kResourceExhausted)) << "it stays so";
}

}  // namespace
}  // namespace h2_bridge
