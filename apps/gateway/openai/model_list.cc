#include "openai/model_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "openai/api_error.h"
#include "openai/concat.h"
#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::Model;
using nlohmann::json;

json ModelJson(const Model& model) {
  json value = {{"id", model.id}, {"object", "model"}, {"created", 0}, {"owned_by", "cursor"}};
  if (model.context_tokens > 0) value["context_length"] = model.context_tokens;
  return value;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The row that an id, an alias or a slug belongs to; nullptr: none.
const Model* FindModel(const std::vector<Model>& models, const std::string& name) {
  for (const Model& model : models) {
    if (model.id == name || Has(model.aliases, name)) return &model;
    for (const cursorwire::ModelSlug& slug : model.slugs) {
      if (slug.id == name || Has(slug.aliases, name)) return &model;
    }
  }
  return nullptr;
}

absl::Status UnsupportedEffort(const Model& model, const std::string& effort) {
  std::string words;
  for (const std::string& word : model.efforts) Append(words, words.empty() ? "" : ", ", word);
  return BadRequest(Concat("'reasoning_effort' does not support '", effort,
                           "' with this model. Supported values are: ", words),
                    "reasoning_effort", "unsupported_value");
}

}  // namespace

std::string ModelListBody(const std::vector<Model>& models) {
  json data = json::array();
  std::set<std::string> seen;
  for (const Model& model : models) {
    if (seen.insert(model.id).second) data.push_back(ModelJson(model));
  }
  return CompactJson({{"object", "list"}, {"data", std::move(data)}});
}

absl::StatusOr<std::string> ModelBody(const std::vector<Model>& models, const std::string& id) {
  for (const Model& model : models) {
    if (model.id == id) return CompactJson(ModelJson(model));
  }
  return ToStatus({.status = 404,
                   .type = "invalid_request_error",
                   .code = "model_not_found",
                   .message = "there is no such model"});
}

std::string SentModel(const std::string& model) { return model == "auto" ? "default" : model; }

absl::StatusOr<cursorwire::ChosenModel> ChooseEffort(const std::vector<Model>& models,
                                                     const std::string& model,
                                                     const std::string& effort) {
  const Model* row = FindModel(models, model);
  if (row == nullptr || row->efforts.empty() || effort.empty()) {
    return cursorwire::ChosenModel{.model_id = SentModel(model)};
  }
  if (!Has(row->efforts, effort)) return UnsupportedEffort(*row, effort);
  absl::StatusOr<cursorwire::ChosenModel> chosen =
      cursorwire::ChooseModel(models, {.model = model, .effort = effort});
  if (!chosen.ok()) return UnsupportedEffort(*row, effort);
  return chosen;
}

}  // namespace cursor_gateway
