#include "rpc/protocol_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/call_log.h"
#include "support/status_matchers.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::CallKind;
using test::CallLog;
using test::Drain;
using test::Envelope;
using ::testing::ElementsAre;

enum class Step { kHeaders, kBody, kEnd, kFail, kFailAgain };

const struct KindCase {
  const char* name;
  CallKind kind;
  const char* content_type;
  std::string body;
} kKinds[] = {
    {"streaming", CallKind::kStreaming, "application/connect+proto",
     Envelope(0, "abc") + Envelope(wire::kEnvelopeEndStream, "{}")},
    {"streaming without end-stream", CallKind::kStreaming, "application/connect+proto",
     Envelope(0, "abc")},
    {"unary", CallKind::kUnary, "application/proto", "abc"},
    {"raw", CallKind::kRaw, "text/html", "abc"},
};

enum class Draining { kAfterEachStep, kAtTheEnd };

CallLog RunSteps(const KindCase& kind, const std::vector<Step>& steps, Draining draining) {
  const std::unique_ptr<ProtocolCall> call = MakeProtocolCall({.path = "/a/B", .kind = kind.kind});
  CallLog log;
  for (const Step step : steps) {
    switch (step) {
      case Step::kHeaders:
        call->OnHeaders(200, {{"content-type", kind.content_type}});
        break;
      case Step::kBody:
        log.waiting_bytes += call->OnBody(kind.body);
        break;
      case Step::kEnd:
        call->OnEnd({});
        break;
      case Step::kFail:
        call->Fail(absl::UnavailableError("lost"));
        break;
      case Step::kFailAgain:
        call->Fail(absl::AbortedError("again"));
        break;
    }
    if (draining == Draining::kAfterEachStep) Drain(*call, log);
  }
  Drain(*call, log);
  return log;
}

TEST(MakeProtocolCall, MakesTheKindOfTheRequestWithItsOptions) {
  const struct {
    const char* name;
    CallKind kind;
    std::string wire;
    connect::Headers headers;
  } kCases[] = {
      {"streaming",
       CallKind::kStreaming,
       Envelope(0, "abc"),
       {{"content-type", "application/connect+json"},
        {"connect-protocol-version", "1"},
        {"connect-accept-encoding", "gzip"}}},
      {"unary",
       CallKind::kUnary,
       "abc",
       {{"content-type", "application/json"},
        {"connect-protocol-version", "1"},
        {"accept-encoding", "gzip"}}},
      {"raw", CallKind::kRaw, "abc", {}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::unique_ptr<ProtocolCall> call = MakeProtocolCall(
        {.path = "/a/B", .kind = c.kind, .options = {.codec = connect::Codec::kJson}});
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->RequestHeaders(), c.headers);
    std::string out;
    ASSERT_TRUE(call->Encode("abc", out).ok());
    EXPECT_EQ(out, c.wire);
  }
}

TEST(MakeProtocolCall, BoundsWhatAnyKindSends) {
  for (const KindCase& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const std::unique_ptr<ProtocolCall> call =
        MakeProtocolCall({.path = "/a/B", .kind = kind.kind, .options = {.max_send_bytes = 3}});
    std::string out;
    EXPECT_EQ(call->Encode("abcd", out).code(), StatusCode::kResourceExhausted);
    EXPECT_EQ(out, "");
    EXPECT_TRUE(call->Encode("abc", out).ok());
  }
}

TEST(ProtocolCall, EndsExactlyOnceInWhateverOrder) {
  const struct {
    const char* name;
    std::vector<Step> steps;
  } kCases[] = {
      {"end", {Step::kHeaders, Step::kBody, Step::kEnd}},
      {"end twice", {Step::kHeaders, Step::kBody, Step::kEnd, Step::kEnd}},
      {"end, failure", {Step::kHeaders, Step::kBody, Step::kEnd, Step::kFail}},
      {"failure, end", {Step::kHeaders, Step::kBody, Step::kFail, Step::kEnd}},
      {"failure twice", {Step::kHeaders, Step::kBody, Step::kFail, Step::kFailAgain}},
      {"failure, body, end", {Step::kHeaders, Step::kFail, Step::kBody, Step::kEnd}},
      {"end without body", {Step::kHeaders, Step::kEnd}},
      {"failure before any header", {Step::kFail}},
      {"failure before any header, twice", {Step::kFail, Step::kFailAgain}},
      {"failure before any header, end", {Step::kFail, Step::kEnd}},
  };
  for (const KindCase& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    for (const auto& c : kCases) {
      SCOPED_TRACE(c.name);
      for (const Draining draining : {Draining::kAfterEachStep, Draining::kAtTheEnd}) {
        SCOPED_TRACE(draining == Draining::kAtTheEnd ? "taken at the end" : "taken at each step");
        const CallLog log = RunSteps(kind, c.steps, draining);
        EXPECT_EQ(log.ends.size(), 1u);
        EXPECT_EQ(log.order.back(), "end");
        EXPECT_LE(log.messages.size(), 1u);
        EXPECT_LE(log.message_credit, log.waiting_bytes);
      }
    }
  }
}

TEST(ProtocolCall, EndsWithTheFirstFailure) {
  for (const KindCase& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    for (const Draining draining : {Draining::kAfterEachStep, Draining::kAtTheEnd}) {
      const CallLog before_headers = RunSteps(kind, {Step::kFail, Step::kFailAgain}, draining);
      EXPECT_THAT(before_headers.order, ElementsAre("end"));
      EXPECT_EQ(before_headers.end(), absl::UnavailableError("lost"));

      const CallLog behind_headers =
          RunSteps(kind, {Step::kHeaders, Step::kFail, Step::kFailAgain}, draining);
      EXPECT_THAT(behind_headers.order, ElementsAre("head", "end"));
      EXPECT_EQ(behind_headers.end(), absl::UnavailableError("lost"));

      const CallLog and_end = RunSteps(kind, {Step::kHeaders, Step::kFail, Step::kEnd}, draining);
      EXPECT_THAT(and_end.order, ElementsAre("head", "end"));
      EXPECT_EQ(and_end.end(), absl::UnavailableError("lost"));
    }
  }
}

TEST(ProtocolCall, KeepsAnEndThatCameBeforeAFailure) {
  for (const KindCase& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    for (const Draining draining : {Draining::kAfterEachStep, Draining::kAtTheEnd}) {
      const absl::Status end =
          RunSteps(kind, {Step::kHeaders, Step::kBody, Step::kEnd}, draining).end();
      const CallLog log =
          RunSteps(kind, {Step::kHeaders, Step::kBody, Step::kEnd, Step::kFail}, draining);
      EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
      EXPECT_THAT(log.messages, ElementsAre("abc"));
      EXPECT_EQ(log.waiting_bytes, kind.kind == CallKind::kUnary ? 0u : kind.body.size());
      EXPECT_EQ(log.end(), end);
      EXPECT_NE(log.end().code(), StatusCode::kUnavailable);
    }
  }
}

}  // namespace
}  // namespace cursorwire::rpc
