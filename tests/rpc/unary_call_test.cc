#include "rpc/unary_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/for_each_split.h"
#include "support/sizes.h"
#include "support/status_matchers.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::CallOptions;
using connect::ErrorOrigin;
using connect::Headers;
using test::CallLog;
using test::Drain;
using test::ForEachSplit;
using test::HasHttpStatus;
using test::HasOrigin;
using test::IsOk;
using test::kMiB;
using test::Play;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Pieces = std::vector<std::string_view>;

Headers UnaryHeaders() { return {{":status", "200"}, {"content-type", "application/proto"}}; }

connect::CallRequest Ask(CallOptions options = {}) {
  return {.path = "/s.S/M", .kind = connect::CallKind::kUnary, .options = std::move(options)};
}

CallLog PlayUnary(const Pieces& pieces, const CallOptions& options = {}) {
  UnaryCall call(Ask(options));
  return Play(call, {.headers = UnaryHeaders(), .body = pieces});
}

TEST(UnaryCall, SaysWhatItSpeaks) {
  EXPECT_EQ(UnaryCall(Ask()).RequestHeaders(), (Headers{{"content-type", "application/proto"},
                                                        {"connect-protocol-version", "1"},
                                                        {"accept-encoding", "gzip"}}));
  EXPECT_EQ(UnaryCall(Ask({.codec = connect::Codec::kJson,
                           .accept_compression = connect::Compression::kIdentity,
                           .timeout = std::chrono::seconds(2)}))
                .RequestHeaders(),
            (Headers{{"content-type", "application/json"},
                     {"connect-protocol-version", "1"},
                     {"connect-timeout-ms", "2000"}}));
}

TEST(UnaryCall, SendsTheBareMessage) {
  UnaryCall call(Ask());
  std::string out;
  ASSERT_THAT(call.Encode(std::string_view("a\0c", 3), out), IsOk());
  EXPECT_EQ(out, std::string("a\0c", 3));
}

TEST(UnaryCall, RefusesToSendAMessageOverTheLimit) {
  std::string out;
  EXPECT_THAT(UnaryCall(Ask({.max_send_bytes = 4})).Encode("abcd", out), IsOk());
  EXPECT_EQ(out, "abcd");
  out.clear();
  const absl::Status status = UnaryCall(Ask({.max_send_bytes = 4})).Encode("abcde", out);
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, HasSubstr("5 bytes")));
  EXPECT_THAT(status, HasOrigin(ErrorOrigin::kLocal));
  EXPECT_EQ(out, "");
}

TEST(UnaryCall, GivesTheWholeBodyAsOneMessageAtEverySplit) {
  const std::string body("one\0message", 11);
  ForEachSplit(body, [&](const Pieces& pieces) {
    const CallLog log = PlayUnary(pieces);
    EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
    EXPECT_EQ(log.http_status, 200);
    EXPECT_EQ(log.headers, UnaryHeaders());
    EXPECT_THAT(log.messages, ElementsAre(body));
    EXPECT_THAT(log.end(), IsOk());
    EXPECT_TRUE(log.trailers.empty());
    EXPECT_EQ(log.waiting_bytes, 0u);
    EXPECT_EQ(log.message_credit, 0u);
  });
}

TEST(UnaryCall, GivesAnEmptyMessage) {
  const CallLog log = PlayUnary({});
  EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
  EXPECT_THAT(log.messages, ElementsAre(""));
  EXPECT_THAT(log.end(), IsOk());
}

TEST(UnaryCall, WaitsForTheEndOfTheBody) {
  UnaryCall call(Ask());
  CallLog log;
  call.OnHeaders(200, UnaryHeaders());
  EXPECT_EQ(call.OnBody("abc"), 0u);
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head"));
  EXPECT_FALSE(call.saw_end());
  call.OnEnd({{"http", "trailer"}});
  EXPECT_TRUE(call.saw_end());
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
  EXPECT_TRUE(log.trailers.empty());
}

TEST(UnaryCall, CutsThePrefixOffItsTrailers) {
  const Headers headers = {{"content-type", "application/proto"},
                           {"trailer-one", "1"},
                           {"x", "2"},
                           {"Trailer-Many", "a"},
                           {"trailer-many", "b"},
                           {"trailer", "no prefix"},
                           {"x-trailer-y", "3"},
                           {"trailer-trailer-z", "4"}};
  UnaryCall call(Ask());
  const CallLog log = Play(call, {.headers = headers, .body = {"abc"}});
  EXPECT_THAT(log.end(), IsOk());
  EXPECT_EQ(log.headers, (Headers{{"content-type", "application/proto"},
                                  {"x", "2"},
                                  {"trailer", "no prefix"},
                                  {"x-trailer-y", "3"}}));
  EXPECT_EQ(log.trailers,
            (Headers{{"one", "1"}, {"many", "a"}, {"many", "b"}, {"trailer-z", "4"}}));
}

TEST(UnaryCall, KeepsTheTrailersOfAnError) {
  UnaryCall call(Ask());
  const CallLog log = Play(call, {.http_status = 404,
                                  .headers = {{"trailer-one", "1"}},
                                  .body = {R"({"code":"not_found","message":"m"})"}});
  EXPECT_THAT(log.end(), StatusIs(StatusCode::kNotFound, "m"));
  EXPECT_EQ(log.trailers, (Headers{{"one", "1"}}));
}

TEST(UnaryCall, EndsAtWrongHeadersWithoutWaitingForTheBody) {
  const struct {
    const char* name;
    CallOptions options;
    Headers headers;
    StatusCode code;
  } kCases[] = {
      {"other codec", {}, {{"content-type", "application/json"}}, StatusCode::kInternal},
      {"other codec, reversed",
       {.codec = connect::Codec::kJson},
       {{"content-type", "application/proto"}},
       StatusCode::kInternal},
      {"a picture", {}, {{"content-type", "image/jpeg"}}, StatusCode::kUnknown},
      {"of a stream", {}, {{"content-type", "application/connect+proto"}}, StatusCode::kUnknown},
      {"none", {}, {}, StatusCode::kUnknown},
      {"compressed",
       {},
       {{"content-type", "application/proto"}, {"content-encoding", "foo"}},
       StatusCode::kInternal},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    UnaryCall call(Ask(c.options));
    call.OnHeaders(200, c.headers);
    CallLog at_once;
    Drain(call, at_once);
    EXPECT_THAT(at_once.order, ElementsAre("head", "end"));
    EXPECT_THAT(at_once.end(), StatusIs(c.code));

    ForEachSplit("abc", [&](const Pieces& pieces) {
      UnaryCall with_body(Ask(c.options));
      const CallLog log = Play(with_body, {.headers = c.headers, .body = pieces});
      EXPECT_THAT(log.order, ElementsAre("head", "end"));
      EXPECT_THAT(log.end(), StatusIs(c.code));
      EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
      EXPECT_EQ(log.waiting_bytes, 0u);
    });
  }
}

TEST(UnaryCall, TakesJsonWithACharset) {
  UnaryCall call(Ask({.codec = connect::Codec::kJson}));
  EXPECT_THAT(Play(call, {.headers = {{"content-type", "application/json; charset=utf-8"},
                                      {"content-encoding", "identity"}},
                          .body = {"{}"}})
                  .end(),
              IsOk());
}

TEST(UnaryCall, ReadsTheErrorOfAnotherHttpStatus) {
  const struct {
    const char* name;
    int http_status;
    std::string_view body;
    StatusCode code;
    const char* message;
  } kCases[] = {
      {"Connect error", 422, R"({"code":"out_of_range","message":"oops","foobar":"baz"})",
       StatusCode::kOutOfRange, "oops"},
      {"unknown code", 429, R"({"code":"foobar","message":"oops"})", StatusCode::kUnavailable,
       "oops"},
      {"not JSON", 403, "\x0a\x02hi", StatusCode::kPermissionDenied, "HTTP status 403: ??hi"},
      {"text", 502, "bad gateway", StatusCode::kUnavailable, "HTTP status 502: bad gateway"},
      {"empty", 401, "", StatusCode::kUnauthenticated, "HTTP status 401"},
      {"another success", 201, "abc", StatusCode::kUnknown, "HTTP status 201: abc"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(c.body, [&](const Pieces& pieces) {
      UnaryCall call(Ask());
      const CallLog log = Play(call, {.http_status = c.http_status, .body = pieces});
      EXPECT_THAT(log.order, ElementsAre("head", "end"));
      EXPECT_EQ(log.http_status, c.http_status);
      EXPECT_THAT(log.end(), StatusIs(c.code, c.message));
      EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kServer));
      EXPECT_THAT(log.end(), HasHttpStatus(c.http_status));
      EXPECT_EQ(log.waiting_bytes, 0u);
    });
  }
}

TEST(UnaryCall, IgnoresWhatAnErrorBodyHasBehindOneMiB) {
  const std::string json = R"({"code":"aborted","message":"m"})";
  const std::string padded = json + std::string(kMiB - json.size(), ' ');
  const std::string text(3 * kMiB, 'x');
  const struct {
    const char* name;
    Pieces body;
    StatusCode code;
  } kCases[] = {
      {"error of exactly 1 MiB", {padded}, StatusCode::kAborted},
      {"more after it", {padded, "garbage"}, StatusCode::kAborted},
      {"text of 6 MiB in two pieces", {text, text}, StatusCode::kUnavailable},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    // The limit for messages is not the one for errors.
    UnaryCall call(Ask({.max_receive_bytes = 4}));
    const CallLog log = Play(call, {.http_status = 503, .body = c.body});
    EXPECT_THAT(log.end(), StatusIs(c.code));
    EXPECT_EQ(log.waiting_bytes, 0u);
  }
}

TEST(UnaryCall, TakesAMessageOfExactlyTheReceiveLimit) {
  ForEachSplit("abcd", [](const Pieces& pieces) {
    const CallLog log = PlayUnary(pieces, {.max_receive_bytes = 4});
    EXPECT_THAT(log.messages, ElementsAre("abcd"));
    EXPECT_THAT(log.end(), IsOk());
  });
}

TEST(UnaryCall, RefusesAMessageOfOneByteMoreBeforeItEnds) {
  ForEachSplit("abcde", [](const Pieces& pieces) {
    UnaryCall call(Ask({.max_receive_bytes = 4}));
    CallLog log;
    call.OnHeaders(200, UnaryHeaders());
    for (std::string_view piece : pieces) {
      EXPECT_THAT(log.ends, IsEmpty());
      EXPECT_EQ(call.OnBody(piece), 0u);
      Drain(call, log);
    }
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kResourceExhausted, HasSubstr("4 bytes")));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
    EXPECT_EQ(call.OnBody("fgh"), 0u);
    call.OnEnd({});
    Drain(call, log);
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
  });
}

TEST(UnaryCall, GivesNoMessageThatMayBeCut) {
  ForEachSplit("abcd", [](const Pieces& pieces) {
    UnaryCall call(Ask());
    const CallLog log = Play(call, {.headers = UnaryHeaders(),
                                    .body = pieces,
                                    .failure = absl::UnavailableError("connection lost")});
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
    EXPECT_EQ(log.end(), absl::UnavailableError("connection lost"));
  });
}

TEST(UnaryCall, GivesTheMessageThatEndedBeforeAFailure) {
  UnaryCall call(Ask());
  call.OnHeaders(200, UnaryHeaders());
  call.OnBody("abc");
  call.OnEnd({});
  call.Fail(absl::UnavailableError("connection lost"));
  CallLog log;
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
  EXPECT_THAT(log.messages, ElementsAre("abc"));
  EXPECT_THAT(log.end(), IsOk());
}

TEST(UnaryCall, KeepsNothingOnceItIsOver) {
  UnaryCall call(Ask());
  CallLog log;
  call.OnHeaders(200, UnaryHeaders());
  EXPECT_EQ(call.OnBody("abc"), 0u);
  call.Fail(absl::CancelledError("enough"));
  EXPECT_EQ(call.OnBody("def"), 0u);
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "end"));
  EXPECT_EQ(call.OnBody("ghi"), 0u);
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "end"));
}

}  // namespace
}  // namespace cursorwire::rpc
