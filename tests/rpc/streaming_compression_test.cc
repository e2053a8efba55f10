// Compression in StreamingCall. Compressed bytes come from an independent encoder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "rpc/compression.h"
#include "rpc/streaming_call.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/for_each_split.h"
#include "support/hex.h"
#include "support/sizes.h"
#include "support/status_matchers.h"
#include "wire/gzip.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::CallOptions;
using connect::Compression;
using connect::ErrorOrigin;
using connect::Headers;
using test::CallLog;
using test::Drain;
using test::Envelope;
using test::ForEachSplit;
using test::FromHex;
using test::HasOrigin;
using test::IsOk;
using test::IsOkAndHolds;
using test::kMiB;
using test::Play;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Pieces = std::vector<std::string_view>;

constexpr uint8_t kCompressed = wire::kEnvelopeCompressed;
constexpr uint8_t kPlainEnd = wire::kEnvelopeEndStream;
constexpr uint8_t kCompressedEnd = kCompressed | kPlainEnd;

// Made by Python's gzip.compress(..., mtime=0).
const std::string kHello =  // "hello, hello, hello"
    FromHex("1f8b0800000000000203 cb48cdc9c9d751c840a200 9fa1ca09 13000000");
const std::string kEndJson =  // {"metadata":{"x":["1"]}}
    FromHex(
        "1f8b0800000000000203 ab56ca4d2d494c492c4954b2aa56aa50b28a5632548aadad0500 30603f00 "
        "18000000");

Headers GzipHeaders() {
  return {{":status", "200"},
          {"content-type", "application/connect+proto"},
          {"connect-content-encoding", "gzip"}};
}

CallLog PlayCompressed(const Pieces& pieces, const CallOptions& options = {},
                       const Headers& headers = GzipHeaders()) {
  StreamingCall call(options);
  CallLog log;
  call.OnHeaders(200, headers);
  for (const std::string_view piece : pieces) {
    log.waiting_bytes += call.OnBody(piece);
    Drain(call, log);
  }
  call.OnEnd({});
  Drain(call, log);
  return log;
}

TEST(StreamingCompression, IsAnnounced) {
  const struct {
    const char* name;
    CallOptions options;
    Headers headers;
  } kCases[] = {
      {"by default, of what may come", {}, {{"connect-accept-encoding", "gzip"}}},
      {"none", {.accept_compression = Compression::kIdentity}, {}},
      {"of what is sent, whatever its size",
       {.send_compression = Compression::kGzip},
       {{"connect-content-encoding", "gzip"}, {"connect-accept-encoding", "gzip"}}},
      {"of what is sent alone",
       {.send_compression = Compression::kGzip, .accept_compression = Compression::kIdentity},
       {{"connect-content-encoding", "gzip"}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Headers expected = {{"content-type", "application/connect+proto"},
                        {"connect-protocol-version", "1"}};
    for (const connect::Header& header : c.headers) expected.Add(header.name, header.value);
    EXPECT_EQ(StreamingCall(c.options).RequestHeaders(), expected);
  }
}

TEST(StreamingCompression, SendsMessagesOfTheLeastSizeCompressed) {
  StreamingCall call({.send_compression = Compression::kGzip, .compress_min_bytes = 10});
  std::string out;
  ASSERT_THAT(call.Encode("123456789", out), IsOk());
  EXPECT_EQ(out, Envelope(0, "123456789"));
  out.clear();
  ASSERT_THAT(call.Encode("1234567890", out), IsOk());
  ASSERT_GT(out.size(), wire::kEnvelopePrefixBytes);
  const std::string payload = out.substr(wire::kEnvelopePrefixBytes);
  EXPECT_EQ(out, Envelope(kCompressed, payload));
  EXPECT_THAT(wire::Gunzip(payload, 10), IsOkAndHolds("1234567890"));
}

TEST(StreamingCompression, CountsTheSendLimitBeforeIt) {
  StreamingCall call(
      {.send_compression = Compression::kGzip, .compress_min_bytes = 0, .max_send_bytes = 1000});
  std::string out;
  EXPECT_THAT(call.Encode(std::string(1000, 'x'), out), IsOk());
  EXPECT_LT(out.size(), 100u);
  out.clear();
  EXPECT_THAT(call.Encode(std::string(1001, 'x'), out), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(out, "");
}

TEST(StreamingCompression, IsUndoneAtEverySplit) {
  const std::string body = Envelope(kCompressed, kHello) + Envelope(0, "plain") +
                           Envelope(kCompressed, "") + Envelope(kCompressedEnd, kEndJson);
  ForEachSplit(body, [](const Pieces& pieces) {
    const CallLog log = PlayCompressed(pieces);
    EXPECT_THAT(log.order, ElementsAre("head", "message", "message", "message", "end"));
    EXPECT_THAT(log.messages, ElementsAre("hello, hello, hello", "plain", ""));
    EXPECT_THAT(log.end(), IsOk());
    EXPECT_EQ(log.trailers, (Headers{{"x", "1"}}));
  });
}

TEST(StreamingCompression, MayBeNegotiatedAndNotUsed) {
  const std::string body = Envelope(0, "plain") + Envelope(kPlainEnd, "{}");
  ForEachSplit(body, [](const Pieces& pieces) {
    const CallLog log = PlayCompressed(pieces);
    EXPECT_THAT(log.messages, ElementsAre("plain"));
    EXPECT_THAT(log.end(), IsOk());
  });
}

// The flag alone says nothing about how.
TEST(StreamingCompression, NeedsANegotiation) {
  const Headers plain = {{":status", "200"}, {"content-type", "application/connect+proto"}};
  Headers identity = plain;
  identity.Add("connect-content-encoding", "identity");
  Headers of_unary = plain;
  of_unary.Add("content-encoding", "gzip");
  for (const Headers& headers : {plain, identity, of_unary}) {
    for (const std::string& second : {Envelope(kCompressed, kHello), Envelope(kCompressed, ""),
                                      Envelope(kCompressedEnd, kEndJson)}) {
      ForEachSplit(Envelope(0, "ab") + second, [&](const Pieces& pieces) {
        const CallLog log = PlayCompressed(pieces, {}, headers);
        EXPECT_THAT(log.messages, ElementsAre("ab"));
        EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr("negotiated")));
        EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
      });
    }
  }
}

TEST(StreamingCompression, RefusesWhatWasNotOfferedAtTheHeaders) {
  const struct {
    const char* name;
    const char* encoding;
    Compression accepted;
  } kCases[] = {
      {"gzip, and nothing offered", "gzip", Compression::kIdentity},
      {"an unknown one", "br", Compression::kGzip},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    StreamingCall call({.accept_compression = c.accepted});
    const std::string body = Envelope(0, "ab") + Envelope(kPlainEnd, "{}");
    const CallLog log = Play(call, {.headers = {{"content-type", "application/connect+proto"},
                                                {"connect-content-encoding", c.encoding}},
                                    .body = {body}});
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr(c.encoding)));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
  }
}

TEST(StreamingCompression, EndsTheCallWhereItIsBroken) {
  const struct {
    const char* name;
    std::string envelope;
  } kCases[] = {
      {"a message that is not compressed", Envelope(kCompressed, "hello")},
      {"a cut message", Envelope(kCompressed, kHello.substr(0, kHello.size() - 1))},
      {"bytes after a message", Envelope(kCompressed, kHello + "x")},
      {"an end-stream that is not compressed", Envelope(kCompressedEnd, "{}")},
      {"a cut end-stream", Envelope(kCompressedEnd, kEndJson.substr(0, kEndJson.size() - 1))},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(Envelope(0, "ab") + c.envelope + Envelope(0, "cd") + Envelope(kPlainEnd, "{}"),
                 [](const Pieces& pieces) {
                   const CallLog log = PlayCompressed(pieces);
                   EXPECT_THAT(log.messages, ElementsAre("ab"));
                   EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr("gzip")));
                   EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
                 });
  }
}

TEST(StreamingCompression, ReadsAnEmptyEndStreamAsOneThatIsNoJson) {
  const CallLog log = PlayCompressed({Envelope(kCompressedEnd, "")});
  EXPECT_EQ(log.end(), PlayCompressed({Envelope(kPlainEnd, "")}).end());
}

TEST(StreamingCompression, HoldsTheReceiveLimitDecompressed) {
  const CallOptions options = {.max_receive_bytes = 19};
  const std::string end = Envelope(kPlainEnd, "{}");
  const std::string exact = Envelope(kCompressed, kHello) + end;
  ForEachSplit(exact, [&](const Pieces& pieces) {
    const CallLog log = PlayCompressed(pieces, options);
    EXPECT_THAT(log.messages, ElementsAre("hello, hello, hello"));
    EXPECT_THAT(log.end(), IsOk());
  });
  ForEachSplit(exact, [](const Pieces& pieces) {
    const CallLog log = PlayCompressed(pieces, {.max_receive_bytes = 18});
    EXPECT_THAT(log.messages, IsEmpty());
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kResourceExhausted, HasSubstr("18 bytes")));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
  });
}

// What cannot be compressed is a little longer compressed; much longer it is never.
TEST(StreamingCompression, RefusesACompressedLengthFarOverTheLimitOnItsPrefix) {
  constexpr size_t kLimit = 100;
  constexpr size_t kMost = kLimit + CompressionSlack(kLimit);
  const struct {
    const char* name;
    uint8_t flags;
    size_t length;
    Compression accepted;
    bool refused;
  } kCases[] = {
      {"compressed, with the slack", kCompressed, kMost, Compression::kGzip, false},
      {"compressed, one byte more", kCompressed, kMost + 1, Compression::kGzip, true},
      {"not compressed, the limit", 0, kLimit, Compression::kGzip, false},
      {"not compressed, one byte more", 0, kLimit + 1, Compression::kGzip, true},
      {"compressed, where none was offered", kCompressed, kLimit + 1, Compression::kIdentity, true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    StreamingCall call({.accept_compression = c.accepted, .max_receive_bytes = kLimit});
    Headers headers = {{"content-type", "application/connect+proto"}};
    if (c.accepted == Compression::kGzip) headers.Add("connect-content-encoding", "gzip");
    CallLog log;
    call.OnHeaders(200, headers);
    call.OnBody(Envelope(c.flags, std::string(c.length, 'x')).substr(0, 5));
    Drain(call, log);
    EXPECT_EQ(log.ends.size(), c.refused ? 1u : 0u);
    if (c.refused) {
      EXPECT_THAT(log.end(), StatusIs(StatusCode::kResourceExhausted));
    }
  }
}

TEST(StreamingCompression, BoundsAnEndStreamDecompressedToo) {
  const std::string json = R"({"error":{"code":"aborted","message":"m"}})";
  const std::string exact = json + std::string(kMiB - json.size(), ' ');
  EXPECT_THAT(PlayCompressed({Envelope(kCompressedEnd, wire::Gzip(exact))}).end(),
              StatusIs(StatusCode::kAborted, "m"));
  const CallLog over = PlayCompressed({Envelope(kCompressedEnd, wire::Gzip(exact + " "))});
  EXPECT_THAT(over.end(), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(over.end(), HasOrigin(ErrorOrigin::kProtocol));
}

// Credit stands for memory: of a message that grew, for what it has grown to.
TEST(StreamingCompression, GivesTheSizeOfAGrownMessageAsCredit) {
  const struct {
    const char* name;
    std::string envelope;
    size_t credit;
    size_t growth;
  } kCases[] = {
      {"not compressed", Envelope(0, "abc"), 8, 0},
      {"larger compressed than not", Envelope(kCompressed, kHello), 5 + kHello.size(), 0},
      {"no bytes", Envelope(kCompressed, ""), 5, 0},
      {"100000 zeros", Envelope(kCompressed, wire::Gzip(std::string(100'000, '\0'))), 100'000,
       100'000 - 5 - wire::Gzip(std::string(100'000, '\0')).size()},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    StreamingCall call({});
    CallLog log;
    call.OnHeaders(200, GzipHeaders());
    EXPECT_EQ(call.OnBody(c.envelope), c.envelope.size());
    Drain(call, log);
    EXPECT_EQ(log.message_credit, c.credit);
    EXPECT_EQ(call.get_growth(), c.growth);
    // The growth is that of the last message, not of one before.
    call.OnBody(Envelope(0, "next"));
    Drain(call, log);
    EXPECT_EQ(call.get_growth(), 0u);
  }
}

TEST(StreamingCall, AbandonDropsWhatWaitsAndEndsOnce) {
  const struct {
    const char* name;
    std::string behind;
    bool http_ended;
  } kCases[] = {
      {"more messages", Envelope(0, "b"), false},
      {"the end-stream", Envelope(kPlainEnd, "{}"), false},
      {"the whole response", Envelope(kPlainEnd, "{}"), true},
      {"a broken end", std::string("\x80\0\0\0\0", 5), true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    StreamingCall call({});
    CallLog log;
    call.OnHeaders(200, GzipHeaders());
    call.OnBody(Envelope(0, "a") + c.behind);
    if (c.http_ended) call.OnEnd({});
    call.NextEvent();  // the head
    call.NextEvent();  // the first message
    call.Abandon(absl::CancelledError("enough"));
    Drain(call, log);
    EXPECT_THAT(log.order, ElementsAre("end"));
    EXPECT_EQ(log.end(), absl::CancelledError("enough"));
    EXPECT_EQ(call.OnBody(Envelope(0, "late")), 0u);
    call.Fail(absl::UnavailableError("late"));
    call.Abandon(absl::UnavailableError("late"));
    call.OnEnd({});
    Drain(call, log);
    EXPECT_THAT(log.order, ElementsAre("end"));
  }
}

}  // namespace
}  // namespace cursorwire::rpc
