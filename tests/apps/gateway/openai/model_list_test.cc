#include "openai/model_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "openai/api_error.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using ::testing::HasSubstr;

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
