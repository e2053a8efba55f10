#include "http/event_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::http {
namespace {

using std::chrono::milliseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> EventsOf(EventParser& parser) {
  std::vector<std::string> events;
  while (auto event = parser.Next()) events.push_back(*event);
  return events;
}

std::vector<std::string> Parse(std::string_view bytes) {
  EventParser parser;
  EXPECT_THAT(parser.Feed(bytes), IsOk());
  return EventsOf(parser);
}

TEST(EventParser, ReadsTheDataOfEvents) {
  EXPECT_THAT(Parse("data: one\n\ndata:two\n\nevent: message\ndata:  three\n\n"),
              ElementsAre("one", "two", " three"));
  EXPECT_THAT(Parse("data: a\ndata\ndata: b\n\n"), ElementsAre("a\n\nb"));
}

TEST(EventParser, KnowsAllEndsOfLines) {
  EXPECT_THAT(Parse("data: a\r\n\r\ndata: b\r\rdata: c\n\n"), ElementsAre("a", "b", "c"));
}

TEST(EventParser, SkipsCommentsUnknownFieldsAndAByteOrderMark) {
  EXPECT_THAT(Parse("\xEF\xBB\xBF: hello\n\ndata: a\n: more\nnonsense\nother: x\n\n"),
              ElementsAre("a"));
}

TEST(EventParser, HasNoEventWithoutDataOrWithoutItsEnd) {
  EXPECT_THAT(Parse("id: 1\n\ndata\n\ndata:\n\n"), IsEmpty());
  EXPECT_THAT(Parse("data: a\n"), IsEmpty());
}

TEST(EventParser, RemembersTheIdOfCompleteEvents) {
  EventParser parser;
  ASSERT_THAT(parser.Feed("id: 7\ndata:\n\n"), IsOk());  // the priming event
  EXPECT_EQ(parser.last_id(), "7");
  ASSERT_THAT(parser.Feed("id: 8\ndata: half"), IsOk());
  EXPECT_EQ(parser.last_id(), "7");
  ASSERT_THAT(parser.Feed("\n\ndata: no id of its own\n\n"), IsOk());
  EXPECT_EQ(parser.last_id(), "8");
  ASSERT_THAT(parser.Feed(std::string_view("id: a\0b\ndata: x\n\n", 17)), IsOk());
  EXPECT_EQ(parser.last_id(), "8");
  ASSERT_THAT(parser.Feed("id\ndata: x\n\n"), IsOk());
  EXPECT_EQ(parser.last_id(), "");
}

TEST(EventParser, TakesTheTimeOfRetries) {
  EventParser parser;
  EXPECT_EQ(parser.retry(), std::nullopt);
  ASSERT_THAT(parser.Feed("retry: 250\n"), IsOk());
  EXPECT_EQ(parser.retry(), milliseconds(250));
  ASSERT_THAT(parser.Feed("retry: soon\nretry: -1\n"), IsOk());
  EXPECT_EQ(parser.retry(), milliseconds(250));
  ASSERT_THAT(parser.Feed("retry: 999999999999\n"), IsOk());
  EXPECT_EQ(parser.retry(), milliseconds(60'000));
}

TEST(EventParser, ReadsTheSameInPiecesOfAnySize) {
  constexpr std::string_view kStream =
      ": hi\r\nid: 1\r\nretry: 10\r\ndata: a\r\ndata: b\r\n\r\ndata: c\rid: 2\r\rdata: d\n\n";
  EventParser whole;
  ASSERT_THAT(whole.Feed(kStream), IsOk());
  const std::vector<std::string> expected = EventsOf(whole);
  ASSERT_THAT(expected, ElementsAre("a\nb", "c", "d"));
  for (size_t cut = 0; cut <= kStream.size(); ++cut) {
    EventParser parser;
    ASSERT_THAT(parser.Feed(kStream.substr(0, cut)), IsOk());
    ASSERT_THAT(parser.Feed(kStream.substr(cut)), IsOk());
    EXPECT_EQ(EventsOf(parser), expected) << cut;
    EXPECT_EQ(parser.last_id(), "2") << cut;
  }
  EventParser parser;
  for (const char c : kStream) ASSERT_THAT(parser.Feed({&c, 1}), IsOk());
  EXPECT_EQ(EventsOf(parser), expected);
}

TEST(EventParser, IsBounded) {
  const std::string mib(size_t{1024} * 1024, 'x');
  EventParser line;
  absl::Status status = line.Feed("data: ");
  for (int i = 0; status.ok() && i < 40; ++i) status = line.Feed(mib);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
  EventParser event;
  status = absl::OkStatus();
  for (int i = 0; status.ok() && i < 40; ++i) status = event.Feed("data: " + mib + "\n");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
  EventParser id;
  EXPECT_THAT(id.Feed("id: " + std::string(kMaxEventIdBytes + 1, 'x') + "\n"),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace cursorwire::http
