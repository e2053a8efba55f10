#include "rpc/streaming_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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
using connect::ErrorInfo;
using connect::ErrorOrigin;
using connect::Headers;
using test::CallLog;
using test::Drain;
using test::Envelope;
using test::ForEachSplit;
using test::HasHttpStatus;
using test::HasOrigin;
using test::IsOk;
using test::kMiB;
using test::Play;
using test::Response;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

using Pieces = std::vector<std::string_view>;

constexpr uint8_t kEnd = wire::kEnvelopeEndStream;

Headers GoodHeaders() {
  return {{":status", "200"}, {"content-type", "application/connect+proto"}};
}

CallLog PlayBody(const Pieces& pieces, const CallOptions& options = {}) {
  StreamingCall call(options);
  return Play(call, {.headers = GoodHeaders(), .body = pieces});
}

TEST(StreamingCall, SaysWhatItSpeaks) {
  EXPECT_EQ(StreamingCall({}).RequestHeaders(),
            (Headers{{"content-type", "application/connect+proto"},
                     {"connect-protocol-version", "1"},
                     {"connect-accept-encoding", "gzip"}}));
  EXPECT_EQ(StreamingCall({.codec = connect::Codec::kJson,
                           .accept_compression = connect::Compression::kIdentity,
                           .timeout = std::chrono::seconds(2)})
                .RequestHeaders(),
            (Headers{{"content-type", "application/connect+json"},
                     {"connect-protocol-version", "1"},
                     {"connect-timeout-ms", "2000"}}));
}

TEST(StreamingCall, SendsEachMessageInAnEnvelope) {
  StreamingCall call({});
  std::string out;
  ASSERT_THAT(call.Encode("abc", out), IsOk());
  ASSERT_THAT(call.Encode("", out), IsOk());
  EXPECT_EQ(out, std::string("\0\0\0\0\3abc\0\0\0\0\0", 13));
}

TEST(StreamingCall, RefusesToSendAMessageOverTheLimit) {
  StreamingCall call({.max_send_bytes = 4});
  std::string out = "before";
  ASSERT_THAT(call.Encode("abcd", out), IsOk());
  EXPECT_EQ(out, "before" + Envelope(0, "abcd"));
  const absl::Status status = call.Encode("abcde", out);
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, HasSubstr("5 bytes")));
  EXPECT_THAT(status, HasOrigin(ErrorOrigin::kLocal));
  EXPECT_EQ(out, "before" + Envelope(0, "abcd"));
}

TEST(StreamingCall, GivesTheSameEventsAtEverySplit) {
  const std::string body = Envelope(0, "ab") + Envelope(0, "") + Envelope(0, "cde") +
                           Envelope(kEnd, R"({"metadata":{"x":["1","2"]}})");
  ForEachSplit(body, [](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces);
    EXPECT_THAT(log.order, ElementsAre("head", "message", "message", "message", "end"));
    EXPECT_EQ(log.http_status, 200);
    EXPECT_EQ(log.headers, GoodHeaders());
    EXPECT_THAT(log.messages, ElementsAre("ab", "", "cde"));
    EXPECT_THAT(log.end(), IsOk());
    EXPECT_EQ(log.trailers, (Headers{{"x", "1"}, {"x", "2"}}));
  });
}

TEST(StreamingCall, GivesTheServersErrorAtEverySplit) {
  const std::string body =
      Envelope(0, "ab") +
      Envelope(kEnd, R"({"error":{"code":"not_found","message":"m"},"metadata":{"x":["1"]}})");
  ForEachSplit(body, [](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces);
    EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kNotFound, "m"));
    EXPECT_THAT(connect::GetErrorInfo(log.end()),
                Optional(ErrorInfo{.origin = ErrorOrigin::kServer, .http_status = 200}));
    EXPECT_EQ(log.trailers, (Headers{{"x", "1"}}));
  });
}

TEST(StreamingCall, DoesWithoutMessages) {
  ForEachSplit(Envelope(kEnd, "{}"), [](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces);
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
    EXPECT_THAT(log.end(), IsOk());
    EXPECT_TRUE(log.trailers.empty());
  });
}

TEST(StreamingCall, RefusesAnEndStreamThatIsNoJson) {
  ForEachSplit(Envelope(0, "ab") + Envelope(kEnd, "bye"), [](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces);
    EXPECT_THAT(log.messages, ElementsAre("ab"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr("end-stream")));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
  });
}

TEST(StreamingCall, TakesAnEndStreamOfExactlyOneMiB) {
  const std::string json = R"({"error":{"code":"aborted","message":"m"},"metadata":{"x":["1"]}})";
  const std::string end = Envelope(kEnd, json + std::string(kMiB - json.size(), ' '));
  const std::string body = Envelope(0, "ab") + end;
  const std::string_view view = body;
  for (const size_t cut : {size_t{0}, size_t{7}, size_t{10}, size_t{100}, body.size() - 1}) {
    SCOPED_TRACE(cut);
    const CallLog log = PlayBody({view.substr(0, cut), view.substr(cut)});
    EXPECT_THAT(log.messages, ElementsAre("ab"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kAborted, "m"));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kServer));
    EXPECT_EQ(log.trailers, (Headers{{"x", "1"}}));
    EXPECT_EQ(log.waiting_bytes, body.size());
  }
}

TEST(StreamingCall, RefusesAnEndStreamOfOneByteMore) {
  for (const std::string_view json :
       {R"({})", R"({"error":{"code":"aborted"},"metadata":{"x":["1"]}})", "no JSON"}) {
    SCOPED_TRACE(json);
    std::string payload(json);
    payload.resize(kMiB + 1, ' ');
    const std::string body = Envelope(0, "ab") + Envelope(kEnd, payload);
    const std::string_view view = body;
    for (const size_t cut : {size_t{0}, size_t{7}, size_t{10}, size_t{100}, body.size() - 1}) {
      SCOPED_TRACE(cut);
      const CallLog log = PlayBody({view.substr(0, cut), view.substr(cut)});
      EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
      EXPECT_THAT(log.messages, ElementsAre("ab"));
      EXPECT_THAT(log.end(), StatusIs(StatusCode::kResourceExhausted, HasSubstr("end-stream")));
      EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
      EXPECT_TRUE(log.trailers.empty());
    }
  }
}

TEST(StreamingCall, BoundsNoMessageByTheLimitOfAnEndStream) {
  const std::string message(kMiB + 1, 'x');
  const std::string body = Envelope(0, message) + Envelope(kEnd, "{}");
  const CallLog log = PlayBody({body});
  ASSERT_EQ(log.messages.size(), 1u);
  EXPECT_TRUE(log.messages[0] == message);  // no EXPECT_EQ: it would print 1 MiB
  EXPECT_THAT(log.end(), IsOk());
}

TEST(StreamingCall, IsNeverASuccessWithoutAnEndStream) {
  const std::string body = Envelope(0, "ab") + Envelope(0, "cde");
  ForEachSplit(body, [](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces);
    EXPECT_THAT(log.order, ElementsAre("head", "message", "message", "end"));
    EXPECT_THAT(log.messages, ElementsAre("ab", "cde"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr("end-stream")));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kTransport));
    EXPECT_THAT(log.end(), HasHttpStatus(200));
  });
  EXPECT_THAT(PlayBody({}).end(), StatusIs(StatusCode::kInternal));
  EXPECT_THAT(PlayBody({}).end(), HasOrigin(ErrorOrigin::kTransport));
}

TEST(StreamingCall, IsAnErrorWhereverTheBodyIsCut) {
  const std::string first = Envelope(0, "ab");
  const std::string body = first + Envelope(0, "c") + Envelope(kEnd, "{}");
  for (size_t size = 0; size < body.size(); ++size) {
    SCOPED_TRACE(size);
    ForEachSplit(std::string_view(body).substr(0, size), [&](const Pieces& pieces) {
      const CallLog log = PlayBody(pieces);
      EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal));
      EXPECT_EQ(log.messages.size(),
                (size >= first.size() ? 1u : 0u) + (size >= first.size() + 6 ? 1u : 0u));
    });
  }
}

TEST(StreamingCall, RefusesBytesBehindTheEndStream) {
  const struct {
    const char* name;
    std::string behind;
  } kCases[] = {
      {"one byte", std::string(1, '\0')},
      {"a prefix", std::string(5, '\0')},
      {"a message", Envelope(0, "late")},
      {"another end-stream", Envelope(kEnd, "{}")},
      {"an error", Envelope(kEnd, R"({"error":{"code":"aborted"}})")},
      {"a message over the limit", std::string("\0\xff\xff\xff\xff", 5)},
      {"text", "HTTP/1.1 200 OK"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::string body = Envelope(0, "ab") + Envelope(kEnd, "{}") + c.behind;
    ForEachSplit(body, [](const Pieces& pieces) {
      const CallLog log = PlayBody(pieces);
      EXPECT_THAT(log.messages, ElementsAre("ab"));
      EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr("end-stream")));
      EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
    });
  }
}

TEST(StreamingCall, RefusesCompressedAndUnknownFlags) {
  const struct {
    const char* name;
    uint8_t flags;
    const char* message;
  } kCases[] = {
      {"compressed message", 0x01, "compress"},
      {"compressed end-stream", 0x03, "compress"},
      {"third bit", 0x04, "flags 4"},
      {"third bit and compressed", 0x05, "flags 5"},
      {"third bit and end-stream", 0x06, "flags 6"},
      {"the bit that gRPC-Web ends with", 0x80, "flags 128"},
      {"all", 0xFF, "flags 255"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(Envelope(0, "ab") + Envelope(c.flags, "{}") + Envelope(kEnd, "{}"),
                 [&](const Pieces& pieces) {
                   const CallLog log = PlayBody(pieces);
                   EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
                   EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr(c.message)));
                   EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
                 });
  }
}

TEST(StreamingCall, EndsAtWrongHeadersWithoutWaitingForTheBody) {
  const struct {
    const char* name;
    Headers headers;
    StatusCode code;
  } kCases[] = {
      {"other codec", {{"content-type", "application/connect+json"}}, StatusCode::kInternal},
      {"a page", {{"content-type", "text/html"}}, StatusCode::kUnknown},
      {"none", {}, StatusCode::kUnknown},
      {"compressed with what was not offered",
       {{"content-type", "application/connect+proto"}, {"connect-content-encoding", "br"}},
       StatusCode::kInternal},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    StreamingCall call({});
    call.OnHeaders(200, c.headers);
    CallLog at_once;
    Drain(call, at_once);
    EXPECT_THAT(at_once.order, ElementsAre("head", "end"));
    EXPECT_THAT(at_once.end(), StatusIs(c.code));

    const std::string body = Envelope(0, "ab") + Envelope(kEnd, "{}");
    ForEachSplit(body, [&](const Pieces& pieces) {
      StreamingCall with_body({});
      const CallLog log = Play(with_body, {.headers = c.headers, .body = pieces});
      EXPECT_THAT(log.order, ElementsAre("head", "end"));
      EXPECT_EQ(log.headers, c.headers);
      EXPECT_THAT(log.end(), StatusIs(c.code));
      EXPECT_EQ(log.waiting_bytes, 0u);
    });
  }
}

TEST(StreamingCall, AcceptsTheNameOfNoCompression) {
  StreamingCall call({});
  const std::string body = Envelope(kEnd, "{}");
  EXPECT_THAT(Play(call, {.headers = {{"content-type", "application/connect+proto"},
                                      {"connect-content-encoding", "identity"}},
                          .body = {body}})
                  .end(),
              IsOk());
}

TEST(StreamingCall, ReadsTheErrorOfAnotherHttpStatus) {
  const struct {
    const char* name;
    int http_status;
    std::string body;
    StatusCode code;
    const char* message;
  } kCases[] = {
      {"Connect error", 401, R"({"code":"unauthenticated","message":"who are you"})",
       StatusCode::kUnauthenticated, "who are you"},
      {"code of the error wins", 503, R"({"code":"aborted","message":"m"})", StatusCode::kAborted,
       "m"},
      {"text", 502, "bad gateway", StatusCode::kUnavailable, "HTTP status 502: bad gateway"},
      {"empty", 404, "", StatusCode::kUnimplemented, "HTTP status 404"},
      {"an envelope is no body of an error", 204, Envelope(kEnd, "{}"), StatusCode::kUnknown,
       "HTTP status 204: ?????{}"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(c.body, [&](const Pieces& pieces) {
      StreamingCall call({});
      const CallLog log = Play(call, {.http_status = c.http_status,
                                      .headers = {{"content-type", "application/json"}},
                                      .body = pieces});
      EXPECT_THAT(log.order, ElementsAre("head", "end"));
      EXPECT_EQ(log.http_status, c.http_status);
      EXPECT_THAT(log.end(), StatusIs(c.code, c.message));
      EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kServer));
      EXPECT_THAT(log.end(), HasHttpStatus(c.http_status));
      EXPECT_EQ(log.waiting_bytes, 0u);
    });
  }
}

TEST(StreamingCall, IgnoresWhatAnErrorBodyHasBehindOneMiB) {
  const std::string json = R"({"code":"aborted","message":"m"})";
  const std::string padded = json + std::string(kMiB - json.size(), ' ');
  const std::string padded_and_more = padded + "garbage";
  const std::string text(3 * kMiB, 'x');
  const std::string long_json = R"({"code":"aborted","message":")" + text + R"("})";
  const struct {
    const char* name;
    Pieces body;
    StatusCode code;
  } kCases[] = {
      {"error of exactly 1 MiB", {padded}, StatusCode::kAborted},
      {"more after it", {padded, "garbage"}, StatusCode::kAborted},
      {"more after it in the same piece", {padded_and_more}, StatusCode::kAborted},
      {"text of 3 MiB", {text}, StatusCode::kUnavailable},
      {"text of 6 MiB in two pieces", {text, text}, StatusCode::kUnavailable},
      {"JSON that is cut by the limit", {long_json}, StatusCode::kUnavailable},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    StreamingCall call({});
    const CallLog log = Play(call, {.http_status = 503, .body = c.body});
    EXPECT_THAT(log.end(), StatusIs(c.code));
    EXPECT_EQ(log.waiting_bytes, 0u);
  }
}

TEST(StreamingCall, TakesAMessageOfExactlyTheReceiveLimit) {
  ForEachSplit(Envelope(0, "abcd") + Envelope(kEnd, "{}"), [](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces, {.max_receive_bytes = 4});
    EXPECT_THAT(log.messages, ElementsAre("abcd"));
    EXPECT_THAT(log.end(), IsOk());
  });
}

TEST(StreamingCall, RefusesAMessageOfOneByteMoreOnItsPrefix) {
  ForEachSplit(Envelope(0, "abcd") + std::string("\0\0\0\0\5", 5), [](const Pieces& pieces) {
    StreamingCall call({.max_receive_bytes = 4});
    CallLog log;
    call.OnHeaders(200, GoodHeaders());
    for (std::string_view piece : pieces) {
      EXPECT_THAT(log.ends, IsEmpty());
      log.waiting_bytes += call.OnBody(piece);
      Drain(call, log);
    }
    EXPECT_THAT(log.messages, ElementsAre("abcd"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kResourceExhausted, HasSubstr("5 bytes")));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
    EXPECT_EQ(log.waiting_bytes, 9u);
    EXPECT_EQ(log.message_credit, 9u);
    // Nothing of the rest is kept, nor of what looks like a message after it.
    EXPECT_EQ(call.OnBody("efghi"), 0u);
    EXPECT_EQ(call.OnBody(Envelope(0, "a")), 0u);
    Drain(call, log);
    EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
  });
}

TEST(StreamingCall, GivesCompleteMessagesBeforeAFailure) {
  const std::string body = Envelope(0, "ab") + Envelope(0, "cde") + Envelope(0, "cut").substr(0, 7);
  ForEachSplit(body, [](const Pieces& pieces) {
    // The events are taken after each piece, and all at the end.
    StreamingCall call({});
    const CallLog log = Play(call, {.headers = GoodHeaders(),
                                    .body = pieces,
                                    .failure = absl::DeadlineExceededError("too late")});
    EXPECT_THAT(log.messages, ElementsAre("ab", "cde"));
    EXPECT_EQ(log.waiting_bytes, 7u + 8u);
    EXPECT_EQ(log.message_credit, 7u + 8u);
    EXPECT_EQ(log.end(), absl::DeadlineExceededError("too late"));

    StreamingCall late({});
    late.OnHeaders(200, GoodHeaders());
    for (std::string_view piece : pieces) late.OnBody(piece);
    late.Fail(absl::DeadlineExceededError("too late"));
    CallLog late_log;
    Drain(late, late_log);
    EXPECT_THAT(late_log.order, ElementsAre("head", "message", "message", "end"));
    EXPECT_EQ(late_log.end(), absl::DeadlineExceededError("too late"));
  });
}

TEST(StreamingCall, TakesTheEndStreamOverAFailureBehindIt) {
  const struct {
    const char* name;
    std::string payload;
    StatusCode code;
  } kCases[] = {
      {"success", "{}", StatusCode::kOk},
      {"error", R"({"error":{"code":"aborted","message":"m"}})", StatusCode::kAborted},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(Envelope(0, "ab") + Envelope(kEnd, c.payload), [&](const Pieces& pieces) {
      StreamingCall call({});
      const CallLog log = Play(call, {.headers = GoodHeaders(),
                                      .body = pieces,
                                      .failure = absl::UnavailableError("connection lost")});
      EXPECT_THAT(log.messages, ElementsAre("ab"));
      EXPECT_THAT(log.end(), StatusIs(c.code));

      StreamingCall late({});
      late.OnHeaders(200, GoodHeaders());
      for (std::string_view piece : pieces) late.OnBody(piece);
      late.Fail(absl::UnavailableError("connection lost"));
      CallLog late_log;
      Drain(late, late_log);
      EXPECT_THAT(late_log.messages, ElementsAre("ab"));
      EXPECT_THAT(late_log.end(), StatusIs(c.code));
    });
  }
}

TEST(StreamingCall, EndsOnlyWhenHttpDoesButShowsThatItSawTheEnd) {
  StreamingCall call({});
  CallLog log;
  call.OnHeaders(200, GoodHeaders());
  call.OnBody(Envelope(0, "ab"));
  Drain(call, log);
  EXPECT_FALSE(call.saw_end());
  call.OnBody(Envelope(kEnd, "{}"));
  Drain(call, log);
  EXPECT_TRUE(call.saw_end());
  EXPECT_THAT(log.order, ElementsAre("head", "message"));
  call.OnEnd({{"http", "trailer"}});
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
  EXPECT_THAT(log.end(), IsOk());
  EXPECT_TRUE(log.trailers.empty());
  EXPECT_TRUE(call.saw_end());
}

TEST(StreamingCall, CountsEachEnvelopeAsWaitingOnceItIsComplete) {
  const std::string messages = Envelope(0, "ab") + Envelope(0, "") + Envelope(0, "cdefg");
  ForEachSplit(messages, [&](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces);
    EXPECT_EQ(log.waiting_bytes, messages.size());
    EXPECT_EQ(log.message_credit, messages.size());
  });
  // The end-stream envelope waits too, but no message has its bytes.
  const std::string end = Envelope(kEnd, R"({"metadata":{"x":["1"]}})");
  ForEachSplit(messages + end, [&](const Pieces& pieces) {
    const CallLog log = PlayBody(pieces);
    EXPECT_EQ(log.waiting_bytes, messages.size() + end.size());
    EXPECT_EQ(log.message_credit, messages.size());
  });
  // A message that is cut waits for nobody.
  ForEachSplit(std::string_view(messages).substr(0, messages.size() - 1),
               [&](const Pieces& pieces) {
                 const CallLog log = PlayBody(pieces);
                 EXPECT_EQ(log.waiting_bytes, 7u + 5u);
                 EXPECT_EQ(log.message_credit, 7u + 5u);
               });
}

TEST(StreamingCall, SaysThatAMessageWaitsWhenItsLastByteComes) {
  const std::string body = Envelope(0, "abc") + Envelope(0, "") + Envelope(kEnd, "{}");
  for (const bool take_each : {false, true}) {
    SCOPED_TRACE(take_each ? "taken at each byte" : "taken at the end");
    StreamingCall call({});
    CallLog log;
    call.OnHeaders(200, GoodHeaders());
    std::vector<size_t> waiting;
    for (const char byte : body) {
      waiting.push_back(call.OnBody(std::string_view(&byte, 1)));
      if (take_each) Drain(call, log);
    }
    std::vector<size_t> expected(body.size(), 0);
    expected[8 - 1] = 8;
    expected[8 + 5 - 1] = 5;
    expected[8 + 5 + 7 - 1] = 7;
    EXPECT_EQ(waiting, expected);
    call.OnEnd({});
    Drain(call, log);
    EXPECT_THAT(log.messages, ElementsAre("abc", ""));
    EXPECT_EQ(log.message_credit, 8u + 5u);
    EXPECT_THAT(log.end(), IsOk());
  }
}

TEST(StreamingCall, GivesTheCreditOfAMessageWithIt) {
  StreamingCall call({});
  call.OnHeaders(200, GoodHeaders());
  EXPECT_EQ(call.OnBody(Envelope(0, "abc") + Envelope(0, "d")), 8u + 6u);
  std::vector<size_t> credits;
  while (const std::optional<connect::CallEvent> event = call.NextEvent()) {
    if (const auto* message = std::get_if<connect::MessageView>(&*event)) {
      credits.push_back(message->credit);
    }
  }
  EXPECT_THAT(credits, ElementsAre(8u, 6u));
}

TEST(StreamingCall, KeepsNothingOnceItIsOver) {
  StreamingCall call({});
  CallLog log;
  call.OnHeaders(200, GoodHeaders());
  call.Fail(absl::CancelledError("enough"));
  EXPECT_EQ(call.OnBody(Envelope(0, "abc")), 0u);
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "end"));
  EXPECT_EQ(call.OnBody(Envelope(0, "abc")), 0u);
  Drain(call, log);
  EXPECT_THAT(log.order, ElementsAre("head", "end"));
}

}  // namespace
}  // namespace cursorwire::rpc
