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

}  // namespace
}  // namespace cursor_gateway
