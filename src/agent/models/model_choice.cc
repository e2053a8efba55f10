#include "cursorwire/model.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "agent/models/model_names.h"
#include "agent/models/model_slug.h"
#include "agent/models/model_words.h"
#include "base/error.h"
#include "base/strings.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxQuotedBytes = 80;
constexpr size_t kMaxListed = 12;

// One setting that can be sent, with the words that describe it.
struct Candidate {
  ChosenModel choice{};
  std::string effort{};
  std::string context{};
  int64_t context_tokens = 0;
  bool fast = false;
  bool thinking = false;
  // How far this is from the default; smaller is better.
  bool is_sibling = false;  // an id of the same family in another row of the catalog
  bool is_slug = false;
  int distance = 0;
  bool lends_max_mode = false;  // the variant is not a max mode one but is sent in max mode
};

std::string Quoted(const std::string& text) {
  return absl::StrCat("'", Printable(text, kMaxQuotedBytes), "'");
}

absl::Status Refuse(std::string_view message) {
  return LocalError(absl::StatusCode::kInvalidArgument, message);
}

// The values of max mode with which something may be sent.
std::vector<bool> MaxModes(const Model& model, bool is_max_mode) {
  if (is_max_mode || model.requires_max_mode) return {true};
  if (model.max_mode_with_all) return {false, true};
  return {false};
}

// Fills in the context of a candidate whose parameters do not name one.
void SetContextOfModel(const Model& model, Candidate& candidate) {
  if (model.context_is_guess) return;
  const bool large = candidate.choice.max_mode && model.max_mode_context_tokens > 0;
  candidate.context_tokens = large ? model.max_mode_context_tokens : model.context_tokens;
  candidate.context = agent::WordOfTokens(candidate.context_tokens);
}

// Automatic routing has different names for users and on the wire. Source: docs/protocol.md,
// requested model.
std::string NameToSend(const Model& model) { return model.id == "auto" ? "default" : model.id; }

Candidate OfVariant(const Model& model, const ModelVariant& variant, bool max_mode) {
  Candidate candidate{.choice = {.model_id = NameToSend(model),
                                 .max_mode = max_mode,
                                 .parameters = variant.parameters},
                      .effort = agent::EffortOf(variant),
                      .context = agent::ParameterOf(variant, "context"),
                      .context_tokens = agent::ContextTokensOf(variant),
                      .fast = agent::ParameterOf(variant, "fast") == "true",
                      .lends_max_mode = max_mode != variant.is_max_mode};
  const std::string thinking = agent::ParameterOf(variant, "thinking");
  candidate.thinking = thinking.empty() ? model.supports_thinking : thinking == "true";
  if (candidate.context.empty()) SetContextOfModel(model, candidate);
  return candidate;
}

// The number of words in which the two differ.
int Distance(const Candidate& a, const Candidate& b) {
  return (a.effort != b.effort) + (a.context != b.context) + (a.fast != b.fast) +
         (a.thinking != b.thinking);
}

const ModelVariant& DefaultVariant(const Model& model, bool max_mode) {
  const auto found = std::find_if(
      model.variants.begin(), model.variants.end(), [max_mode](const ModelVariant& variant) {
        return max_mode ? variant.is_default_max_config : variant.is_default_non_max_config;
      });
  return found == model.variants.end() ? model.variants.front() : *found;
}

void AddVariants(const Model& model, std::vector<Candidate>& candidates) {
  if (model.variants.empty()) return;
  const Candidate usual = OfVariant(model, DefaultVariant(model, false), false);
  const Candidate usual_max = OfVariant(model, DefaultVariant(model, true), true);
  for (const ModelVariant& variant : model.variants) {
    for (const bool max_mode : MaxModes(model, variant.is_max_mode)) {
      Candidate candidate = OfVariant(model, variant, max_mode);
      candidate.distance = Distance(candidate, max_mode ? usual_max : usual);
      candidates.push_back(std::move(candidate));
    }
  }
}

void AddSlug(const Model& model, const ModelSlug& slug, bool slugs_have_efforts,
             std::vector<Candidate>& candidates) {
  for (const bool max_mode : MaxModes(model, slug.max_mode)) {
    Candidate candidate{.choice = {.model_id = slug.id, .max_mode = max_mode},
                        .effort = agent::EffortOf(slug, slugs_have_efforts),
                        .fast = slug.fast,
                        .thinking = slug.thinking || model.supports_thinking,
                        .is_slug = true,
                        .distance = agent::EffortDistance(slug.effort),
                        .lends_max_mode = max_mode != slug.max_mode};
    // If contexts are parameters of this model, an id does not tell its context.
    if (model.variants.empty()) SetContextOfModel(model, candidate);
    candidates.push_back(std::move(candidate));
  }
}

// Adds ids of other models that have the same base: they differ in `-fast` or `-thinking`.
void AddSiblings(const std::vector<Model>& models, const Model& model,
                 std::vector<Candidate>& candidates) {
  if (model.slugs.empty()) return;
  for (const Model& other : models) {
    if (&other == &model) continue;
    const size_t before = candidates.size();
    const bool have_efforts = agent::SlugsHaveEfforts(other);
    for (const ModelSlug& slug : other.slugs) {
      if (slug.base == model.slugs.front().base) AddSlug(other, slug, have_efforts, candidates);
    }
    for (size_t i = before; i < candidates.size(); ++i) candidates[i].is_sibling = true;
  }
}

// Chooses a setting of a model that was found.
class Choice {
 public:
  Choice(const Model& model, ModelWish wish) : model_(model), wish_(std::move(wish)) {
    wish_.effort = agent::EffortWord(wish_.effort);
  }

  absl::StatusOr<ChosenModel> Among(const std::vector<Candidate>& candidates) const {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates) {
      if (Fits(candidate) && (best == nullptr || Cost(candidate) < Cost(*best))) best = &candidate;
    }
    if (best == nullptr) return Explain(candidates);
    return best->choice;
  }

 private:
  bool EffortFits(const Candidate& c) const {
    return wish_.effort.empty() || wish_.effort == c.effort;
  }
  bool ContextFits(const Candidate& c) const {
    if (wish_.context.empty() || ToLower(wish_.context) == ToLower(c.context)) return true;
    return c.context_tokens > 0 && agent::TokensOfWord(wish_.context) == c.context_tokens;
  }
  bool MaxModeFits(const Candidate& c) const {
    return wish_.max_mode.value_or(c.choice.max_mode) == c.choice.max_mode;
  }
  bool FastFits(const Candidate& c) const { return wish_.fast.value_or(c.fast) == c.fast; }
  bool ThinkingFits(const Candidate& c) const {
    return wish_.thinking.value_or(c.thinking) == c.thinking;
  }
  bool Fits(const Candidate& c) const {
    return EffortFits(c) && ContextFits(c) && MaxModeFits(c) && FastFits(c) && ThinkingFits(c);
  }

  std::tuple<bool, bool, bool, bool, int, bool> Cost(const Candidate& c) const {
    const bool unwished_max_mode = c.choice.max_mode && !wish_.max_mode.has_value();
    const bool unwished_fast = c.is_slug && c.fast && !wish_.fast.has_value();
    return {c.is_sibling,      c.is_slug,  unwished_fast,
            unwished_max_mode, c.distance, c.lends_max_mode};
  }

  // Says which part of the wish is not offered, or that its parts cannot be combined.
  absl::Status Explain(const std::vector<Candidate>& candidates) const {
    const auto none = [&](bool (Choice::*fits)(const Candidate&) const) {
      return std::none_of(candidates.begin(), candidates.end(),
                          [&](const Candidate& c) { return (this->*fits)(c); });
    };
    const std::string model = "model " + Quoted(model_.id);
    if (none(&Choice::EffortFits)) return NotOffered("effort", wish_.effort, model_.efforts);
    if (none(&Choice::ContextFits)) return NotOffered("context", wish_.context, model_.contexts);
    if (none(&Choice::MaxModeFits)) {
      return Refuse(model + (*wish_.max_mode ? " has no max mode" : " has max mode only"));
    }
    if (none(&Choice::FastFits)) {
      return Refuse(model + (*wish_.fast ? " has no fast form" : " has a fast form only"));
    }
    if (none(&Choice::ThinkingFits)) {
      return Refuse(model + (*wish_.thinking ? " does not think" : " always thinks"));
    }
    return Refuse(
        absl::StrCat(model, " does not offer these together; offered: ", ListOf(candidates)));
  }

  absl::Status NotOffered(std::string_view what, const std::string& word,
                          const std::vector<std::string>& offered) const {
    const std::string model = "model " + Quoted(model_.id);
    if (offered.empty()) return Refuse(absl::StrCat(model, " has no choice of ", ToAbsl(what)));
    std::vector<std::string> texts;
    texts.reserve(offered.size());
    for (const std::string& text : offered) texts.push_back(Printable(text, kMaxQuotedBytes));
    return Refuse(absl::StrCat(model, " offers no ", ToAbsl(what), " ", Quoted(word),
                               "; offered: ", Listed(std::move(texts))));
  }

  static std::string ListOf(const std::vector<Candidate>& candidates) {
    std::vector<std::string> texts;
    for (const Candidate& c : candidates) {
      if (c.is_sibling) continue;
      std::vector<std::string> words;
      if (!c.effort.empty()) words.push_back(c.effort);
      if (!c.context.empty()) words.push_back(c.context);
      if (c.fast) words.emplace_back("fast");
      if (c.choice.max_mode) words.emplace_back("max mode");
      std::string text = Printable(absl::StrJoin(words, " "), kMaxQuotedBytes);
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
    return Listed(std::move(texts));
  }

  static std::string Listed(std::vector<std::string> texts) {
    const bool more = texts.size() > kMaxListed;
    if (more) texts.resize(kMaxListed);
    return absl::StrCat(absl::StrJoin(texts, ", "), more ? ", ..." : "");
  }

  const Model& model_;
  ModelWish wish_;
};

bool WishesForNothingElse(const ModelWish& wish) {
  return wish.effort.empty() && wish.context.empty() && !wish.fast && !wish.thinking;
}

absl::StatusOr<ChosenModel> ChooseOf(const std::vector<Model>& models, const Model& model,
                                     const ModelWish& wish) {
  std::vector<Candidate> candidates;
  AddVariants(model, candidates);
  const bool have_efforts = agent::SlugsHaveEfforts(model);
  for (const ModelSlug& slug : model.slugs) AddSlug(model, slug, have_efforts, candidates);
  if (wish.fast || wish.thinking) AddSiblings(models, model, candidates);
  return Choice(model, wish).Among(candidates);
}

// For a wish that names a setting by its id. Sends that id if the wish has no other parts;
// otherwise the id's effort, fast and thinking become parts of the wish.
absl::StatusOr<ChosenModel> ChooseSlug(const std::vector<Model>& models,
                                       const agent::FoundModel& found, ModelWish wish) {
  if (WishesForNothingElse(wish)) {
    std::vector<Candidate> candidates;
    AddSlug(*found.model, *found.slug, agent::SlugsHaveEfforts(*found.model), candidates);
    absl::StatusOr<ChosenModel> chosen = Choice(*found.model, wish).Among(candidates);
    if (chosen.ok()) return chosen;
  }
  if (wish.effort.empty()) wish.effort = found.slug->effort;
  if (!wish.fast) wish.fast = found.slug->fast;
  if (!wish.thinking && found.slug->thinking) wish.thinking = true;
  return ChooseOf(models, *found.model, wish);
}

}  // namespace

absl::StatusOr<ChosenModel> ChooseModel(const std::vector<Model>& models, const ModelWish& wish) {
  const agent::FoundModel found = agent::FindModel(models, wish.model);
  if (found.model == nullptr) {
    const std::vector<std::string> near = agent::NearNames(models, wish.model);
    return Refuse(absl::StrCat(
        "there is no model ", Quoted(wish.model), "; ",
        near.empty() ? "the service offers none" : "offered are " + absl::StrJoin(near, ", ")));
  }
  if (found.slug != nullptr) return ChooseSlug(models, found, wish);
  return ChooseOf(models, *found.model, wish);
}

}  // namespace cursorwire
