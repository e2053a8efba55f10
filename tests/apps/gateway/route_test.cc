#include "route.h"

#include <gtest/gtest.h>

namespace cursor_gateway {
namespace {

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
  for (const char* path : {"", "/page/", "/v1", "/v1/embeddings", "/v1/v1/models", "/v1/healthz"}) {
    EXPECT_EQ(FindRoute(path).endpoint, Endpoint::kUnknown) << path;
    EXPECT_EQ(FindRoute(path).pattern, "other");
  }
}

TEST(Route, TakesTheUsualSlips) {
  for (const char* path : {"/v1/models/", "//v1//models", "/models", "/models/", "//models"}) {
    EXPECT_EQ(FindRoute(path).pattern, "/v1/models") << path;
  }
  EXPECT_EQ(FindRoute("/chat/completions").pattern, "/v1/chat/completions");
  EXPECT_EQ(FindRoute("/responses/").pattern, "/v1/responses");
  EXPECT_EQ(FindRoute("/models/a//b").id, "a/b");
  EXPECT_EQ(FindRoute("/v1/models/a//b").id, "a//b");
  EXPECT_EQ(FindRoute("/healthz/").pattern, "/healthz");
  EXPECT_EQ(FindRoute("//").pattern, "/");
}

TEST(Route, NamesAPathThatIsNotThereAndOneThatIsNear) {
  EXPECT_EQ(NoSuchPath("/v1/v1/chat/completions"),
            "there is no path \"/v1/v1/chat/completions\" here; there is /v1/chat/completions");
  EXPECT_EQ(NoSuchPath("/openai/v1/models/"),
            "there is no path \"/openai/v1/models\" here; there is /v1/models");
  EXPECT_EQ(NoSuchPath("/v1/embeddings"), "there is no path \"/v1/embeddings\" here");
  EXPECT_EQ(NoSuchPath("*"), "there is no path \"*\" here");
  EXPECT_EQ(NoSuchPath("/a\"b\xff/"), "there is no path \"/a\\\"b\\xff\" here");
  EXPECT_LT(NoSuchPath(std::string(5000, 'x')).size(), 200U);
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

}  // namespace
}  // namespace cursor_gateway
