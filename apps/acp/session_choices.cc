#include "acp/session_choices.h"

#include <algorithm>

namespace cursor_acp {
namespace {

using cursorwire::AgentMode;
using cursorwire::Model;

struct ModeRow {
  AgentMode mode;
  const char* id;
  const char* name;
  const char* description;
};
constexpr ModeRow kModes[] = {
    {AgentMode::kAgent, "agent", "Agent", "Changes files and runs commands"},
    {AgentMode::kPlan, "plan", "Plan", "Makes a plan and changes nothing"},
    {AgentMode::kAsk, "ask", "Ask", "Answers and changes nothing"},
    {AgentMode::kDebug, "debug", "Debug", "Looks for the cause of a fault"}};

constexpr char kModeOption[] = "mode";
constexpr char kModelOption[] = "model";
constexpr char kEffortOption[] = "effort";
// Value of kEffortOption for no wish.
constexpr char kDefaultEffort[] = "default";

const Model* FindModel(const std::vector<Model>& models, const std::string& id) {
  const auto model =
      std::find_if(models.begin(), models.end(), [&id](const Model& m) { return m.id == id; });
  return model == models.end() ? nullptr : &*model;
}

Json Select(const char* id, const char* name, const char* category, const std::string& current,
            Json options) {
  return {{"id", id},
          {"name", name},
          {"category", category},
          {"type", "select"},
          {"currentValue", current},
          {"options", std::move(options)}};
}

Json ModeOption(const Choices& choices) {
  Json options = Json::array();
  for (const ModeRow& row : kModes) {
    options.push_back({{"value", row.id}, {"name", row.name}, {"description", row.description}});
  }
  return Select(kModeOption, "Mode", "mode", std::string(NameOf(choices.mode)), std::move(options));
}

Json ModelOption(const Choices& choices, const std::vector<Model>& models) {
  Json options = Json::array();
  if (FindModel(models, choices.model) == nullptr) {
    options.push_back({{"value", choices.model}, {"name", choices.model}});
  }
  for (const Model& model : models) {
    if (options.size() >= kMaxModelChoices) break;
    options.push_back({{"value", model.id},
                       {"name", model.display_name.empty() ? model.id : model.display_name}});
  }
  return Select(kModelOption, "Model", "model", choices.model, std::move(options));
}

// Null: the model has no efforts.
Json EffortOption(const Choices& choices, const std::vector<Model>& models) {
  const Model* model = FindModel(models, choices.model);
  if (model == nullptr || model->efforts.empty()) return {};
  Json options = Json::array({{{"value", kDefaultEffort}, {"name", "Default"}}});
  for (const std::string& effort : model->efforts) {
    options.push_back({{"value", effort}, {"name", effort}});
  }
  return Select(kEffortOption, "Effort", "thought_level",
                choices.effort.empty() ? kDefaultEffort : choices.effort, std::move(options));
}

bool HasEffort(const Model* model, const std::string& effort) {
  return model != nullptr &&
         std::find(model->efforts.begin(), model->efforts.end(), effort) != model->efforts.end();
}

absl::Status BadValue(const char* option) {
  return absl::InvalidArgumentError(std::string("value is none of the option ") + option);
}

absl::Status SetModel(const std::string& value, const std::vector<Model>& models,
                      Choices& choices) {
  const Model* model = FindModel(models, value);
  if (model == nullptr && value != choices.model) return BadValue(kModelOption);
  choices.model = value;
  if (!HasEffort(model, choices.effort)) choices.effort.clear();
  return absl::OkStatus();
}

}  // namespace

std::string_view NameOf(AgentMode mode) {
  for (const ModeRow& row : kModes) {
    if (row.mode == mode) return row.id;
  }
  return kModes[0].id;
}

std::optional<AgentMode> ModeNamed(std::string_view name) {
  for (const ModeRow& row : kModes) {
    if (name == row.id) return row.mode;
  }
  return std::nullopt;
}

Json DescribeModes(const Choices& choices) {
  Json modes = Json::array();
  for (const ModeRow& row : kModes) {
    modes.push_back({{"id", row.id}, {"name", row.name}, {"description", row.description}});
  }
  return {{"currentModeId", std::string(NameOf(choices.mode))},
          {"availableModes", std::move(modes)}};
}

Json DescribeOptions(const Choices& choices, const std::vector<Model>& models) {
  Json options = Json::array({ModeOption(choices), ModelOption(choices, models)});
  if (Json effort = EffortOption(choices, models); !effort.is_null()) {
    options.push_back(std::move(effort));
  }
  return options;
}

absl::Status SetOption(const std::string& config_id, const std::string& value,
                       const std::vector<Model>& models, Choices& choices) {
  if (config_id == kModeOption) {
    const std::optional<AgentMode> mode = ModeNamed(value);
    if (!mode) return BadValue(kModeOption);
    choices.mode = *mode;
    return absl::OkStatus();
  }
  if (config_id == kModelOption) return SetModel(value, models, choices);
  if (config_id != kEffortOption) {
    return absl::InvalidArgumentError("configId is none of mode, model and effort");
  }
  if (value == kDefaultEffort) {
    choices.effort.clear();
    return absl::OkStatus();
  }
  if (!HasEffort(FindModel(models, choices.model), value)) return BadValue(kEffortOption);
  choices.effort = value;
  return absl::OkStatus();
}

}  // namespace cursor_acp
