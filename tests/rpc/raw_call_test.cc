#include "rpc/raw_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/call_log.h"
#include "support/errors.h"
#include "support/for_each_split.h"
#include "support/status_matchers.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using connect::Headers;
using test::CallLog;
using test::Drain;
using test::ForEachSplit;
using test::HasOrigin;
using test::IsOk;
using test::Play;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Pieces = std::vector<std::string_view>;

TEST(RawCall, AddsNothingToTheRequest) {
  RawCall call({});
  EXPECT_TRUE(call.RequestHeaders().empty());
  std::string out = "a";
  ASSERT_THAT(call.Encode("bc", out), IsOk());
  ASSERT_THAT(call.Encode("", out), IsOk());
  ASSERT_THAT(call.Encode(std::string_view("\0\xff", 2), out), IsOk());
  EXPECT_EQ(out, std::string("abc\0\xff", 5));
}

TEST(RawCall, RefusesToSendBytesOverTheLimit) {
  RawCall call({.max_send_bytes = 4});
  std::string out = "before";
  ASSERT_THAT(call.Encode("abcd", out), IsOk());
  EXPECT_EQ(out, "beforeabcd");
  const absl::Status status = call.Encode("efghi", out);
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, HasSubstr("5 bytes")));
  EXPECT_THAT(status, HasOrigin(ErrorOrigin::kLocal));
  EXPECT_EQ(out, "beforeabcd");
  // The limit is of each message, not of all; and the call goes on.
  EXPECT_THAT(call.Encode("jklm", out), IsOk());
  EXPECT_EQ(out, "beforeabcdjklm");
}

TEST(RawCall, HandsAnyStatusAndItsBytesOut) {
  const std::string body("\0\0\0\0\2{}\xff<html>", 14);
  for (const int http_status : {200, 204, 301, 401, 404, 500, 503, 0}) {
    SCOPED_TRACE(http_status);
    ForEachSplit(body, [&](const Pieces& pieces) {
      RawCall call({});
      const Headers headers = {{"content-type", "text/html"}, {"content-encoding", "gzip"}};
      const CallLog log =
          Play(call, {.http_status = http_status, .headers = headers, .body = pieces});
      EXPECT_EQ(log.http_status, http_status);
      EXPECT_EQ(log.headers, headers);
      EXPECT_EQ(log.order.front(), "head");
      EXPECT_EQ(log.bytes(), body);
      EXPECT_THAT(log.end(), IsOk());
      EXPECT_EQ(log.message_credit, body.size());
      EXPECT_EQ(log.waiting_bytes, body.size());
    });
  }
}

TEST(RawCall, CountsEachByteAsWaitingWhenItComes) {
  RawCall call({});
  CallLog log;
  call.OnHeaders(200, {});
  EXPECT_EQ(call.OnBody("abc"), 3u);
  EXPECT_EQ(call.OnBody(""), 0u);
  EXPECT_EQ(call.OnBody("de"), 2u);
  call.OnEnd({});
  Drain(call, log);
  EXPECT_EQ(log.bytes(), "abcde");
  EXPECT_EQ(log.message_credit, 5u);
}

TEST(RawCall, GivesNoEmptyMessage) {
  RawCall call({});
  const CallLog log = Play(call, {.body = {"", ""}});
  EXPECT_THAT(log.order, ElementsAre("head", "end"));
}

TEST(RawCall, GivesEachByteOnceWhileTheBodyGoesOn) {
  RawCall call({});
  call.OnHeaders(200, {});
  ASSERT_TRUE(call.NextEvent().has_value());
  EXPECT_EQ(call.OnBody("abc"), 3u);
  std::optional<connect::CallEvent> event = call.NextEvent();
  ASSERT_TRUE(event && std::holds_alternative<connect::MessageView>(*event));
  EXPECT_EQ(std::get<connect::MessageView>(*event).bytes, "abc");
  EXPECT_EQ(std::get<connect::MessageView>(*event).credit, 3u);
  // More comes before the next event is asked for.
  EXPECT_EQ(call.OnBody("de"), 2u);
  event = call.NextEvent();
  ASSERT_TRUE(event && std::holds_alternative<connect::MessageView>(*event));
  EXPECT_EQ(std::get<connect::MessageView>(*event).bytes, "de");
  EXPECT_EQ(std::get<connect::MessageView>(*event).credit, 2u);
  EXPECT_FALSE(call.NextEvent().has_value());
}

TEST(RawCall, HandsTheTrailersOfHttpOut) {
  RawCall call({});
  CallLog log;
  call.OnHeaders(200, {});
  call.OnBody("abc");
  call.OnEnd({{"grpc-status", "0"}, {"x", "1"}, {"x", "2"}});
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
  EXPECT_EQ(log.trailers, (Headers{{"grpc-status", "0"}, {"x", "1"}, {"x", "2"}}));
}

TEST(RawCall, GivesWhatCameBeforeAFailure) {
  ForEachSplit("abcd", [](const Pieces& pieces) {
    RawCall call({});
    const CallLog log =
        Play(call, {.body = pieces, .failure = absl::UnavailableError("connection lost")});
    EXPECT_EQ(log.bytes(), "abcd");
    EXPECT_EQ(log.waiting_bytes, 4u);
    EXPECT_EQ(log.message_credit, 4u);
    EXPECT_EQ(log.end(), absl::UnavailableError("connection lost"));
    EXPECT_TRUE(log.trailers.empty());

    RawCall late({});
    CallLog late_log;
    late.OnHeaders(200, {});
    for (std::string_view piece : pieces) late.OnBody(piece);
    late.Fail(absl::UnavailableError("connection lost"));
    Drain(late, late_log);
    EXPECT_THAT(late_log.order, ElementsAre("head", "message", "end"));
    EXPECT_EQ(late_log.bytes(), "abcd");
    EXPECT_EQ(late_log.end(), absl::UnavailableError("connection lost"));
  });
}

TEST(RawCall, NeverSawAnEndOfItsOwn) {
  RawCall call({});
  call.OnHeaders(200, {});
  call.OnEnd({});
  EXPECT_FALSE(call.saw_end());
}

TEST(RawCall, KeepsNothingOnceItIsOver) {
  RawCall call({});
  CallLog log;
  call.Fail(absl::CancelledError("enough"));
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("end"));
  EXPECT_EQ(call.OnBody("abc"), 0u);
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("end"));
}

}  // namespace
}  // namespace cursorwire::rpc
