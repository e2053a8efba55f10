#include "rpc/end_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/status_matchers.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using connect::Headers;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

TEST(DecodeEndStream, IsASuccessWithoutAnError) {
  const struct {
    const char* name;
    const char* payload;
  } kCases[] = {
      {"empty object", "{}"},
      {"space", " {\n} "},
      {"null error", R"({"error":null})"},
      {"empty metadata", R"({"metadata":{}})"},
      {"null metadata", R"({"metadata":null})"},
      {"unknown members", R"({"code":"out_of_range","message":"oops","x":[]})"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const EndStreamMessage message = DecodeEndStream(c.payload, 200);
    EXPECT_THAT(message.status, IsOk());
    EXPECT_EQ(message.metadata, Headers());
  }
}

TEST(DecodeEndStream, ReadsMetadataWithSeveralAndDuplicateValues) {
  const EndStreamMessage message = DecodeEndStream(
      R"({"metadata":{"one":["1"],"many":["a","b","a"],"Upper":["X"],"none":[],"empty":[""]}})",
      200);
  EXPECT_THAT(message.status, IsOk());
  EXPECT_EQ(message.metadata, (Headers{{"one", "1"},
                                       {"many", "a"},
                                       {"many", "b"},
                                       {"many", "a"},
                                       {"upper", "X"},
                                       {"empty", ""}}));
  EXPECT_THAT(message.metadata.GetAll("many"), ElementsAre("a", "b", "a"));
}

TEST(DecodeEndStream, LeavesMetadataOfWrongShapeOut) {
  const struct {
    const char* name;
    const char* metadata;
    Headers expected;
  } kCases[] = {
      {"string", R"("x")", {}},
      {"array", R"([["a"]])", {}},
      {"number", "5", {}},
      {"value that is no array", R"({"a":"b","c":["d"]})", {{"c", "d"}}},
      {"value of another type in the array", R"({"a":[1,null,["x"],{"y":"z"},"b"]})", {{"a", "b"}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const EndStreamMessage message =
        DecodeEndStream(std::string(R"({"metadata":)") + c.metadata + "}", 200);
    EXPECT_THAT(message.status, IsOk());
    EXPECT_EQ(message.metadata, c.expected);
  }
}

TEST(DecodeEndStream, ReadsAnErrorAndItsMetadata) {
  const EndStreamMessage message = DecodeEndStream(
      R"({"metadata":{"a":["b"]},
          "error":{"code":"resource_exhausted","message":"slow down",
                   "details":[{"type":"a.B","value":"QQ==","debug":{"x":1}},
                              {"type":"c.D","value":"QQ"}]}})",
      200);
  EXPECT_THAT(message.status, StatusIs(StatusCode::kResourceExhausted, "slow down"));
  EXPECT_THAT(connect::GetErrorInfo(message.status),
              Optional(ErrorInfo{.origin = ErrorOrigin::kServer,
                                 .http_status = 200,
                                 .details = {{"a.B", "A", R"({"x":1})"}, {"c.D", "A", ""}}}));
  EXPECT_EQ(message.metadata, (Headers{{"a", "b"}}));
}

TEST(DecodeEndStream, TakesAnErrorWithoutAUsableCodeAsUnknown) {
  const struct {
    const char* name;
    const char* error;
    const char* message;
    const char* unknown_code;
  } kCases[] = {
      {"unknown code", R"({"code":"foobar","message":"oops"})", "oops", "foobar"},
      {"missing code", R"({"message":"oops"})", "oops", ""},
      {"null code", R"({"code":null,"message":"oops"})", "oops", ""},
      {"code of another type", R"({"code":13,"message":"oops"})", "oops", ""},
      {"an OK", R"({"code":"ok","message":"oops"})", "oops", "ok"},
      {"empty error", "{}", "", ""},
      {"string", R"("oops")", "", ""},
      {"array", R"([{"code":"aborted"}])", "", ""},
      {"number", "13", "", ""},
      {"false", "false", "", ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const EndStreamMessage message =
        DecodeEndStream(std::string(R"({"error":)") + c.error + R"(,"metadata":{"a":["b"]}})", 200);
    EXPECT_THAT(message.status, StatusIs(StatusCode::kUnknown, c.message));
    EXPECT_THAT(
        connect::GetErrorInfo(message.status),
        Optional(ErrorInfo{
            .origin = ErrorOrigin::kServer, .http_status = 200, .unknown_code = c.unknown_code}));
    EXPECT_EQ(message.metadata, (Headers{{"a", "b"}}));
  }
}

TEST(DecodeEndStream, KeepsTheErrorBesideDetailsOfWrongShape) {
  for (const char* details : {"null", "{}", R"("x")", "[5]", R"([{"type":"a.B","value":"!"}])"}) {
    SCOPED_TRACE(details);
    const EndStreamMessage message = DecodeEndStream(
        std::string(R"({"error":{"code":"aborted","message":"m","details":)") + details + "}}",
        200);
    EXPECT_THAT(message.status, StatusIs(StatusCode::kAborted, "m"));
    EXPECT_TRUE(connect::GetErrorInfo(message.status)->details.empty());
  }
}

TEST(DecodeEndStream, RefusesWhatIsNoJsonObject) {
  const struct {
    const char* name;
    std::string_view payload;
  } kCases[] = {
      {"nothing", ""},
      {"text", "secret words"},
      {"cut", R"({"error":{"code":"secret words")"},
      {"two objects", "{}{}"},
      {"zero byte after", std::string_view("{}\0", 3)},
      {"single quotes", "{'error':null}"},
      {"trailing comma", R"({"metadata":{},})"},
      {"not UTF-8", "{\"a\":\"\xff\"}"},
      {"array", "[]"},
      {"null", "null"},
      {"string", R"("secret words")"},
      {"number", "0"},
      {"true", "true"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const EndStreamMessage message = DecodeEndStream(c.payload, 200);
    EXPECT_THAT(message.status, StatusIs(StatusCode::kInternal, HasSubstr("end-stream")));
    EXPECT_THAT(message.status, StatusIs(StatusCode::kInternal, Not(HasSubstr("secret"))));
    EXPECT_THAT(message.status, HasOrigin(ErrorOrigin::kProtocol));
    EXPECT_TRUE(message.metadata.empty());
  }
}

TEST(DecodeEndStream, RefusesEveryPrefixOfAMessage) {
  const std::string payload =
      R"({"error":{"code":"aborted","message":"m","details":[]},"metadata":{"a":["b"]}})";
  for (size_t size = 0; size < payload.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_THAT(DecodeEndStream(std::string_view(payload).substr(0, size), 200).status,
                StatusIs(StatusCode::kInternal));
  }
  EXPECT_THAT(DecodeEndStream(payload, 200).status, StatusIs(StatusCode::kAborted));
}

TEST(DecodeEndStream, ReadsOneMiBAndRefusesMore) {
  const struct {
    const char* name;
    std::string json;
    StatusCode code;  // padded to exactly 1 MiB
    Headers metadata;
  } kCases[] = {
      {"success", R"({"metadata":{"a":["b"]}})", StatusCode::kOk, {{"a", "b"}}},
      {"error",
       R"({"error":{"code":"aborted","message":"m"},"metadata":{"a":["b"]}})",
       StatusCode::kAborted,
       {{"a", "b"}}},
      {"no JSON", "secret words", StatusCode::kInternal, {}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (const bool in_front : {false, true}) {
      SCOPED_TRACE(in_front ? "padded in front" : "padded after");
      const std::string padding(size_t{1024} * 1024 - c.json.size(), ' ');
      std::string payload = in_front ? padding + c.json : c.json + padding;
      const EndStreamMessage message = DecodeEndStream(payload, 200);
      EXPECT_THAT(message.status, StatusIs(c.code));
      EXPECT_EQ(message.metadata, c.metadata);

      payload.insert(0, " ");
      const EndStreamMessage refused = DecodeEndStream(payload, 200);
      EXPECT_THAT(refused.status, StatusIs(StatusCode::kResourceExhausted,
                                           AllOf(HasSubstr("end-stream"), HasSubstr("1048577"))));
      EXPECT_THAT(refused.status,
                  StatusIs(StatusCode::kResourceExhausted, Not(HasSubstr("secret"))));
      EXPECT_THAT(refused.status, HasOrigin(ErrorOrigin::kProtocol));
      EXPECT_TRUE(refused.metadata.empty());
    }
  }
}

TEST(DecodeEndStream, RefusesMetadataOverTheLimitCountedWithItsNames) {
  const std::string name(1024, 'n');
  for (const bool failed : {false, true}) {
    SCOPED_TRACE(failed ? "beside an error" : "of a success");
    for (const size_t values : {size_t{256}, size_t{257}}) {
      SCOPED_TRACE(values);
      std::string payload =
          failed ? R"({"error":{"code":"aborted"},"metadata":{")" : R"({"metadata":{")";
      payload += name + R"(":[)";
      for (size_t i = 0; i < values; ++i) payload += i == 0 ? R"("")" : R"(,"")";
      payload += "]}}";
      const EndStreamMessage message = DecodeEndStream(payload, 200);
      const bool over = values == 257;
      EXPECT_EQ(message.metadata.size(), over ? 0 : values);
      if (failed) {
        EXPECT_THAT(message.status, StatusIs(StatusCode::kAborted));  // never hidden
      } else if (over) {
        EXPECT_THAT(message.status, StatusIs(StatusCode::kResourceExhausted,
                                             AllOf(HasSubstr("metadata"), HasSubstr("262144"))));
        EXPECT_THAT(message.status, HasOrigin(ErrorOrigin::kProtocol));
      } else {
        EXPECT_THAT(message.status, IsOk());
      }
    }
  }
}

TEST(DecodeEndStream, RefusesMoreValuesThanJsonMayHave) {
  // Around them are the object, its member and the array.
  for (const size_t values : {size_t{65'533}, size_t{65'534}}) {
    SCOPED_TRACE(values);
    std::string payload = R"({"metadata":{"a":[)";
    for (size_t i = 0; i < values; ++i) payload += i == 0 ? R"("")" : R"(,"")";
    payload += "]}}";
    const EndStreamMessage message = DecodeEndStream(payload, 200);
    if (values == 65'533) {
      EXPECT_THAT(message.status, IsOk());
      EXPECT_EQ(message.metadata.GetAll("a").size(), values);
    } else {
      EXPECT_THAT(message.status, StatusIs(StatusCode::kInternal, HasSubstr("end-stream")));
      EXPECT_THAT(message.status, HasOrigin(ErrorOrigin::kProtocol));
      EXPECT_TRUE(message.metadata.empty());
    }
  }
}

}  // namespace
}  // namespace cursorwire::rpc
