#include "cursorwire/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "agent/models/model_catalog.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using agent::MergeModels;
using agent::UsableModel;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// "acme" has parameters, "bolt" suffixes, "core" neither.
std::vector<Model> Catalog() {
  const auto variant = [](const char* context, const char* effort, const char* fast) {
    return ModelVariant{
        .parameters = {{"context", context}, {"reasoning", effort}, {"fast", fast}}};
  };
  AvailableModelsResponse available;
  AvailableModel acme{.name = "acme",
                      .supports_max_mode = true,
                      .context_token_limit = 272'000,
                      .context_token_limit_for_max_mode = 1'000'000,
                      .legacy_slugs = {"acme-low", "acme-high"},
                      .id_aliases = {"acme-latest"}};
  acme.variants = {variant("272k", "low", "false"),  variant("272k", "medium", "false"),
                   variant("272k", "high", "false"), variant("272k", "high", "true"),
                   variant("1m", "medium", "false"), variant("1m", "extra-high", "false")};
  acme.variants[1].is_default_non_max_config = true;
  acme.variants[4].is_max_mode = true;
  acme.variants[5].is_max_mode = true;
  acme.variants[5].is_default_max_config = true;
  AvailableModel core{.name = "core",
                      .supports_max_mode = true,
                      .context_token_limit = 200'000,
                      .context_token_limit_for_max_mode = 500'000};
  AvailableModel huge{.name = "huge",
                      .context_token_limit_for_max_mode = 1'000'000,
                      .supports_non_max_mode = false};
  available.models = {acme, core, huge, {.name = "plain", .context_token_limit = 200'000}};
  const std::vector<UsableModel> usable = {{.id = "default"},
                                           {.id = "bolt"},
                                           {.id = "bolt-low"},
                                           {.id = "bolt-high", .aliases = {"bolt-best"}},
                                           {.id = "bolt-high-fast"},
                                           {.id = "bolt-low-thinking"},
                                           {.id = "dusk-low"},
                                           {.id = "dusk-high"},
                                           {.id = "dusk-low-fast"},
                                           {.id = "dusk-high-fast"},
                                           {.id = "dusk-max", .max_mode = true},
                                           {.id = "only-max", .max_mode = true}};
  return MergeModels(usable, available);
}

using Parameters = std::vector<ModelParameter>;

TEST(ChooseModel, SendsWhatIsAdvertised) {
  const struct {
    const char* name;
    ModelWish wish;
    ChosenModel chosen;
  } kCases[] = {
      {"no wish", {}, {"default"}},
      {"auto by the name it is sent by", {.model = "default"}, {"default"}},
      {"empty id", {.model = ""}, {"default"}},
      {"the default variant",
       {.model = "acme"},
       {"acme", false, {{"context", "272k"}, {"reasoning", "medium"}, {"fast", "false"}}}},
      {"the default variant of max mode",
       {.model = "acme", .max_mode = true},
       {"acme", true, {{"context", "1m"}, {"reasoning", "extra-high"}, {"fast", "false"}}}},
      {"effort",
       {.model = "acme", .effort = "high"},
       {"acme", false, {{"context", "272k"}, {"reasoning", "high"}, {"fast", "false"}}}},
      {"effort, in capitals",
       {.model = "acme", .effort = "LOW"},
       {"acme", false, {{"context", "272k"}, {"reasoning", "low"}, {"fast", "false"}}}},
      {"effort that exists in max mode alone",
       {.model = "acme", .effort = "xhigh"},
       {"acme", true, {{"context", "1m"}, {"reasoning", "extra-high"}, {"fast", "false"}}}},
      {"the same by the word of the service",
       {.model = "acme", .effort = "extra-high"},
       {"acme", true, {{"context", "1m"}, {"reasoning", "extra-high"}, {"fast", "false"}}}},
      {"context",
       {.model = "acme", .context = "1M"},
       {"acme", true, {{"context", "1m"}, {"reasoning", "extra-high"}, {"fast", "false"}}}},
      {"context in another unit",
       {.model = "acme", .effort = "medium", .context = "1000k"},
       {"acme", true, {{"context", "1m"}, {"reasoning", "medium"}, {"fast", "false"}}}},
      {"a variant lent to max mode",
       {.model = "acme", .effort = "low", .max_mode = true},
       {"acme", true, {{"context", "272k"}, {"reasoning", "low"}, {"fast", "false"}}}},
      {"fast",
       {.model = "acme", .effort = "high", .fast = true},
       {"acme", false, {{"context", "272k"}, {"reasoning", "high"}, {"fast", "true"}}}},
      {"fast alone moves the effort to where it exists",
       {.model = "acme", .fast = true},
       {"acme", false, {{"context", "272k"}, {"reasoning", "high"}, {"fast", "true"}}}},
      {"an alias",
       {.model = "acme-latest", .effort = "low"},
       {"acme", false, {{"context", "272k"}, {"reasoning", "low"}, {"fast", "false"}}}},
      {"a legacy id as it is", {.model = "acme-high"}, {"acme-high"}},
      {"a legacy id with max mode", {.model = "acme-high", .max_mode = true}, {"acme-high", true}},
      {"a legacy id whose effort is kept",
       {.model = "acme-high", .context = "272k"},
       {"acme", false, {{"context", "272k"}, {"reasoning", "high"}, {"fast", "false"}}}},
      {"a legacy id and another effort",
       {.model = "acme-high", .effort = "low"},
       {"acme", false, {{"context", "272k"}, {"reasoning", "low"}, {"fast", "false"}}}},
      {"suffixes, none wished", {.model = "bolt"}, {"bolt"}},
      {"suffixes, medium is the bare id", {.model = "bolt", .effort = "medium"}, {"bolt"}},
      {"suffixes, effort", {.model = "bolt", .effort = "high"}, {"bolt-high"}},
      {"suffixes, another effort", {.model = "bolt-high", .effort = "low"}, {"bolt-low"}},
      {"suffixes, alias of one", {.model = "bolt-best"}, {"bolt-high"}},
      {"suffixes, fast", {.model = "bolt", .effort = "high", .fast = true}, {"bolt-high-fast"}},
      {"suffixes, not fast", {.model = "bolt-high-fast", .fast = false}, {"bolt-high"}},
      {"suffixes, the row that is fast", {.model = "bolt-fast"}, {"bolt-high-fast"}},
      {"suffixes, the name of a row is an id", {.model = "bolt-high-fast"}, {"bolt-high-fast"}},
      {"suffixes, the name of a row and another effort",
       {.model = "dusk-high", .effort = "low"},
       {"dusk-low"}},
      {"suffixes, the effort in the name of a row is kept",
       {.model = "dusk-high", .fast = true},
       {"dusk-high-fast"}},
      {"suffixes, an id beside the name of its row", {.model = "dusk-low"}, {"dusk-low"}},
      {"suffixes, an id without its effort", {.model = "dusk"}, {"dusk-high"}},
      {"suffixes, the effort with max mode",
       {.model = "dusk", .effort = "max"},
       {"dusk-max", true}},
      {"suffixes, max mode", {.model = "dusk", .max_mode = true}, {"dusk-max", true}},
      {"suffixes, thinking", {.model = "bolt", .thinking = true}, {"bolt-low-thinking"}},
      {"max mode of a plain model", {.model = "core", .max_mode = true}, {"core", true}},
      {"context by max mode", {.model = "core", .context = "500k"}, {"core", true}},
      {"context without it", {.model = "core", .context = "200k"}, {"core"}},
      {"an id that comes with max mode", {.model = "only-max"}, {"only-max", true}},
      {"a model that needs max mode", {.model = "huge"}, {"huge", true}},
  };
  const std::vector<Model> models = Catalog();
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ChooseModel(models, c.wish), IsOkAndHolds(c.chosen));
  }
}

TEST(ChooseModel, SendsAutoWithParametersUnderItsOwnName) {
  AvailableModelsResponse available;
  available.models = {{.name = "default", .variants = {{.parameters = {{"effort", "high"}}}}}};
  EXPECT_THAT(ChooseModel(MergeModels({}, available), {.effort = "high"}),
              IsOkAndHolds(ChosenModel{"default", false, {{"effort", "high"}}}));
}

TEST(ChooseModel, SaysWhatIsOffered) {
  const struct {
    const char* name;
    ModelWish wish;
    const char* message;
  } kCases[] = {
      {"unknown model", {.model = "acne"}, "there is no model 'acne'; offered are acme, "},
      {"effort",
       {.model = "acme", .effort = "ultra"},
       "model 'acme' offers no effort 'ultra'; offered: low, medium, high, xhigh"},
      {"context",
       {.model = "acme", .context = "2m"},
       "model 'acme' offers no context '2m'; offered: 272k, 1m"},
      {"no efforts", {.model = "plain", .effort = "high"}, "model 'plain' has no choice of effort"},
      {"effort of auto", {.effort = "high"}, "model 'auto' has no choice of effort"},
      {"no contexts", {.model = "bolt", .context = "1m"}, "model 'bolt' has no choice of context"},
      {"no max mode", {.model = "plain", .max_mode = true}, "model 'plain' has no max mode"},
      {"max mode only", {.model = "huge", .max_mode = false}, "has max mode only"},
      {"max mode only, by its id", {.model = "only-max", .max_mode = false}, "has max mode only"},
      {"not fast", {.model = "plain", .fast = true}, "model 'plain' has no fast form"},
      {"does not think", {.model = "plain", .thinking = true}, "model 'plain' does not think"},
      {"parts that do not go together",
       {.model = "acme", .effort = "low", .context = "1m"},
       "model 'acme' does not offer these together; offered: low 272k, low 272k max mode, "},
      {"fast and a large context",
       {.model = "acme", .context = "1m", .fast = true},
       "high 272k fast"},
      {"max mode of an id that does not have it",
       {.model = "dusk", .effort = "low", .max_mode = true},
       "model 'dusk-high' does not offer these together; offered: low, high, max max mode"},
      {"the same, by the id",
       {.model = "dusk-low", .max_mode = true},
       "model 'dusk-high' does not offer these together; offered: low, high, max max mode"},
      {"xhigh without max mode",
       {.model = "acme", .effort = "xhigh", .max_mode = false},
       "xhigh 1m max mode"},
  };
  const std::vector<Model> models = Catalog();
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ChooseModel(models, c.wish),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(ChooseModel, WithoutACatalogOffersNothing) {
  EXPECT_THAT(ChooseModel({}, {.model = "x"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("offers none")));
}

TEST(ChooseModel, QuotesWordsWithinBounds) {
  const ModelWish wish{.model = "\x1B[31m" + std::string(10'000, 'x')};
  const auto chosen = ChooseModel(Catalog(), wish);
  EXPECT_THAT(chosen, StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("\x1B"))));
  EXPECT_LT(chosen.status().message().size(), 300u);
}

// Whatever is wished for: what comes out is a whole set of the catalog.
TEST(ChooseModel, NeverMakesUpASetOfParameters) {
  const std::vector<Model> models = Catalog();
  int found = 0;
  for (const char* id : {"acme", "acme-high", "acme-latest"}) {
    for (const char* effort : {"", "none", "low", "medium", "high", "xhigh", "max"}) {
      for (const char* context : {"", "200k", "272k", "1m"}) {
        for (const int bits : {0, 1, 2, 3, 4, 5}) {
          ModelWish wish{.model = id, .effort = effort, .context = context};
          if (bits % 3 != 0) wish.max_mode = bits % 3 == 1;
          if (bits > 2) wish.fast = true;
          const auto chosen = ChooseModel(models, wish);
          if (!chosen.ok()) continue;
          ++found;
          bool advertised = false;
          for (const Model& model : models) {
            for (const ModelVariant& variant : model.variants) {
              advertised = advertised || (chosen->model_id == model.id &&
                                          chosen->parameters == variant.parameters &&
                                          (chosen->max_mode || !variant.is_max_mode));
            }
            for (const ModelSlug& slug : model.slugs) {
              advertised =
                  advertised || (chosen->model_id == slug.id && chosen->parameters.empty());
            }
          }
          EXPECT_TRUE(advertised) << id << " " << effort << " " << context << " " << bits;
        }
      }
    }
  }
  EXPECT_GT(found, 50);
}

// What an id of the list, taken alone, comes to: something that the service named.
TEST(ChooseModel, SendsEachIdOfTheListAsItIs) {
  const std::vector<Model> models = Catalog();
  for (const Model& model : models) {
    SCOPED_TRACE(model.id);
    const auto chosen = ChooseModel(models, {.model = model.id});
    ASSERT_THAT(chosen, test::IsOk());
    EXPECT_EQ(chosen->model_id, model.id == "auto" ? "default" : model.id);
  }
}

// Each took a minute when its time was quadratic: then the test runs into its time limit.
TEST(ChooseModel, ChoosesInALargeCatalog) {
  AvailableModel slugs{.name = "slugs", .variants = {{.parameters = {{"p", "v"}}}}};
  for (int i = 0; i < 60'000; ++i) slugs.legacy_slugs.push_back("s" + std::to_string(i));
  AvailableModel parameters{.name = "parameters", .supports_max_mode = true};
  parameters.variants.resize(1024, {.parameters = {{"p", "v"}}});
  for (int i = 0; i < 60'000; ++i) {
    parameters.variants[0].parameters.push_back({std::to_string(i), std::string(100, 'v')});
  }
  AvailableModelsResponse available;
  available.models = {std::move(slugs), std::move(parameters)};
  const std::vector<Model> models = MergeModels({}, available);
  EXPECT_TRUE(ChooseModel(models, {.model = "slugs"}).ok());
  EXPECT_TRUE(ChooseModel(models, {.model = "parameters"}).ok());
}

TEST(ChooseModel, QuotesTheWordsOfTheServer) {
  AvailableModelsResponse available;
  available.models = {
      {.name = "\x1B[2Jm",
       .variants = {{.parameters = {{"effort", "\x1B]0;" + std::string(1'000'000, 'e')}}}}}};
  const std::vector<Model> models = MergeModels({}, available);
  for (const ModelWish& wish :
       {ModelWish{.model = "none"}, ModelWish{.model = "\x1B[2Jm", .effort = "low"}}) {
    const absl::Status status = ChooseModel(models, wish).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_LT(status.message().size(), 1000U);
    EXPECT_EQ(status.message().find('\x1B'), absl::string_view::npos);
  }
}

}  // namespace
}  // namespace cursorwire
