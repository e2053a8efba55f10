#include "origin_check.h"

#include <gtest/gtest.h>

#include "api/api_error.h"

namespace cursor_gateway {
namespace {

int OriginStatus(const HttpFields& fields, const OwnNames& names = {}) {
  const absl::Status status = CheckOrigin({.fields = fields}, names);
  return status.ok() ? 200 : ApiErrorOf(status).status;
}

TEST(CheckOrigin, TakesThisMachineAlone) {
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1:8787", "[::1]", "[::1]:1"}) {
    EXPECT_EQ(OriginStatus({{"Host", host}}), 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "localhost:80x", "", "127.0.0.2", "[::1", "[::1]x"}) {
    EXPECT_EQ(OriginStatus({{"Host", host}}), 403) << host;
  }
  EXPECT_EQ(OriginStatus({}), 400);
  EXPECT_EQ(OriginStatus({{"Host", "localhost"}, {"Host", "localhost"}}), 400);
  EXPECT_EQ(OriginStatus({{"Host", "gateway.example"}}, {.is_loopback = false}), 200);
}

TEST(CheckOrigin, RefusesPagesOfOthers) {
  const auto with = [](const char* name, const char* value) {
    return OriginStatus({{"Host", "localhost:80"}, {name, value}});
  };
  EXPECT_EQ(with("Origin", "http://localhost:80"), 200);
  EXPECT_EQ(with("Origin", "http://localhost:81"), 403);
  EXPECT_EQ(with("Origin", "https://localhost:80"), 200);
  EXPECT_EQ(with("Origin", "https://localhost"), 403);
  EXPECT_EQ(with("Origin", "http://evil.example"), 403);
  EXPECT_EQ(with("Origin", "null"), 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "cross-site"), 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "same-origin"), 200);
}

TEST(CheckOrigin, TakesNamesThatWereAllowed) {
  const OwnNames names{.hosts = {"host.containers.internal", "127.0.0.2", "[fd00::1]"}};
  for (const char* host : {"HOST.containers.internal:8787", "127.0.0.2", "[fd00::1]:80", "::1"}) {
    EXPECT_EQ(OriginStatus({{"Host", host}}, names), *host == ':' ? 403 : 200) << host;
  }
  EXPECT_EQ(OriginStatus({{"Host", "containers.internal"}}, names), 403);
}

TEST(CheckOrigin, TakesThePageBehindAProxy) {
  const OwnNames names{.hosts = {"ai.example"}, .public_origin = "https://ai.example"};
  const auto with = [&](const char* host, const char* origin) {
    return OriginStatus({{"Host", host}, {"Origin", origin}}, names);
  };
  EXPECT_EQ(with("ai.example", "https://ai.example"), 200);
  EXPECT_EQ(with("127.0.0.1:8787", "https://ai.example"), 200);  // a proxy that sets Host
  EXPECT_EQ(with("127.0.0.1:8787", "http://ai.example"), 403);
  EXPECT_EQ(with("127.0.0.1:8787", "https://ai.example:8443"), 403);
}

TEST(CheckOrigin, TakesPagesThatWereAllowed) {
  const OwnNames names{.origins = {"app://notes", "http://localhost:3000"}};
  const auto with = [&](const HttpFields& fields) {
    HttpFields all = {{"Host", "localhost:80"}, {"Sec-Fetch-Site", "cross-site"}};
    all.insert(all.end(), fields.begin(), fields.end());
    return OriginStatus(all, names);
  };
  EXPECT_EQ(with({{"Origin", "app://notes"}}), 200);
  EXPECT_EQ(with({{"Origin", "http://localhost:3000"}}), 200);
  EXPECT_EQ(with({{"Origin", "http://localhost:3001"}}), 403);
  EXPECT_EQ(with({{"Origin", "app://notes"}, {"Origin", "app://notes"}}), 403);
  EXPECT_EQ(with({}), 403);
  EXPECT_EQ(CorsFields({.fields = {{"Origin", "http://localhost"}}}, names).size(), 0U);
  const HttpFields fields = CorsFields({.fields = {{"Origin", "app://notes"}}}, names);
  EXPECT_EQ(fields[0].second, "app://notes");
  // Each family of SDKs reads its own.
  EXPECT_EQ(fields[1].second.find("x-request-id, request-id, "), 0U);
}

TEST(CheckOrigin, TellsWhatPagesMaySend) {
  const OwnNames names{.origins = {"app://notes"}};
  HttpHead head{.method = "OPTIONS",
                .fields = {{"Origin", "app://notes"},
                           {"Access-Control-Request-Method", "POST"},
                           {"Access-Control-Request-Headers",
                            "authorization,X-Stainless-OS, anthropic-beta,cookie,x-other"}}};
  const std::optional<HttpAnswer> answer = PreflightAnswer(head, names, "POST");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 204);
  EXPECT_EQ(answer->fields[0].second, "POST");
  EXPECT_EQ(answer->fields[2].second, "authorization, x-stainless-os, anthropic-beta");
  head.fields[0].second = "app://other";
  EXPECT_FALSE(PreflightAnswer(head, names, "POST"));
}

TEST(CheckOrigin, KnowsNamesAndOrigins) {
  for (const char* name : {"ai.example", "10.0.0.1", "[::1]"}) EXPECT_TRUE(IsHostName(name));
  for (const char* name : {"", "a:80", "*", "*.a", "a/b", "http://a", "[::1]:80", "::1"}) {
    EXPECT_FALSE(IsHostName(name)) << name;
  }
  EXPECT_EQ(HostOfOrigin("https://a.example:8443"), "a.example:8443");
  EXPECT_EQ(HostOfOrigin("app://notes"), "notes");
  for (const char* origin : {"", "*", "null", "a.example", "://a", "https://", "https://a/",
                             "https://a/b", "https://*.a", "https://u@a"}) {
    EXPECT_FALSE(HostOfOrigin(origin)) << origin;
  }
}

}  // namespace
}  // namespace cursor_gateway
