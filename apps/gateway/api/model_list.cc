#include "api/model_list.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::Model;
using nlohmann::json;

constexpr size_t kDateLength = 8;           // of 20250929
constexpr int kCodexOutputTokens = 10'000;  // of a tool, as in Codex's own list
constexpr char kCodexInstructions[] =
    "You are a coding agent in the user's terminal. Use the tools to look, to change files and to "
    "run commands until the task is done, then say in short what was done.";
constexpr std::array<std::string_view, 7> kEffortOrder = {"none", "minimal", "low", "medium",
                                                          "high", "xhigh",   "max"};

// What the lists of OpenAI's and of Anthropic's API have: each family of SDKs reads its own
// members.
json ModelJson(const Model& model, const std::string& id) {
  json value = {{"id", id},
                {"object", "model"},
                {"created", 0},
                {"owned_by", "cursor"},
                {"type", "model"},
                {"display_name", model.display_name.empty() ? id : model.display_name},
                {"created_at", "1970-01-01T00:00:00Z"}};
  if (model.context_tokens > 0) value["context_length"] = model.context_tokens;
  return value;
}

// All that Codex needs of a row: one that lacks a member spoils the list.
json CodexModelJson(const Model& model, const std::string& id) {
  json efforts = json::array();
  for (const std::string& word : model.efforts) {
    efforts.push_back({{"effort", word}, {"description", word}});
  }
  json value = {{"slug", id},
                {"display_name", model.display_name.empty() ? id : model.display_name},
                {"supported_reasoning_levels", std::move(efforts)},
                {"shell_type", "unified_exec"},
                {"visibility", "list"},
                {"supported_in_api", true},
                {"priority", 0},
                {"base_instructions", kCodexInstructions},
                {"support_verbosity", false},
                {"supports_reasoning_summaries", true},
                {"supports_parallel_tool_calls", true},
                {"apply_patch_tool_type", "freeform"},
                {"truncation_policy", {{"mode", "tokens"}, {"limit", kCodexOutputTokens}}},
                {"experimental_supported_tools", json::array()}};
  if (model.context_tokens > 0) value["context_window"] = model.context_tokens;
  return value;
}

bool IsPattern(const std::string& name) { return name.find('*') != std::string::npos; }

// What a name says, in whatever way it is written: its words, sorted, and its numbers, in order. A
// date at the end says nothing: the service has one model of each version.
std::string MeaningOf(std::string_view name) {
  std::set<std::string> words;
  std::string numbers;
  while (!name.empty()) {
    const std::string_view word = name.substr(0, name.find_first_of("-."));
    name.remove_prefix(std::min(name.size(), word.size() + 1));
    const bool is_number = word.find_first_not_of("0123456789") == std::string_view::npos;
    const bool is_date = is_number && name.empty() && word.size() == kDateLength;
    if (!is_number) {
      words.emplace(word);
    } else if (!is_date) {
      Append(numbers, "-", word);
    }
  }
  std::string meaning;
  for (const std::string& word : words) Append(meaning, word, "-");
  return meaning + numbers;
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

std::string ModelListBody(const std::vector<Model>& models, const ModelMap& map, ListForm form) {
  json data = json::array();
  json codex = json::array();
  std::set<std::string> seen;
  const auto add = [&](const Model& model, const std::string& id) {
    data.push_back(ModelJson(model, id));
    if (form == ListForm::kForCodex) codex.push_back(CodexModelJson(model, id));
  };
  for (const Model& model : models) {
    if (seen.insert(model.id).second) add(model, model.id);
  }
  for (const auto& [from, to] : map.entries()) {
    if (IsPattern(from) || !seen.insert(from).second) continue;
    const Model* model = FindModel(models, to);
    add(model == nullptr ? Model() : *model, from);
  }
  json list = {
      {"object", "list"}, {"has_more", false}, {"first_id", nullptr}, {"last_id", nullptr}};
  if (!data.empty()) {
    list["first_id"] = data.front()["id"];
    list["last_id"] = data.back()["id"];
  }
  list["data"] = std::move(data);
  if (form == ListForm::kForCodex) list["models"] = std::move(codex);
  return CompactJson(list);
}

absl::StatusOr<std::string> ModelBody(const std::vector<Model>& models, const ModelMap& map,
                                      const std::string& id) {
  for (const Model& model : models) {
    if (model.id == id) return CompactJson(ModelJson(model, id));
  }
  for (const auto& [from, to] : map.entries()) {
    if (from != id || IsPattern(from)) continue;
    const Model* model = FindModel(models, to);
    return CompactJson(ModelJson(model == nullptr ? Model() : *model, id));
  }
  return ToStatus({.status = 404,
                   .type = "invalid_request_error",
                   .code = "model_not_found",
                   .message = "there is no such model"});
}

std::string KnownModel(const std::vector<Model>& models, const std::string& name) {
  if (FindModel(models, name) != nullptr) return name;
  const std::string meaning = MeaningOf(name);
  for (const Model& model : models) {
    if (MeaningOf(model.id) == meaning) return model.id;
  }
  return "";
}

std::string NearestEffort(const std::vector<Model>& models, const std::string& model,
                          const std::string& effort) {
  const auto place = [](std::string_view word) {
    return std::find(kEffortOrder.begin(), kEffortOrder.end(), word) - kEffortOrder.begin();
  };
  const Model* row = FindModel(models, model);
  if (row == nullptr || place(effort) == std::ssize(kEffortOrder)) return "";
  std::string nearest;
  for (const std::string& word : row->efforts) {
    if (place(word) == std::ssize(kEffortOrder)) continue;
    const auto distance = std::abs(place(word) - place(effort));
    if (nearest.empty() || distance < std::abs(place(nearest) - place(effort))) nearest = word;
  }
  return nearest;
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
