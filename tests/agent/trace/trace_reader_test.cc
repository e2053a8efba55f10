#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "agent/trace/trace_line.h"
#include "base/error.h"
#include "cursorwire/trace_content.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

using std::chrono::microseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TraceCall SampleCall() {
  connect::ErrorInfo info{.origin = connect::ErrorOrigin::kServer,
                          .replay_safe = true,
                          .http_status = 200,
                          .http2_code = 7,
                          .unknown_code = "odd"};
  info.details = {{.type = "a.B", .value = std::string("\0v", 2), .debug_json = "{\"a\":1}"},
                  {.type = "a.C", .value = "", .debug_json = ""}};
  return {.number = 1,
          .path = "/a.B/C",
          .kind = connect::CallKind::kUnary,
          .start_unix_us = 1'764'000'000'123'456,
          .headers = {{"a", "1"}, {"a", "\"2\"\n"}},
          .head = TraceHead{.at = microseconds(30), .http_status = 200, .headers = {{"b", ""}}},
          .messages = {{.at = microseconds(10),
                        .from = TraceSide::kClient,
                        .size = 3,
                        .bytes = std::string("\0\xFFx", 3)},
                       {.at = microseconds(40),
                        .from = TraceSide::kServer,
                        .size = 900,
                        .bytes = "start",
                        .is_cut = true}},
          .end = TraceEnd{.at = microseconds(50),
                          .status = MakeError(absl::StatusCode::kAborted, "no", info),
                          .trailers = {{"t", "v"}}}};
}

std::string LinesOf(const TraceCall& call) {
  std::string lines = TraceLineOf(call);
  if (call.head) lines += TraceLineOf(call.number, *call.head);
  for (const TraceMessage& message : call.messages) lines += TraceLineOf(call.number, message);
  if (call.end) lines += TraceLineOf(call.number, *call.end);
  return lines;
}

std::string SampleText() {
  TraceCall second = SampleCall();
  second.number = 2;
  second.head.reset();
  second.end = TraceEnd{.at = microseconds(1), .status = absl::OkStatus(), .trailers = {}};
  return TraceFirstLine(5) + LinesOf(SampleCall()) + LinesOf(second);
}

TEST(ParseTrace, ReadsWhatWasWritten) {
  const auto content = ParseTrace(SampleText());
  ASSERT_THAT(content, IsOk());
  EXPECT_FALSE(content->is_cut);
  ASSERT_THAT(content->calls, SizeIs(2));
  EXPECT_EQ(content->calls[0], SampleCall());
  EXPECT_FALSE(content->calls[1].head.has_value());
  EXPECT_THAT(content->calls[1].end->status, IsOk());
}

TEST(ParseTrace, OpenAndContinuedCallsAreRead) {
  TraceCall call = SampleCall();
  call.end.reset();
  call.headers = {};
  call.is_continued = true;
  const auto content = ParseTrace(TraceFirstLine(5) + LinesOf(call));
  ASSERT_THAT(content, IsOk());
  EXPECT_EQ(content->calls, std::vector<TraceCall>{call});
}

TEST(ParseTrace, ACutFileHasItsWholeLines) {
  const std::string text = SampleText();
  const size_t first_line = TraceFirstLine(5).size();
  for (size_t size = 0; size < text.size(); ++size) {
    SCOPED_TRACE(size);
    const auto content = ParseTrace(text.substr(0, size));
    if (size < first_line) {
      EXPECT_THAT(content, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a trace")));
      continue;
    }
    ASSERT_THAT(content, IsOk());
    EXPECT_EQ(content->is_cut, text[size - 1] != '\n');
  }
}

TEST(ParseTrace, FilesOfOneTraceAreJoined) {
  TraceCall call = SampleCall();
  call.end.reset();
  TraceCall continued = SampleCall();
  continued.is_continued = true;
  continued.head.reset();
  const auto content =
      ParseTrace(TraceFirstLine(5) + LinesOf(call) + TraceFirstLine(5) + LinesOf(continued));
  ASSERT_THAT(content, IsOk());
  ASSERT_THAT(content->calls, SizeIs(1));
  EXPECT_FALSE(content->calls[0].is_continued);
  EXPECT_THAT(content->calls[0].messages, SizeIs(4));
  EXPECT_TRUE(content->calls[0].end.has_value());
}

TEST(ParseTrace, AnotherTraceBehindItHasCallsOfItsOwn) {
  TraceCall call = SampleCall();
  call.end.reset();
  const auto content =
      ParseTrace(TraceFirstLine(5) + LinesOf(call) + TraceFirstLine(6) + LinesOf(SampleCall()));
  ASSERT_THAT(content, IsOk());
  EXPECT_THAT(content->calls, SizeIs(2));
}

TEST(ParseTrace, WhatANewerLibraryAddsIsIgnored) {
  const auto content = ParseTrace(
      "{\"cursorwire_trace\":1,\"start_unix_us\":1,\"more\":true}\n"
      "{\"type\":\"weather\",\"call\":\"sunny\"}\n"
      "{\"type\":\"request\",\"call\":1,\"start_unix_us\":1,\"path\":\"/a\",\"kind\":\"raw\","
      "\"headers\":[],\"more\":{}}\n");
  ASSERT_THAT(content, IsOk());
  EXPECT_THAT(content->calls, SizeIs(1));
}

TEST(ParseTrace, SaysWhatIsWrong) {
  const std::string first = TraceFirstLine(5);
  TraceCall call = SampleCall();
  call.end.reset();
  call.messages.clear();
  const std::string begun = first + LinesOf(call);
  using Code = absl::StatusCode;
  const struct {
    const char* name;
    std::string text;
    const char* what;
    Code code = Code::kDataLoss;
  } cases[] = {
      {"empty", "", "not a trace"},
      {"no JSON", "hello\n", "line 1: JSON"},
      {"no object", "[]\n", "line 1: not a JSON object"},
      {"another object", "{\"a\":1}\n", "line 1: this is not a trace"},
      {"bad version", "{\"cursorwire_trace\":\"1\",\"start_unix_us\":1}\n", "\"cursorwire_trace\""},
      {"newer", "{\"cursorwire_trace\":2,\"start_unix_us\":1}\n", "version 2",
       Code::kUnimplemented},
      {"no start", "{\"cursorwire_trace\":1}\n", "\"start_unix_us\" must be a whole number"},
      {"no type", first + "{}\n", "line 2: \"type\" must be a string"},
      {"no number", first + "{\"type\":\"end\"}\n", "\"call\" must be a whole number"},
      {"a negative number", first + "{\"type\":\"end\",\"call\":-1}\n", "\"call\""},
      {"a broken number", first + "{\"type\":\"end\",\"call\":1.5}\n", "\"call\""},
      {"a call that did not begin", first + TraceLineOf(7, TraceHead()), "call 7 did not begin"},
      {"a second start", begun + LinesOf(call), "line 4: call 1 begins a second time"},
      {"a second head", begun + TraceLineOf(1, TraceHead()), "call 1 has a second head"},
      {"after the end", begun + TraceLineOf(1, TraceEnd()) + TraceLineOf(1, TraceEnd()),
       "has ended"},
      {"bad kind",
       first +
           "{\"type\":\"request\",\"call\":1,\"start_unix_us\":1,\"path\":\"/a\",\"kind\":\"x\","
           "\"headers\":[]}\n",
       "\"kind\" must be a word such as streaming"},
      {"bad headers",
       first +
           "{\"type\":\"request\",\"call\":1,\"start_unix_us\":1,\"path\":\"/a\",\"kind\":\"raw\","
           "\"headers\":[[\"a\"]]}\n",
       "\"headers\" must be a list of pairs"},
      {"bad base64",
       begun + "{\"type\":\"message\",\"call\":1,\"us\":1,\"from\":\"client\",\"bytes\":1,"
               "\"data\":\"*\"}\n",
       "\"data\" must be base64"},
      {"lengths that differ",
       begun + "{\"type\":\"message\",\"call\":1,\"us\":1,\"from\":\"client\",\"bytes\":9,"
               "\"data\":\"YQ==\"}\n",
       "do not agree"},
      {"a cut that is none",
       begun + "{\"type\":\"message\",\"call\":1,\"us\":1,\"from\":\"client\",\"bytes\":1,"
               "\"cut\":true,\"data\":\"YQ==\"}\n",
       "do not agree"},
      {"bad code",
       begun + "{\"type\":\"end\",\"call\":1,\"us\":1,\"code\":\"x\",\"message\":\"\"}\n",
       "\"code\" must be ok or a code"},
      {"bad details",
       begun + "{\"type\":\"end\",\"call\":1,\"us\":1,\"code\":\"unknown\",\"message\":\"\","
               "\"origin\":\"server\",\"details\":[1]}\n",
       "\"details\" must be"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ParseTrace(c.text), StatusIs(c.code, HasSubstr(c.what)));
  }
}

}  // namespace
}  // namespace cursorwire::agent
