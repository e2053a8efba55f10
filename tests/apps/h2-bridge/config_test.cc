#include "config.h"

#include <gmock/gmock.h>

#include <string>

#include "support/status_matchers.h"

namespace h2_bridge {
namespace {

using cursorwire::test::StatusIs;
using std::chrono::milliseconds;

Config Parse(std::string_view json) {
  auto config = ParseConfig(json);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.value_or(Config());
}

TEST(BridgeConfig, HasDefaults) {
  const Config config = Parse("{}");
  EXPECT_EQ(config.access_token, "");
  EXPECT_EQ(config.url, "https://api2.cursor.sh");
  EXPECT_EQ(config.path, "/agent.v1.AgentService/Run");
  EXPECT_FALSE(config.unary);
  EXPECT_EQ(config.connect_timeout, milliseconds(30'000));
  EXPECT_EQ(config.ping_interval, milliseconds(20'000));
}

TEST(BridgeConfig, TakesEachKeyAndIgnoresOthers) {
  const Config config = Parse(
      R"({"accessToken":"t","url":"http://h","path":"/p","unary":true,"connectTimeoutMs":1,
          "idleTimeoutMs":2,"pingIntervalMs":3,"another":{"deep":[1]}})");
  EXPECT_EQ(config.access_token, "t");
  EXPECT_EQ(config.url, "http://h");
  EXPECT_EQ(config.path, "/p");
  EXPECT_TRUE(config.unary);
  EXPECT_EQ(config.connect_timeout, milliseconds(1));
  EXPECT_EQ(config.idle_timeout, milliseconds(2));
  EXPECT_EQ(config.ping_interval, milliseconds(3));
}

TEST(BridgeConfig, TakesEmptyTextsAndOtherTypesForMissing) {
  for (const char* json : {R"({"url":"","path":""})", R"({"url":null,"path":7})"}) {
    SCOPED_TRACE(json);
    EXPECT_EQ(Parse(json).url, kDefaultUrl);
    EXPECT_EQ(Parse(json).path, kDefaultPath);
  }
  EXPECT_FALSE(Parse(R"({"unary":"yes"})").unary);
}

TEST(BridgeConfig, MissingPersistentIsTheOlderParent) {
  EXPECT_EQ(Parse("{}").lifetime, Lifetime::kResponse);
  EXPECT_EQ(Parse(R"({"persistent":false})").lifetime, Lifetime::kRequest);
  EXPECT_EQ(Parse(R"({"persistent":true})").lifetime, Lifetime::kPersistent);
  EXPECT_EQ(Parse(R"({"persistent":null})").lifetime, Lifetime::kPersistent) << "only false is off";
}

TEST(BridgeConfig, PersistentHasNoMeaningForUnary) {
  for (const char* json : {R"({"unary":true,"persistent":true})",
                           R"({"unary":true,"persistent":false})", R"({"unary":true})"}) {
    SCOPED_TRACE(json);
    EXPECT_EQ(Parse(json).lifetime, Lifetime::kResponse);
  }
}

TEST(BridgeConfig, IdleDefaultDependsOnTheParent) {
  EXPECT_EQ(Parse("{}").idle_timeout, milliseconds(120'000));
  EXPECT_EQ(Parse(R"({"unary":true})").idle_timeout, milliseconds(120'000));
  EXPECT_EQ(Parse(R"({"persistent":true})").idle_timeout, milliseconds(0));
  EXPECT_EQ(Parse(R"({"persistent":false})").idle_timeout, milliseconds(0));
  EXPECT_EQ(Parse(R"({"idleTimeoutMs":0})").idle_timeout, milliseconds(0));
}

TEST(BridgeConfig, TimesHaveTheirRules) {
  const struct {
    const char* value;
    int64_t milliseconds;
  } cases[] = {
      {"0", 0},
      {"1.9", 1},
      {"0.5", 0},
      {"-1", 30'000},
      {"-0.5", 30'000},
      {"null", 30'000},
      {"\"\"", 30'000},
      {"\"x\"", 30'000},
      {"\"250\"", 250},
      {"\"1x\"", 30'000},
      {"true", 30'000},
      {"[]", 30'000},
      {"{}", 30'000},
      {"1e300", 2'147'483'647},
      {"2147483648", 2'147'483'647},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.value);
    const std::string json = std::string(R"({"connectTimeoutMs":)") + c.value + "}";
    EXPECT_EQ(Parse(json).connect_timeout.count(), c.milliseconds);
  }
}

TEST(BridgeConfig, DepthNeedsNoStack) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  for (const char* more : {"1", "1e400"}) {
    SCOPED_TRACE(more);
    EXPECT_EQ(Parse("{\"more\":" + deep + ",\"n\":" + more + R"(,"path":"/p"})").path, "/p");
  }
}

TEST(BridgeConfig, PathBeginsWithASlash) {
  EXPECT_EQ(Parse(R"({"path":"a.B/C"})").path, "/a.B/C");
  EXPECT_EQ(Parse(R"({"path":"/a.B/C"})").path, "/a.B/C");
}

TEST(BridgeConfig, TakesWhatJavaScriptTakes) {
  const struct {
    const char* name;
    std::string member;
  } cases[] = {
      {"a large number", R"("more":1e400)"},
      {"a large negative one", R"("more":[-1e400,1.5e-400])"},
      {"half of a pair", R"("more":"a\ud800b")"},
      {"the other half", R"("more":"\\\udc00\"")"},
      {"a pair", R"("more":"\ud83d\ude00")"},
      {"bytes that are not UTF-8", "\"more\":\"\xff\xc3\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Parse("{" + c.member + R"(,"accessToken":"t","path":"/1e400"})").access_token, "t");
    EXPECT_EQ(Parse("{" + c.member + R"(,"path":"/1e400"})").path, "/1e400");
  }
  EXPECT_EQ(Parse(R"({"accessToken":"a\ud800\u0062"})").access_token,
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(Parse(R"({"connectTimeoutMs":1e400})").connect_timeout.count(), 2'147'483'647);
  for (const char* json : {"{\"a\":1e400", "{\"a\":\"\\ud800", "{\"a\":\"\\", "{1e400}", "\xff"}) {
    SCOPED_TRACE(json);
    EXPECT_FALSE(ParseConfig(json).ok());
  }
}

TEST(BridgeConfig, RefusesWhatIsNoObject) {
  for (const char* json : {"", "{", "[]", "1", "null", "\"{}\"", "{} x"}) {
    SCOPED_TRACE(json);
    EXPECT_THAT(ParseConfig(json), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(BridgeConfig, ErrorsDoNotQuoteTheText) {
  const auto config = ParseConfig(R"({"accessToken":"very-secret-token")");
  EXPECT_EQ(config.status().message().find("secret"), absl::string_view::npos);
}

TEST(BridgeConfig, KnowsTheOpenCommand) {
  ASSERT_TRUE(ParseOpenCommand(R"({"cmd":"open"})").has_value());
  EXPECT_EQ(ParseOpenCommand(R"({"cmd":"open"})")->access_token, "");
  EXPECT_EQ(ParseOpenCommand(R"({"cmd":"open","accessToken":"n"})")->access_token, "n");
  EXPECT_EQ(ParseOpenCommand(R"({"cmd":"open","accessToken":7})")->access_token, "");
  for (const char* other : {"", "{", "{}", R"({"cmd":"close"})", R"({"cmd":1})", "[1]",
                            R"( {"cmd":"open"})", R"({"cmd":"open"} x)"}) {
    SCOPED_TRACE(other);
    EXPECT_FALSE(ParseOpenCommand(other).has_value());
  }
}

}  // namespace
}  // namespace h2_bridge
