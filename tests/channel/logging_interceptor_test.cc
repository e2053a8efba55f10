#include "cursorwire/connect/interceptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using namespace std::chrono_literals;
using test::IsOk;
using test::Lines;
using test::StatusIs;
using test::TestServer;

LoggingInterceptor::Sink To(Lines& lines) {
  return [&lines](std::string_view line) { lines.Add(std::string(line)); };
}

CallRecord Record(std::string path) {
  const TimePoint start{1s};
  return {.path = std::move(path),
          .start = start,
          .end = start + 12'045us,
          .http_status = 200,
          .sent = {.messages = 1, .bytes = 5},
          .received = {.messages = 2, .bytes = 17}};
}

TEST(LoggingInterceptor, WritesOneLineForACall) {
  struct Case {
    const char* name;
    CallRecord record;
    absl::Status status;
    const char* line;
  };
  const Case cases[] = {
      {"success", Record("/s.S/M"), absl::OkStatus(),
       "/s.S/M ok http=200 12.045ms sent=1/5B received=2/17B"},
      {"error without its text", Record("/s.S/M"), absl::CancelledError("secret"),
       "/s.S/M canceled http=200 12.045ms sent=1/5B received=2/17B"},
      {"no answer",
       {.path = "/x"},
       absl::UnavailableError(""),
       "/x unavailable http=0 0.000ms sent=0/0B received=0/0B"},
      {"query", Record("/s.S/M?token=secret"), absl::OkStatus(),
       "/s.S/M ok http=200 12.045ms sent=1/5B received=2/17B"},
      {"bytes that are not printable",
       {.path = "/a\n\x1b\xc3\xa4"},
       absl::OkStatus(),
       "/a???? ok http=0 0.000ms sent=0/0B received=0/0B"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Lines lines;
    LoggingInterceptor logger(To(lines));
    Headers headers{{"x-mine", "1"}};
    EXPECT_THAT(logger.OnRequest(c.record, headers), IsOk());
    logger.OnHead(c.record, headers);
    logger.OnEnd(c.record, {.status = c.status, .trailers = headers});
    EXPECT_THAT(lines.Get(), ElementsAre(c.line));
  }
}

TEST(LoggingInterceptor, WritesHeadersWithoutSecrets) {
  Lines lines;
  LoggingInterceptor logger(To(lines),
                            {.headers = LogHeaders::kYes, .redacted = {"X-Secret", "x-team-*"}});
  Headers request{{"Authorization", "Bearer SECRET"},
                  {"proxy-authorization", "SECRET"},
                  {"cookie", "SECRET"},
                  {"x-cursor-checksum", "SECRET"},
                  {"x-secret", "SECRET"},
                  {"X-Team-Key", "SECRET"},
                  {"x-secrets", "none"},
                  {"authorizations", "none"}};
  EXPECT_THAT(logger.OnRequest({.path = "/x"}, request), IsOk());
  logger.OnHead({.path = "/x"}, {{":status", "200"}, {"set-cookie", "SECRET"}});
  logger.OnEnd({.path = "/x"}, {.trailers = {{"x-tail", "t"}, {"x-secret", "SECRET"}}});
  EXPECT_THAT(lines.Get(),
              ElementsAre("/x > authorization: (redacted)", "/x > proxy-authorization: (redacted)",
                          "/x > cookie: (redacted)", "/x > x-cursor-checksum: (redacted)",
                          "/x > x-secret: (redacted)", "/x > x-team-key: (redacted)",
                          "/x > x-secrets: none", "/x > authorizations: none", "/x < :status: 200",
                          "/x < set-cookie: (redacted)", "/x < x-tail: t",
                          "/x < x-secret: (redacted)", HasSubstr("/x ok")));
  EXPECT_THAT(lines.Get(), Not(Contains(HasSubstr("SECRET"))));
}

TEST(LoggingInterceptor, WritesNoSecretThatTheServerRepeats) {
  Lines lines;
  LoggingInterceptor logger(To(lines), {.headers = LogHeaders::kYes});
  const CallRecord call{.path = "/x"};
  Headers request{{"authorization", "Bearer tok_SECRET123"},
                  {"cookie", "a=b; session=c0ffeeSECRET"}};
  EXPECT_THAT(logger.OnRequest(call, request), IsOk());
  logger.OnHead(call, {{"www-authenticate", "Bearer error=\"bad tok_SECRET123\""}});
  logger.OnEnd(call, {.trailers = {{"x-session", "c0ffeeSECRET"}}});
  EXPECT_THAT(lines.Get(), ElementsAre("/x > authorization: (redacted)", "/x > cookie: (redacted)",
                                       "/x < www-authenticate: Bearer error=\"bad (redacted)\"",
                                       "/x < x-session: (redacted)", HasSubstr("/x ok")));
}

TEST(LoggingInterceptor, CutsLongValuesAndWritesWhatIsPrintable) {
  Lines lines;
  LoggingInterceptor logger(To(lines), {.headers = LogHeaders::kYes, .max_value_bytes = 4});
  Headers headers{{"x-a", "12345"}, {"x-b", "a\r\nb"}, {"long-name", "1234"}};
  EXPECT_THAT(logger.OnRequest({.path = "/long"}, headers), IsOk());
  EXPECT_THAT(lines.Get(),
              ElementsAre("/lon > x-a: 1234", "/lon > x-b: a??b", "/lon > long: 1234"));
}

TEST(LoggingInterceptor, SeesTheCallsOfAChannel) {
  Lines lines;
  const TestServer server;
  const Channel channel =
      server.Connect({.interceptors = {std::make_shared<LoggingInterceptor>(To(lines))}});
  EXPECT_THAT(channel.Unary("/unary", "hello"), IsOk());
  EXPECT_THAT(channel.Unary("/missing", ""), StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_THAT(
      lines.Get(),
      ElementsAre(
          MatchesRegex(R"(/unary ok http=200 [0-9]+\.[0-9]+ms sent=1/5B received=1/5B)"),
          MatchesRegex(
              R"(/missing unimplemented http=404 [0-9]+\.[0-9]+ms sent=1/0B received=0/0B)")));
}

}  // namespace
}  // namespace cursorwire::connect
