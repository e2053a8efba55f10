#include "upstream/server/request_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "agent/run/request_headers.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/run.h"

namespace cursorwire::upstream {
namespace {

using connect::Headers;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kId[] = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d";

// docs/protocol.md, request headers.
Headers Good() {
  return {{":method", "POST"},
          {":scheme", "https"},
          {":authority", "localhost:1"},
          {":path", "/agent.v1.AgentService/Run"},
          {"content-type", "application/connect+proto"},
          {"connect-protocol-version", "1"},
          {"te", "trailers"},
          {"authorization", "Bearer secret"},
          {"x-ghost-mode", "true"},
          {"x-cursor-client-version", "cli-2026.05.01-eea359f"},
          {"x-cursor-client-type", "cli"},
          {"x-request-id", kId}};
}

TEST(CheckRunRequest, AcceptsTheHeadersOfTheProtocol) {
  EXPECT_FALSE(CheckRunRequest(Good()).has_value());
}

TEST(CheckRunRequest, AcceptsWhatTheProtocolLeavesOpen) {
  struct Case {
    const char* name;
    const char* value;
  };
  const Case cases[] = {{"x-ghost-mode", "false"},
                        {"x-cursor-client-version", "cli-2026.01.09-231024f"},
                        {"x-request-id", "ffffffff-ffff-4fff-bfff-ffffffffffff"},
                        {"user-agent", "cursorwire"},
                        {"traceparent", "00"},
                        {"authorization", "Bearer x"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Headers headers = Good();
    headers.Set(c.name, c.value);
    EXPECT_FALSE(CheckRunRequest(headers).has_value());
  }
}

TEST(CheckRunRequest, AcceptsTheHeadersOfTheClient) {
  Headers headers = {{":method", "POST"},
                     {":path", "/agent.v1.AgentService/Run"},
                     {"content-type", "application/connect+proto"},
                     {"connect-protocol-version", "1"}};
  for (const connect::Header& header : agent::RequestHeaders({.token = "t"}, kId)) {
    headers.Add(header.name, header.value);
  }
  EXPECT_FALSE(CheckRunRequest(headers).has_value());
}

TEST(CheckRunRequest, RefusesEachHeaderThatIsMissing) {
  struct Case {
    const char* name;
    int http_status;
    const char* code;
  };
  const Case cases[] = {{":method", 400, "invalid_argument"},
                        {":path", 404, "unimplemented"},
                        {"content-type", 400, "invalid_argument"},
                        {"connect-protocol-version", 400, "invalid_argument"},
                        {"te", 400, "invalid_argument"},
                        {"authorization", 401, "unauthenticated"},
                        {"x-ghost-mode", 400, "invalid_argument"},
                        {"x-cursor-client-version", 400, "invalid_argument"},
                        {"x-cursor-client-type", 400, "invalid_argument"},
                        {"x-request-id", 400, "invalid_argument"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Headers headers = Good();
    headers.Remove(c.name);
    const std::optional<Refusal> refusal = CheckRunRequest(headers);
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->http_status, c.http_status);
    EXPECT_EQ(refusal->code, c.code);
    if (c.http_status == 400) {
      EXPECT_THAT(refusal->message, HasSubstr(c.name));
    }
  }
}

TEST(CheckRunRequest, RefusesEachHeaderThatIsWrong) {
  struct Case {
    const char* name;
    const char* value;
    int http_status = 400;
  };
  const Case cases[] = {
      {":method", "GET"},
      {":method", "post"},
      {":path", "/agent.v1.AgentService/RunSSE", 404},
      {":path", "/agent.v1.AgentService/Run/", 404},
      {":path", "/agent.v1.AgentService/Run?a=b", 404},
      {"content-type", "application/proto"},
      {"content-type", "application/connect+json"},
      {"content-type", "application/connect+proto; charset=utf-8"},
      {"connect-protocol-version", "2"},
      {"te", "gzip"},
      {"authorization", "Bearer ", 401},
      {"authorization", "bearer secret", 401},
      {"authorization", "secret", 401},
      {"authorization", "Basic c2VjcmV0", 401},
      {"x-ghost-mode", "1"},
      {"x-ghost-mode", "True"},
      {"x-cursor-client-type", "ide"},
      {"x-cursor-client-version", "2026.05.01-eea359f"},
      {"x-cursor-client-version", "cli-2026.5.1-eea359f"},
      {"x-cursor-client-version", "cli-2026.05.01-eea359"},
      {"x-cursor-client-version", "cli-2026.05.01-eea359g"},
      {"x-cursor-client-version", "cli-2026.05.01-EEA359F"},
      {"x-cursor-client-version", "cli-2026.05.01-eea359f "},
      {"x-request-id", "1"},
      {"x-request-id", "0b3c0d35-6f1b-1b0a-9a3e-1d2f3a4b5c6d"},  // version 1
      {"x-request-id", "0b3c0d35-6f1b-4b0a-7a3e-1d2f3a4b5c6d"},  // another variant
      {"x-request-id", "0b3c0d356f1b4b0a9a3e1d2f3a4b5c6d"},
      {"x-request-id", "0B3C0D35-6F1B-4B0A-9A3E-1D2F3A4B5C6D"},
      {"x-request-id", "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6g"},
      {"x-cursor-checksum", "abc"},
      {"x-cursor-checksum", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.name) + ": " + c.value);
    Headers headers = Good();
    headers.Set(c.name, c.value);
    const std::optional<Refusal> refusal = CheckRunRequest(headers);
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->http_status, c.http_status);
    if (c.http_status == 400) {
      EXPECT_THAT(refusal->message, HasSubstr(c.name));
    }
    if (c.http_status == 401) {
      EXPECT_EQ(refusal->code, "unauthenticated");
    }
  }
}

TEST(CheckUnaryRequest, DiffersInTheContentTypeAlone) {
  Headers headers = Good();
  EXPECT_TRUE(CheckUnaryRequest(headers).has_value());
  headers.Set("content-type", "application/proto");
  headers.Set(":path", "/agent.v1.AgentService/GetUsableModels");
  EXPECT_FALSE(CheckUnaryRequest(headers).has_value());
  for (const char* name :
       {":method", "connect-protocol-version", "te", "authorization", "x-ghost-mode",
        "x-cursor-client-version", "x-cursor-client-type", "x-request-id"}) {
    SCOPED_TRACE(name);
    Headers without = headers;
    without.Remove(name);
    EXPECT_TRUE(CheckUnaryRequest(without).has_value());
  }
}

TEST(CheckRunRequest, QuotesAValueWithinBoundsAndNeverAToken) {
  Headers headers = Good();
  headers.Set("te", "\x1B[31m" + std::string(1000, 'x'));
  std::optional<Refusal> refusal = CheckRunRequest(headers);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_LT(refusal->message.size(), 200u);
  EXPECT_THAT(refusal->message, Not(HasSubstr("\x1B")));

  headers = Good();
  headers.Set("authorization", "bearer secret");
  refusal = CheckRunRequest(headers);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_THAT(refusal->message, AllOf(HasSubstr("authorization"), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace cursorwire::upstream
