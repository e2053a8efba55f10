#include "agent/models/model_words.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agent/models/model_slug.h"

namespace cursorwire::agent {
namespace {

void AddEfforts(Model& model) {
  std::set<std::pair<int, std::string>> efforts;
  const auto add = [&efforts](std::string word) {
    if (!word.empty()) efforts.emplace(EffortRank(word), std::move(word));
  };
  for (const ModelVariant& variant : model.variants) add(EffortOf(variant));
  const bool slugs_have_efforts = SlugsHaveEfforts(model);
  for (const ModelSlug& slug : model.slugs) add(EffortOf(slug, slugs_have_efforts));
  for (const auto& [rank, word] : efforts) model.efforts.push_back(word);
}

// The context of the default variant, or else of the first variant that has one.
int64_t ContextOfVariants(const Model& model, bool max_mode) {
  int64_t first = 0;
  for (const ModelVariant& variant : model.variants) {
    if (variant.is_max_mode != max_mode) continue;
    const int64_t tokens = ContextTokensOf(variant);
    const bool is_default =
        max_mode ? variant.is_default_max_config : variant.is_default_non_max_config;
    if (is_default && tokens > 0) return tokens;
    if (first == 0) first = tokens;
  }
  return first;
}

void AddSizes(Model& model) {
  if (model.context_tokens == 0) model.context_tokens = ContextOfVariants(model, false);
  if (model.max_mode_context_tokens == 0) {
    model.max_mode_context_tokens = ContextOfVariants(model, true);
  }
  if (model.context_tokens == 0 && model.requires_max_mode) {
    model.context_tokens = model.max_mode_context_tokens;
  }
  if (model.context_tokens > 0) return;
  model.context_is_guess = true;
  std::string hints = model.id + " " + model.display_name;
  for (const ModelSlug& slug : model.slugs) hints += " " + slug.id;
  model.context_tokens = GuessContextTokens(hints);
}

void AddContexts(Model& model) {
  std::set<std::pair<int64_t, std::string>> contexts;
  for (const ModelVariant& variant : model.variants) {
    const std::string word = ParameterOf(variant, "context");
    if (!word.empty()) contexts.emplace(ContextTokensOf(variant), word);
  }
  // Without a context parameter, max mode is what selects the context.
  if (contexts.empty() && !model.context_is_guess) {
    contexts.emplace(model.context_tokens, WordOfTokens(model.context_tokens));
    if (model.supports_max_mode && model.max_mode_context_tokens > 0) {
      contexts.emplace(model.max_mode_context_tokens, WordOfTokens(model.max_mode_context_tokens));
    }
  }
  for (const auto& [tokens, word] : contexts) model.contexts.push_back(word);
}

}  // namespace

std::string ParameterOf(const ModelVariant& variant, const std::string& id) {
  for (const ModelParameter& parameter : variant.parameters) {
    if (parameter.id == id) return parameter.value;
  }
  return "";
}

std::string EffortOf(const ModelVariant& variant) {
  const std::string reasoning = ParameterOf(variant, "reasoning");
  return EffortWord(reasoning.empty() ? ParameterOf(variant, "effort") : reasoning);
}

int64_t ContextTokensOf(const ModelVariant& variant) {
  return TokensOfWord(ParameterOf(variant, "context"));
}

bool SlugsHaveEfforts(const Model& model) {
  return std::any_of(model.slugs.begin(), model.slugs.end(),
                     [](const ModelSlug& slug) { return !slug.effort.empty(); });
}

std::string EffortOf(const ModelSlug& slug, bool slugs_have_efforts) {
  if (!slug.effort.empty()) return slug.effort;
  return slugs_have_efforts ? "medium" : "";
}

void AddWords(Model& model) {
  for (const ModelVariant& variant : model.variants) {
    if (variant.is_max_mode) model.supports_max_mode = true;
    if (ParameterOf(variant, "thinking") == "true") model.supports_thinking = true;
  }
  if (std::any_of(model.slugs.begin(), model.slugs.end(),
                  [](const ModelSlug& slug) { return slug.max_mode; })) {
    model.supports_max_mode = true;
  }
  if (model.requires_max_mode) model.supports_max_mode = true;
  AddEfforts(model);
  AddSizes(model);
  AddContexts(model);
}

}  // namespace cursorwire::agent
