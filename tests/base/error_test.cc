#include "base/error.h"

#include <absl/strings/cord.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using connect::ErrorDetail;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using connect::GetErrorInfo;
using connect::SetErrorInfo;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(ErrorInfo, SurvivesTheWayThroughAStatus) {
  const std::string all_bytes = [] {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    return bytes;
  }();
  const struct {
    const char* name;
    ErrorInfo info;
  } kCases[] = {
      {"default", {}},
      {"server", {.origin = ErrorOrigin::kServer}},
      {"transport", {.origin = ErrorOrigin::kTransport}},
      {"protocol", {.origin = ErrorOrigin::kProtocol}},
      {"local", {.origin = ErrorOrigin::kLocal}},
      {"replay safe", {.origin = ErrorOrigin::kTransport, .replay_safe = true}},
      {"http status", {.origin = ErrorOrigin::kServer, .http_status = 503}},
      {"http2 code zero", {.http2_code = 0u}},
      {"http2 code largest", {.http2_code = 0xFFFFFFFFu}},
      {"unknown code", {.unknown_code = "teapot"}},
      {"unknown code of separators", {.unknown_code = "a b=c,d detail=x,y,z\n"}},
      {"unknown code of any bytes", {.unknown_code = all_bytes}},
      {"empty detail", {.details = {{"", "", ""}}}},
      {"details in order",
       {.details = {{"a.B", all_bytes, "{\"x\": [1, 2]}"}, {"c.D", "", ""}, {"", "v", "="}}}},
      {"metadata in order",
       {.metadata = {{":status", "200"}, {"x", "a,b =c"}, {"x", ""}, {"y", all_bytes}}}},
      {"everything",
       {.origin = ErrorOrigin::kServer,
        .replay_safe = true,
        .http_status = 429,
        .http2_code = 11u,
        .unknown_code = "x",
        .details = {{"a.B", "v", "null"}},
        .metadata = {{"x", "1"}}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    absl::Status status(absl::StatusCode::kAborted, "text");
    SetErrorInfo(status, c.info);
    EXPECT_THAT(GetErrorInfo(status), Optional(c.info));
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kAborted, "text"));
  }
}

TEST(ErrorInfo, IsAbsentFromOkAndForeignStatuses) {
  EXPECT_EQ(GetErrorInfo(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(GetErrorInfo(absl::AbortedError("foreign")), std::nullopt);
  absl::Status other = absl::AbortedError("foreign");
  other.SetPayload("someone/else", absl::Cord("origin=server"));
  EXPECT_EQ(GetErrorInfo(other), std::nullopt);
}

TEST(ErrorInfo, IsNotAttachedToOk) {
  absl::Status status;
  SetErrorInfo(status, {.http_status = 500});
  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(GetErrorInfo(status), std::nullopt);
}

TEST(ErrorInfo, ReplacesTheOneThatIsThere) {
  absl::Status status = absl::AbortedError("text");
  SetErrorInfo(status, {.replay_safe = true, .http_status = 500, .details = {{"a", "b", "c"}}});
  const ErrorInfo second = {.origin = ErrorOrigin::kServer, .unknown_code = "x"};
  SetErrorInfo(status, second);
  EXPECT_THAT(GetErrorInfo(status), Optional(second));
}

TEST(ErrorInfo, IsReadableInAPrintedStatus) {
  const absl::Status status =
      MakeError(absl::StatusCode::kUnavailable, "gone",
                {.origin = ErrorOrigin::kTransport, .replay_safe = true, .http2_code = 7u});
  EXPECT_THAT(status.ToString(), AllOf(HasSubstr("gone"), HasSubstr("origin=transport"),
                                       HasSubstr("replay_safe"), HasSubstr("http2_code=7")));
}

TEST(MakeError, CarriesCodeMessageAndInfo) {
  const ErrorInfo info = {.origin = ErrorOrigin::kServer, .http_status = 404};
  // A view that is not the whole of its string.
  const std::string_view message = std::string_view("no such thing at all").substr(0, 13);
  const absl::Status status = MakeError(absl::StatusCode::kNotFound, message, info);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kNotFound, "no such thing"));
  EXPECT_THAT(GetErrorInfo(status), Optional(info));
}

TEST(ProtocolError, IsInternalAndFromTheProtocol) {
  const absl::Status status = ProtocolError("broken");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal, "broken"));
  EXPECT_THAT(GetErrorInfo(status), Optional(ErrorInfo{.origin = ErrorOrigin::kProtocol}));
}

TEST(TransportError, SaysWhetherReplayIsSafe) {
  const absl::Status safe = TransportError("refused", Replay::kSafe);
  EXPECT_THAT(safe, StatusIs(absl::StatusCode::kUnavailable, "refused"));
  EXPECT_THAT(GetErrorInfo(safe),
              Optional(ErrorInfo{.origin = ErrorOrigin::kTransport, .replay_safe = true}));
  EXPECT_THAT(GetErrorInfo(TransportError("lost", Replay::kUnsafe)),
              Optional(ErrorInfo{.origin = ErrorOrigin::kTransport, .replay_safe = false}));
}

TEST(LocalError, KeepsTheCode) {
  const absl::Status status = LocalError(absl::StatusCode::kCancelled, "cancelled");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kCancelled, "cancelled"));
  EXPECT_THAT(GetErrorInfo(status), Optional(ErrorInfo{.origin = ErrorOrigin::kLocal}));
}

TEST(Annotate, PutsContextBeforeTheMessageAndKeepsPayloads) {
  const ErrorInfo info = {.origin = ErrorOrigin::kServer,
                          .http_status = 500,
                          .details = {{"a.B", "v", "null"}},
                          .metadata = {{"x", "1"}, {"x", "2"}}};
  absl::Status status = MakeError(absl::StatusCode::kInternal, "message", info);
  status.SetPayload("someone/else", absl::Cord("payload"));
  const absl::Status annotated = Annotate(status, "context");
  EXPECT_THAT(annotated, StatusIs(absl::StatusCode::kInternal, "context: message"));
  EXPECT_THAT(GetErrorInfo(annotated), Optional(info));
  ASSERT_TRUE(annotated.GetPayload("someone/else").has_value());
  EXPECT_EQ(std::string(*annotated.GetPayload("someone/else")), "payload");
}

TEST(Annotate, LeavesOkAlone) { EXPECT_THAT(Annotate(absl::OkStatus(), "context"), IsOk()); }

}  // namespace
}  // namespace cursorwire
