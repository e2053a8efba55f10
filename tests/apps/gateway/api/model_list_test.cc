#include "api/model_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/api_error.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using nlohmann::json;
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
  const json list = json::parse(ModelListBody(Models()));
  EXPECT_EQ(list["object"], "list");
  ASSERT_EQ(list["data"].size(), 2U);
  EXPECT_EQ(list["data"][0]["id"], "auto");
  EXPECT_EQ(list["data"][1]["id"], "acme");
  EXPECT_EQ(list["data"][1]["object"], "model");
  EXPECT_EQ(list["data"][1]["created"], 0);
  EXPECT_EQ(list["data"][1]["owned_by"], "cursor");
  EXPECT_EQ(list["data"][1]["context_length"], 1000);
  EXPECT_THAT(ModelBody(Models(), {}, "acme"), IsOk());
  const auto missing = ModelBody(Models(), {}, "nobody");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(ApiErrorOf(missing.status()).code, "model_not_found");
}

TEST(ModelList, HasWhatTheSdksOfAnthropicRead) {
  ModelMap map;
  ASSERT_TRUE(map.Add("claude-acme=acme,claude-*=auto,acme=auto").ok());
  const json list = json::parse(ModelListBody(Models(), map));
  EXPECT_EQ(list["has_more"], false);
  EXPECT_EQ(list["first_id"], "auto");
  EXPECT_EQ(list["last_id"], "claude-acme");  // what a map names is listed, but no pattern
  ASSERT_EQ(list["data"].size(), 3U);
  for (const json& model : list["data"]) {
    EXPECT_EQ(model["type"], "model");
    EXPECT_EQ(model["created_at"], "1970-01-01T00:00:00Z");
    EXPECT_FALSE(model["display_name"].get<std::string>().empty());
  }
  EXPECT_EQ(list["data"][2]["context_length"], 1000);
  EXPECT_THAT(ModelBody(Models(), map, "claude-acme"), IsOk());
  EXPECT_FALSE(ModelBody(Models(), map, "claude-*").ok());
  const json none = json::parse(ModelListBody({}));
  EXPECT_TRUE(none["first_id"].is_null());
}

TEST(ModelList, HasACatalogForCodex) {
  ModelMap map;
  ASSERT_TRUE(map.Add("my-acme=acme").ok());
  EXPECT_FALSE(json::parse(ModelListBody(Models(), map)).contains("models"));
  const json list = json::parse(ModelListBody(Models(), map, ListForm::kForCodex));
  EXPECT_EQ(list["data"].size(), 3U);
  ASSERT_EQ(list["models"].size(), 3U);
  EXPECT_EQ(list["models"][0]["slug"], "auto");
  EXPECT_FALSE(list["models"][0].contains("context_window"));
  const json& acme = list["models"][2];
  EXPECT_EQ(acme["slug"], "my-acme");
  EXPECT_EQ(acme["context_window"], 1000);
  EXPECT_EQ(acme["supported_reasoning_levels"][1]["effort"], "high");
  EXPECT_EQ(acme["apply_patch_tool_type"], "freeform");
}

TEST(KnownModel, KnowsANameInOtherForms) {
  const std::vector<cursorwire::Model> models = {{.id = "claude-4.5-sonnet"},
                                                 {.id = "claude-4.5-sonnet-thinking"},
                                                 {.id = "acme-5.4"},
                                                 {.id = "acme-4.5"}};
  EXPECT_EQ(KnownModel(models, "claude-4.5-sonnet"), "claude-4.5-sonnet");
  EXPECT_EQ(KnownModel(models, "claude-sonnet-4-5"), "claude-4.5-sonnet");
  EXPECT_EQ(KnownModel(models, "claude-sonnet-4-5-20250929"), "claude-4.5-sonnet");
  EXPECT_EQ(KnownModel(models, "acme-4-5"), "acme-4.5");
  EXPECT_EQ(KnownModel(models, "claude-opus-4-5"), "");
  EXPECT_EQ(KnownModel(models, "claude-sonnet-4"), "");
}

TEST(NearestEffort, TakesWhatIsNearest) {
  EXPECT_EQ(NearestEffort(Models(), "acme", "high"), "high");
  EXPECT_EQ(NearestEffort(Models(), "acme", "max"), "high");
  EXPECT_EQ(NearestEffort(Models(), "acme", "medium"), "low");
  EXPECT_EQ(NearestEffort(Models(), "acme", "minimal"), "low");
  EXPECT_EQ(NearestEffort(Models(), "acme", "unheard-of"), "");
  EXPECT_EQ(NearestEffort(Models(), "auto", "high"), "");
  EXPECT_EQ(NearestEffort(Models(), "unheard-of", "high"), "");
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
