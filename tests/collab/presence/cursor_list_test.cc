#include "collab/presence/cursor_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collab/presence/cursor_throttle.h"
#include "crdt/automerge/document.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using crdt::Unit;
using std::chrono::milliseconds;
using test::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Time = CursorList::TimePoint;

class CursorListTest : public ::testing::Test {
 protected:
  CursorListTest() { Edit(0, 0, "one\ntwo\r\n\xf0\x9f\x98\x80 end"); }

  void Edit(uint32_t at, uint32_t count, std::string_view text) {
    ASSERT_THAT(text_.Splice(Unit::kUtf16, at, count, text), IsOk());
    text_.Commit(1);
    list_.OnTextChanged();
  }
  const automerge::TextField& text() const { return text_; }

  bool Add(const std::string& peer, uint32_t position, int64_t timestamp = 0,
           std::optional<uint32_t> anchor = std::nullopt, const std::string& sender = "sender") {
    return list_.Add({.peer_id = peer,
                      .name = peer,
                      .type = "user",
                      .position = position,
                      .anchor = anchor,
                      .timestamp = timestamp},
                     sender, text(), now_);
  }
  // "peer position", with the anchor and whether it is hidden.
  std::vector<std::string> Changed() {
    std::vector<std::string> lines;
    for (const ShownCursor& shown : list_.TakeChanged(text())) {
      std::string line = shown.cursor.peer_id + " " + std::to_string(shown.cursor.position);
      if (shown.cursor.anchor) line += "-" + std::to_string(*shown.cursor.anchor);
      lines.push_back(line + (shown.hidden ? " hidden" : ""));
    }
    return lines;
  }

  automerge::Document document_{"actor"};
  automerge::TextField text_{document_, {"content"}};
  CursorList list_{"me", Unit::kUtf16};
  Time now_{std::chrono::hours(1)};
};

TEST_F(CursorListTest, TellsOfEachChangeOnce) {
  EXPECT_TRUE(Add("a", 1));
  EXPECT_TRUE(Add("b", 2, 0, 5));
  EXPECT_THAT(Changed(), ElementsAre("a 1", "b 2-5"));
  EXPECT_THAT(Changed(), IsEmpty());
  EXPECT_TRUE(Add("a", 1, 5));
  EXPECT_THAT(Changed(), IsEmpty()) << "nothing that is seen has changed";
  EXPECT_TRUE(Add("a", 2, 6));
  EXPECT_THAT(Changed(), ElementsAre("a 2"));
}

TEST_F(CursorListTest, MovesWithTheText) {
  Add("a", 1);
  Add("b", 4, 0, 7);
  Changed();
  Edit(0, 0, "xx");
  EXPECT_THAT(Changed(), ElementsAre("a 3", "b 6-9"));
  Edit(3, 1, "");  // what stood right of a
  EXPECT_THAT(Changed(), ElementsAre("b 5-8"));
  Edit(8, 0, "after");
  EXPECT_THAT(Changed(), ElementsAre("b 5-13"));
}

TEST_F(CursorListTest, StaysAtTheEnd) {
  Add("a", 1000);
  EXPECT_THAT(Changed(), ElementsAre("a 15"));
  Edit(15, 0, "!");
  EXPECT_THAT(Changed(), ElementsAre("a 16"));
}

TEST_F(CursorListTest, IsHiddenAtALineEnd) {
  Add("a", 3);
  Add("b", 7);
  Add("c", 8);
  Add("d", 15);
  EXPECT_THAT(Changed(), ElementsAre("a 3 hidden", "b 7 hidden", "c 8 hidden", "d 15"));
}

TEST_F(CursorListTest, IsNotWithinAPair) {
  Add("a", 10);  // between the two units of the emoji
  EXPECT_THAT(Changed(), ElementsAre("a 9"));
}

TEST_F(CursorListTest, GoesTenSecondsAfterItsLastMessage) {
  Add("a", 1, 1);
  now_ += milliseconds(5000);
  Add("b", 1, 1);
  Changed();
  EXPECT_EQ(list_.deadline(), now_ + milliseconds(5000));
  now_ += milliseconds(4999);
  EXPECT_THAT(list_.TakeStale(now_), IsEmpty());
  now_ += milliseconds(1);
  EXPECT_THAT(list_.TakeStale(now_), ElementsAre("a"));
  // The sender's clock does not count.
  Add("a", 1, 0);
  EXPECT_THAT(Changed(), ElementsAre("a 1"));
}

TEST_F(CursorListTest, TheOneThatWasSilentForLongestGoesFirst) {
  const Time begin = now_;
  for (const char* peer : {"c", "b", "a"}) {
    Add(peer, 1);
    now_ += milliseconds(1000);
  }
  Changed();
  EXPECT_EQ(list_.deadline(), begin + CursorList::kStaleAfter);
  Add("c", 1);
  EXPECT_EQ(list_.deadline(), begin + milliseconds(1000) + CursorList::kStaleAfter);
  EXPECT_FALSE(Add("b", 2, -1)) << "older than its last one";
  EXPECT_EQ(list_.deadline(), begin + milliseconds(1000) + CursorList::kStaleAfter);
  EXPECT_THAT(list_.TakeStale(begin + milliseconds(2000) + CursorList::kStaleAfter),
              ElementsAre("a", "b"));
  EXPECT_EQ(list_.deadline(), now_ + CursorList::kStaleAfter);
  EXPECT_THAT(list_.TakeStale(now_ + CursorList::kStaleAfter), ElementsAre("c"));
  EXPECT_EQ(list_.deadline(), std::nullopt);
}

TEST_F(CursorListTest, OneThatGoesBeforeItWasShownIsForgotten) {
  Add("a", 1);
  now_ += CursorList::kStaleAfter;
  EXPECT_THAT(list_.TakeStale(now_), IsEmpty());
  EXPECT_THAT(Changed(), IsEmpty());
}

// A message costs the same however many cursors there are.
TEST_F(CursorListTest, LooksAtNoOthersWhileTheTextStays) {
  Add("a", 1);
  Add("b", 4);
  Changed();
  ASSERT_THAT(text_.Splice(Unit::kUtf16, 0, 0, "xx"), IsOk());
  Add("b", 7);
  EXPECT_THAT(Changed(), ElementsAre("b 7")) << "nobody has said that the text moved";
  list_.OnTextChanged();
  EXPECT_THAT(Changed(), ElementsAre("a 3"));
}

TEST_F(CursorListTest, ShowsThoseOfManyMessagesOnceInTheOrderOfTheirPeers) {
  for (int64_t i = 0; i < 100; ++i) {
    for (const char* peer : {"c", "a", "b"}) Add(peer, static_cast<uint32_t>(i % 7), i);
  }
  EXPECT_THAT(Changed(), ElementsAre("a 1", "b 1", "c 1"));
  EXPECT_THAT(Changed(), IsEmpty());
}

TEST_F(CursorListTest, TakesNoneThatIsOlderThanTheLast) {
  EXPECT_TRUE(Add("a", 1, 100));
  EXPECT_FALSE(Add("a", 2, 99));
  EXPECT_TRUE(Add("a", 3, 100));
  EXPECT_TRUE(Add("a", 4, 1, std::nullopt, "another sender")) << "with another clock";
  EXPECT_THAT(Changed(), ElementsAre("a 4"));
}

TEST_F(CursorListTest, ShowsNotOnesOwn) {
  EXPECT_FALSE(Add("me", 1));
  EXPECT_THAT(Changed(), IsEmpty());
}

TEST_F(CursorListTest, HasABound) {
  for (size_t i = 0; i < CursorList::kMaxCursors; ++i) EXPECT_TRUE(Add("p" + std::to_string(i), 1));
  EXPECT_FALSE(Add("one more", 1));
  EXPECT_TRUE(Add("p1", 2, 1));
}

TEST(CursorThrottle, SendsTheFirstAtOnceAndTheLastAlways) {
  CursorThrottle throttle;
  Time now{std::chrono::hours(1)};
  EXPECT_EQ(throttle.deadline(), std::nullopt);
  EXPECT_EQ(throttle.Take(now, 1), std::nullopt);
  const auto at = [](uint32_t position) { return Cursor{.peer_id = "me", .position = position}; };
  throttle.Set(at(1));
  ASSERT_TRUE(throttle.Take(now, 77));
  for (uint32_t i = 2; i < 10; ++i) {
    now += milliseconds(10);
    throttle.Set(at(i));
    EXPECT_EQ(throttle.Take(now, 1), std::nullopt);
  }
  now += milliseconds(20);
  ASSERT_EQ(throttle.deadline(), now);
  const std::optional<Cursor> last = throttle.Take(now, 78);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->position, 9u);
  EXPECT_EQ(last->timestamp, 78);
  EXPECT_EQ(throttle.Take(now + milliseconds(4999), 1), std::nullopt);
  // Alive.
  EXPECT_EQ(throttle.deadline(), now + milliseconds(5000));
  EXPECT_TRUE(throttle.Take(now + milliseconds(5000), 79));
}

TEST(CursorThrottle, TakesTheSameForNoChange) {
  CursorThrottle throttle;
  const Time now{std::chrono::hours(1)};
  throttle.Set({.peer_id = "me", .position = 1});
  ASSERT_TRUE(throttle.Take(now, 1));
  throttle.Set({.peer_id = "me", .position = 1});
  EXPECT_EQ(throttle.deadline(), now + milliseconds(5000));
}

}  // namespace
}  // namespace cursorwire::collab
