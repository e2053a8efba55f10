#include "agent/models/model_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cursorwire::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

AvailableModelsResponse Rows(std::vector<AvailableModel> rows) {
  AvailableModelsResponse response;
  response.models = std::move(rows);
  return response;
}

std::vector<UsableModel> Ids(const std::vector<std::string>& ids) {
  std::vector<UsableModel> models;
  for (const std::string& id : ids) models.push_back({.id = id, .display_name = id});
  return models;
}

std::vector<std::string> IdsOf(const std::vector<Model>& models) {
  std::vector<std::string> ids;
  for (const Model& model : models) ids.push_back(model.id);
  return ids;
}

std::vector<std::string> SlugsOf(const Model& model) {
  std::vector<std::string> ids;
  for (const ModelSlug& slug : model.slugs) ids.push_back(slug.id);
  return ids;
}

const Model& Find(const std::vector<Model>& models, const std::string& id) {
  static const Model kNone;
  for (const Model& model : models) {
    if (model.id == id) return model;
  }
  ADD_FAILURE() << "no model " << id;
  return kNone;
}

// docs/protocol.md, models: a parameterised model.
AvailableModel Acme() {
  return {.name = "acme-5.5",
          .supports_images = true,
          .supports_max_mode = true,
          .context_token_limit = 272'000,
          .context_token_limit_for_max_mode = 1'000'000,
          .client_display_name = "Acme 5.5",
          .server_model_name = "acme-5.5-prod",
          .supports_non_max_mode = true,
          .variants = {{.parameters = {{"context", "272k"}, {"reasoning", "medium"}},
                        .display_name = "272K Medium",
                        .is_default_non_max_config = true},
                       {.parameters = {{"context", "1m"}, {"reasoning", "extra-high"}},
                        .is_max_mode = true,
                        .is_default_max_config = true}},
          .legacy_slugs = {"acme-5.5-low", "acme-5.5-high"},
          .id_aliases = {"acme"},
          .tagline = "All-round",
          .vendor_name = "other",
          .vendor = ModelVendor{.id = 6, .display_name = "Acme Corp"}};
}

TEST(MergeModels, MakesNothingOfNothing) { EXPECT_THAT(MergeModels({}, {}), IsEmpty()); }

TEST(MergeModels, TakesAllFromARowWithParameters) {
  const std::vector<Model> models = MergeModels({}, Rows({Acme()}));
  ASSERT_THAT(models, SizeIs(1));
  const Model& model = models[0];
  EXPECT_EQ(model.id, "acme-5.5");
  EXPECT_EQ(model.display_name, "Acme 5.5");
  EXPECT_EQ(model.vendor, "Acme Corp");
  EXPECT_EQ(model.tagline, "All-round");
  EXPECT_THAT(model.aliases, ElementsAre("acme"));
  EXPECT_EQ(model.context_tokens, 272'000);
  EXPECT_FALSE(model.context_is_guess);
  EXPECT_EQ(model.max_mode_context_tokens, 1'000'000);
  EXPECT_TRUE(model.supports_max_mode);
  EXPECT_FALSE(model.requires_max_mode);
  EXPECT_EQ(model.supports_images, true);
  EXPECT_FALSE(model.supports_thinking);
  EXPECT_THAT(model.efforts, ElementsAre("low", "medium", "high", "xhigh"));
  EXPECT_THAT(model.contexts, ElementsAre("272k", "1m"));
  EXPECT_EQ(model.variants, Acme().variants);
  EXPECT_THAT(SlugsOf(model), ElementsAre("acme-5.5-low", "acme-5.5-high"));
}

TEST(MergeModels, PutsUsableRowsIntoTheModelThatNamesThem) {
  const std::vector<UsableModel> usable = {{.id = "acme-5.5-high",
                                            .display_name = "Acme 5.5 High",
                                            .aliases = {"acme-latest"},
                                            .thinking = true},
                                           {.id = "acme", .display_name = "Acme"},
                                           {.id = "acme-5.5", .display_name = "Acme 5.5"}};
  const std::vector<Model> models = MergeModels(usable, Rows({Acme()}));
  ASSERT_THAT(IdsOf(models), ElementsAre("acme-5.5"));
  EXPECT_THAT(SlugsOf(models[0]), ElementsAre("acme-5.5-low", "acme-5.5-high", "acme", "acme-5.5"));
  EXPECT_THAT(models[0].slugs[1].aliases, ElementsAre("acme-latest"));
  EXPECT_TRUE(models[0].supports_thinking);
}

TEST(MergeModels, GroupsIdsThatDifferInTheirEffortAlone) {
  const std::vector<Model> models = MergeModels(
      Ids({"b-low", "b", "b-high", "b-high-fast", "b-thinking-high", "b-low-thinking", "c"}), {});
  ASSERT_THAT(IdsOf(models), ElementsAre("b", "b-high-fast", "b-thinking-high", "c"));
  EXPECT_THAT(Find(models, "b").efforts, ElementsAre("low", "medium", "high"));
  EXPECT_THAT(SlugsOf(Find(models, "b")), ElementsAre("b-low", "b-high", "b"));
  EXPECT_THAT(Find(models, "b-high-fast").efforts, ElementsAre("high"));
  EXPECT_THAT(Find(models, "b-thinking-high").efforts, ElementsAre("low", "high"));
  EXPECT_TRUE(Find(models, "b-thinking-high").supports_thinking);
  EXPECT_THAT(Find(models, "c").efforts, IsEmpty());
}

// What a user reads in the list is sent as it is.
TEST(MergeModels, GivesAModelAnIdThatTheServiceNamed) {
  const struct {
    const char* name;
    std::vector<UsableModel> usable;
    std::vector<AvailableModel> rows;
    std::vector<std::string> ids;
  } kCases[] = {
      {"the bare id", Ids({"b-low", "b", "b-high"}), {}, {"b"}},
      {"no bare id, medium", Ids({"b-low", "b-medium", "b-high"}), {}, {"b-medium"}},
      {"no bare id, nearest to medium", Ids({"b-low", "b-max", "b-none"}), {}, {"b-low"}},
      {"one id", Ids({"b-xhigh"}), {}, {"b-xhigh"}},
      {"fast",
       Ids({"acme-5.5-high", "acme-5.5-high-fast"}),
       {Acme()},
       {"acme-5.5", "acme-5.5-high-fast"}},
      {"thinking", Ids({"b", "b-max-thinking", "b-low-thinking"}), {}, {"b", "b-low-thinking"}},
      {"a row that is named like an effort", {}, {{.name = "b-high"}}, {"b-high"}},
      {"legacy ids of a row that is named so",
       {},
       {{.name = "b-high", .legacy_slugs = {"b-low"}}},
       {"b-high"}},
      {"the bare id is hidden", Ids({"b", "b-low"}), {{.name = "b", .is_hidden = true}}, {"b-low"}},
      {"without max mode before with it",
       {{.id = "b-medium", .max_mode = true}, {.id = "b-minimal"}},
       {},
       {"b-minimal"}},
      {"an id for the name of a row with parameters",
       Ids({"acme-5.5-medium"}),
       {Acme()},
       {"acme-5.5"}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(IdsOf(MergeModels(c.usable, Rows(c.rows))), c.ids);
  }
}

TEST(MergeModels, SaysWhereMaxModeGoesWithEverything) {
  AvailableModel some = Acme();
  some.supports_max_mode = false;
  const std::vector<UsableModel> usable = {{.id = "b-max", .max_mode = true}, {.id = "b-low"}};
  EXPECT_FALSE(MergeModels(usable, {})[0].max_mode_with_all);
  EXPECT_TRUE(MergeModels(usable, {})[0].supports_max_mode);
  EXPECT_FALSE(MergeModels({}, Rows({some}))[0].max_mode_with_all);
  EXPECT_TRUE(MergeModels({}, Rows({some}))[0].supports_max_mode);
  EXPECT_TRUE(MergeModels({}, Rows({Acme()}))[0].max_mode_with_all);
  EXPECT_TRUE(
      MergeModels({}, Rows({{.name = "d", .supports_non_max_mode = false}}))[0].max_mode_with_all);
}

TEST(MergeModels, DoesNotTakeANameForAnEffort) {
  const std::vector<Model> models =
      MergeModels(Ids({"gpt-5.1-codex", "gpt-5.1-codex-high", "gpt-5.1-codex-max",
                       "gpt-5.1-codex-max-high", "gpt-5.1-codex-max-low"}),
                  {});
  ASSERT_THAT(IdsOf(models), ElementsAre("gpt-5.1-codex", "gpt-5.1-codex-max"));
  EXPECT_THAT(models[0].efforts, ElementsAre("medium", "high"));
  EXPECT_THAT(models[1].efforts, ElementsAre("low", "medium", "high"));
}

TEST(MergeModels, ShowsDefaultAsAutoAndFirst) {
  const std::vector<Model> models = MergeModels(Ids({"a", "default"}), {});
  ASSERT_THAT(IdsOf(models), ElementsAre("auto", "a"));
  EXPECT_THAT(SlugsOf(models[0]), ElementsAre("default"));
  EXPECT_THAT(IdsOf(MergeModels({}, Rows({{.name = "default"}}))), ElementsAre("auto"));
}

TEST(MergeModels, TrimsIdsAndTakesTheLastOfEqualOnes) {
  const std::vector<Model> models =
      MergeModels({{.id = "a", .display_name = "first"},
                   {.id = "a", .display_name = "last"},
                   {.id = "", .display_name = "none"}},
                  Rows({{.name = " b ", .client_display_name = "first"},
                        {.name = "b", .client_display_name = "last"},
                        {.name = "  "}}));
  ASSERT_THAT(IdsOf(models), ElementsAre("a", "b"));
  EXPECT_EQ(models[0].display_name, "last");
  EXPECT_EQ(models[1].display_name, "last");
}

TEST(MergeModels, LeavesOutWhatIsNotForAgents) {
  const std::vector<Model> models = MergeModels(Ids({"hidden", "hidden-low", "old", "shown"}),
                                                Rows({{.name = "hidden",
                                                       .is_hidden = true,
                                                       .legacy_slugs = {"hidden-low"},
                                                       .id_aliases = {"old"}},
                                                      {.name = "chat", .is_chat_only = true},
                                                      {.name = "edit", .only_supports_cmd_k = true},
                                                      {.name = "agent",
                                                       .is_chat_only = false,
                                                       .only_supports_cmd_k = false,
                                                       .is_hidden = false}}));
  EXPECT_THAT(IdsOf(models), ElementsAre("agent", "shown"));
}

TEST(MergeModels, KeepsWhatAShownRowNamesToo) {
  AvailableModel hidden{.name = "acme-5.5-low", .is_hidden = true};
  const std::vector<Model> models = MergeModels(Ids({"acme-5.5-low"}), Rows({hidden, Acme()}));
  ASSERT_THAT(IdsOf(models), ElementsAre("acme-5.5"));
  EXPECT_THAT(SlugsOf(models[0]), ElementsAre("acme-5.5-low", "acme-5.5-high"));
}

TEST(MergeModels, GivesAnIdToTheRowOfThatName) {
  AvailableModel other = Acme();
  other.name = "aardvark";
  other.legacy_slugs = {"acme-5.5", ""};
  const std::vector<Model> models = MergeModels(Ids({"acme-5.5"}), Rows({other, Acme()}));
  ASSERT_THAT(IdsOf(models), ElementsAre("aardvark", "acme-5.5"));
  EXPECT_THAT(models[0].slugs, IsEmpty());
  EXPECT_THAT(SlugsOf(models[1]), ElementsAre("acme-5.5-low", "acme-5.5-high", "acme-5.5"));
}

TEST(MergeModels, DoesNotTakeTheNameOfARowForAnEffort) {
  AvailableModel row = Acme();
  row.name = "bolt-max";
  row.legacy_slugs.clear();
  const std::vector<Model> models =
      MergeModels(Ids({"bolt", "bolt-max", "bolt-high"}), Rows({row}));
  ASSERT_THAT(IdsOf(models), ElementsAre("bolt", "bolt-max"));
  EXPECT_THAT(models[0].efforts, ElementsAre("medium", "high"));
  EXPECT_THAT(models[1].efforts, ElementsAre("medium", "xhigh"));
}

TEST(MergeModels, GivesARowWithoutParametersItsLegacySlugs) {
  AvailableModel row = Acme();
  row.variants.clear();
  const std::vector<Model> models = MergeModels({}, Rows({row}));
  ASSERT_THAT(IdsOf(models), ElementsAre("acme-5.5"));
  EXPECT_THAT(SlugsOf(models[0]), ElementsAre("acme-5.5-low", "acme-5.5-high", "acme-5.5"));
  EXPECT_THAT(models[0].efforts, ElementsAre("low", "medium", "high"));
  // Without a parameter for it, max mode is the choice of the context.
  EXPECT_THAT(models[0].contexts, ElementsAre("272k", "1m"));
  EXPECT_EQ(models[0].display_name, "Acme 5.5");
}

TEST(MergeModels, GuessesAContextThatNobodyTells) {
  std::vector<UsableModel> usable = Ids({"a", "b-1m", "c"});
  usable[2].display_name = "C 272K";
  const std::vector<Model> models = MergeModels(usable, Rows({{.name = "d"}}));
  const struct {
    const char* id;
    int64_t tokens;
  } kCases[] = {{"a", 200'000}, {"b-1m", 1'000'000}, {"c", 272'000}, {"d", 200'000}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.id);
    EXPECT_EQ(Find(models, c.id).context_tokens, c.tokens);
    EXPECT_TRUE(Find(models, c.id).context_is_guess);
    EXPECT_THAT(Find(models, c.id).contexts, IsEmpty());
  }
}

TEST(MergeModels, TakesTheContextOfTheDefaultVariantsWhereTheRowHasNone) {
  AvailableModel row = Acme();
  row.context_token_limit = 0;
  row.context_token_limit_for_max_mode = -1;
  const std::vector<Model> models = MergeModels({}, Rows({row}));
  ASSERT_THAT(models, SizeIs(1));
  EXPECT_EQ(models[0].context_tokens, 272'000);
  EXPECT_EQ(models[0].max_mode_context_tokens, 1'000'000);
  EXPECT_FALSE(models[0].context_is_guess);
}

TEST(MergeModels, KnowsModelsThatNeedMaxMode) {
  const std::vector<Model> models = MergeModels(
      {{.id = "bolt-max-thinking", .display_name = "Bolt", .max_mode = true}},
      Rows({{.name = "big", .supports_max_mode = true, .supports_non_max_mode = false}}));
  EXPECT_TRUE(Find(models, "big").requires_max_mode);
  EXPECT_TRUE(Find(models, "big").supports_max_mode);
  const Model& bolt = Find(models, "bolt-max-thinking");
  EXPECT_TRUE(bolt.supports_max_mode);
  ASSERT_THAT(bolt.slugs, SizeIs(1));
  EXPECT_TRUE(bolt.slugs[0].max_mode);
}

TEST(MergeModels, NamesAGroupWithoutTheWordOfOneEffort) {
  const std::vector<Model> models =
      MergeModels({{.id = "acme-high-fast", .display_name = "Acme High Fast"},
                   {.id = "bolt-extra-high", .display_name = "Bolt Extra High"},
                   {.id = "core-low", .display_name = "Core Lowland"},
                   {.id = "dune-low", .display_name = ""}},
                  {});
  EXPECT_EQ(Find(models, "acme-high-fast").display_name, "Acme Fast");
  EXPECT_EQ(Find(models, "bolt-extra-high").display_name, "Bolt");
  EXPECT_EQ(Find(models, "core-low").display_name, "Core Lowland");
  EXPECT_EQ(Find(models, "dune-low").display_name, "dune-low");
}

}  // namespace
}  // namespace cursorwire::agent
