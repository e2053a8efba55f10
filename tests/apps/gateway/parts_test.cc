#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "api_keys.h"
#include "metrics.h"
#include "openai/api_error.h"
#include "openai/model_list.h"
#include "origin_check.h"
#include "random_text.h"
#include "route.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using cursorwire::test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Route, FindsEachPath) {
  EXPECT_EQ(FindRoute("/").endpoint, Endpoint::kPage);
  EXPECT_EQ(FindRoute("/page/app.js").id, "app.js");
  EXPECT_EQ(FindRoute("/healthz").endpoint, Endpoint::kHealth);
  EXPECT_EQ(FindRoute("/v1/models").endpoint, Endpoint::kModels);
  EXPECT_EQ(FindRoute("/v1/chat/completions").pattern, "/v1/chat/completions");
  const Route model = FindRoute("/v1/models/acme%2F5.5%3Ahigh/x");
  EXPECT_EQ(model.endpoint, Endpoint::kModel);
  EXPECT_EQ(model.id, "acme/5.5:high/x");
  EXPECT_EQ(FindRoute("/v1/models/100%").id, "100%");
  for (const char* path :
       {"", "//", "/page/", "/v1", "/v1/models/", "/healthz/", "/v1/embeddings"}) {
    EXPECT_EQ(FindRoute(path).endpoint, Endpoint::kUnknown) << path;
    EXPECT_EQ(FindRoute(path).pattern, "other");
  }
}

TEST(Route, AllowsItsMethods) {
  const Route models = FindRoute("/v1/models");
  EXPECT_TRUE(Allows(models, "GET"));
  EXPECT_TRUE(Allows(models, "HEAD"));
  EXPECT_FALSE(Allows(models, "POST"));
  EXPECT_FALSE(Allows(models, ""));
  EXPECT_FALSE(Allows(models, "OPTIONS"));
  EXPECT_TRUE(Allows(FindRoute("/v1/chat/completions"), "POST"));
}

int OriginStatus(const HttpFields& fields, bool is_loopback = true) {
  const absl::Status status = CheckOrigin({.fields = fields}, is_loopback);
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
  EXPECT_EQ(OriginStatus({{"Host", "gateway.example"}}, false), 200);
}

TEST(CheckOrigin, RefusesPagesOfOthers) {
  const auto with = [](const char* name, const char* value) {
    return OriginStatus({{"Host", "localhost:80"}, {name, value}});
  };
  EXPECT_EQ(with("Origin", "http://localhost:80"), 200);
  EXPECT_EQ(with("Origin", "http://localhost:81"), 403);
  EXPECT_EQ(with("Origin", "https://localhost:80"), 403);
  EXPECT_EQ(with("Origin", "http://evil.example"), 403);
  EXPECT_EQ(with("Origin", "null"), 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "cross-site"), 403);
  EXPECT_EQ(with("Sec-Fetch-Site", "same-origin"), 200);
}

TEST(ApiKeys, LetsEverybodyInWithoutKeys) {
  EXPECT_EQ(ApiKeys().OwnerOf(nullptr), "");
  const std::string any = "Bearer anything";
  EXPECT_EQ(ApiKeys().OwnerOf(&any), "");
}

TEST(ApiKeys, KnowsThoseOfItsFile) {
  const cursorwire::test::ScratchFolder folder;
  const std::string file = folder.path() + "/keys";
  std::ofstream(file) << "# ours\n\nkey-one\n  key-two \n";
  const auto keys = ApiKeys::Load(file);
  ASSERT_THAT(keys, IsOk());
  const auto owner = [&](const std::string& header) { return keys->OwnerOf(&header); };
  EXPECT_TRUE(owner("Bearer key-one"));
  EXPECT_TRUE(owner("bEARER key-two"));
  EXPECT_NE(owner("Bearer key-one"), owner("Bearer key-two"));
  EXPECT_THAT(*owner("Bearer key-one"), Not(HasSubstr("key")));
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer key", "Basic key-one", "key-one"}) {
    EXPECT_FALSE(owner(header)) << header;
  }
  EXPECT_FALSE(keys->OwnerOf(nullptr));
}

TEST(ApiKeys, WantsAFileWithKeys) {
  const cursorwire::test::ScratchFolder folder;
  const std::string file = folder.path() + "/keys";
  EXPECT_THAT(ApiKeys::Load(file), StatusIs(absl::StatusCode::kInvalidArgument));
  std::ofstream(file) << "# none\n";
  EXPECT_THAT(ApiKeys::Load(file), StatusIs(absl::StatusCode::kInvalidArgument));
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  EXPECT_FALSE(ApiKeys::IsReadByOthers(file));
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  EXPECT_TRUE(ApiKeys::IsReadByOthers(file));
}

TEST(Metrics, AreTextOfPrometheus) {
  Metrics metrics;
  metrics.CountRequest("/v1/models", 200);
  metrics.CountRequest("/v1/models", 200);
  metrics.CountRequest("other", 404);
  metrics.CountUsage({.input_tokens = 10, .output_tokens = 2});
  metrics.CountUpstreamError("unavailable");
  metrics.RecordFirstToken(std::chrono::milliseconds(300));
  metrics.runs_parked = 3;
  metrics.state_errors = 4;
  const std::string text = metrics.Text();
  for (const char* line :
       {"cursor_gateway_requests_total{path=\"/v1/models\",status=\"200\"} 2\n",
        "cursor_gateway_requests_total{path=\"other\",status=\"404\"} 1\n",
        "cursor_gateway_tokens_total{kind=\"input\"} 10\n",
        "# TYPE cursor_gateway_runs_parked gauge\n", "cursor_gateway_runs_parked 3\n",
        "cursor_gateway_state_errors_total 4\n",
        "cursor_gateway_upstream_errors_total{code=\"unavailable\"} 1\n",
        "cursor_gateway_first_token_seconds_bucket{le=\"0.25\"} 0\n",
        "cursor_gateway_first_token_seconds_bucket{le=\"0.5\"} 1\n",
        "cursor_gateway_first_token_seconds_bucket{le=\"+Inf\"} 1\n",
        "cursor_gateway_first_token_seconds_sum 0.3\n",
        "cursor_gateway_first_token_seconds_count 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(RandomText, IsLettersAndDigits) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string text = RandomText(24);
    EXPECT_EQ(text.size(), 24U);
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](unsigned char c) { return isalnum(c); }));
    EXPECT_TRUE(seen.insert(text).second);
  }
}

std::vector<cursorwire::Model> Models() {
  return {{.id = "auto", .slugs = {{.id = "default", .base = "default"}}},
          {.id = "acme",
           .context_tokens = 1000,
           .efforts = {"low", "high"},
           .variants = {{.parameters = {{"reasoning", "low"}}, .is_default_non_max_config = true},
                        {.parameters = {{"reasoning", "high"}}}}},
          {.id = "acme"}};
}

TEST(ModelList, HasEachModelOnce) {
  EXPECT_EQ(ModelListBody(Models()),
            R"({"data":[{"created":0,"id":"auto","object":"model","owned_by":"cursor"},)"
            R"({"context_length":1000,"created":0,"id":"acme","object":"model",)"
            R"("owned_by":"cursor"}],"object":"list"})");
  EXPECT_THAT(ModelBody(Models(), "acme"), IsOk());
  const auto missing = ModelBody(Models(), "nobody");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(ApiErrorOf(missing.status()).code, "model_not_found");
}

TEST(ChooseEffort, TakesWhatTheModelAdvertises) {
  EXPECT_EQ(ChooseEffort(Models(), "acme", "high")->parameters,
            (std::vector<cursorwire::ModelParameter>{{"reasoning", "high"}}));
  EXPECT_EQ(ChooseEffort(Models(), "auto", "high")->model_id, "default");
  EXPECT_EQ(ChooseEffort(Models(), "unheard-of", "high")->model_id, "unheard-of");
  const auto refused = ChooseEffort(Models(), "acme", "max");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(ApiErrorOf(refused.status()).param, "reasoning_effort");
  EXPECT_THAT(ApiErrorOf(refused.status()).message, HasSubstr("low, high"));
}

}  // namespace
}  // namespace cursor_gateway
