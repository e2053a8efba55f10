#include "commands/models.h"

#include <cursorwire/connect/error_info.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/json_line.h"
#include "markdown/text_width.h"
#include "output/notices.h"
#include "output/redacted_json.h"

namespace cursor_chat {
namespace {

using cursorwire::Model;
using nlohmann::json;

using Row = std::vector<std::string>;

// "272k", "1m", or just the number.
std::string Tokens(int64_t tokens) {
  if (tokens >= 1'000'000 && tokens % 1'000'000 == 0)
    return std::to_string(tokens / 1'000'000) + "m";
  if (tokens >= 1'000 && tokens % 1'000 == 0) return std::to_string(tokens / 1'000) + "k";
  return std::to_string(tokens);
}

std::string MaxMode(const Model& model) {
  if (!model.supports_max_mode) return "-";
  return model.max_mode_context_tokens > 0 ? Tokens(model.max_mode_context_tokens) : "yes";
}

std::string Images(const Model& model) {
  if (!model.supports_images) return "?";
  return *model.supports_images ? "yes" : "-";
}

std::string Efforts(const Model& model) {
  std::string words;
  for (const std::string& effort : model.efforts) words += (words.empty() ? "" : " ") + effort;
  return words.empty() ? "-" : words;
}

json ToJson(const cursorwire::ModelVariant& variant) {
  json parameters = json::array();
  for (const cursorwire::ModelParameter& parameter : variant.parameters) {
    parameters.push_back({{"id", parameter.id}, {"value", parameter.value}});
  }
  return {{"parameters", parameters},
          {"display_name", variant.display_name},
          {"max_mode", variant.is_max_mode},
          {"default_with_max_mode", variant.is_default_max_config},
          {"default_without_max_mode", variant.is_default_non_max_config}};
}

json ToJson(const cursorwire::ModelSlug& slug) {
  return {{"id", slug.id},     {"effort", slug.effort},     {"thinking", slug.thinking},
          {"fast", slug.fast}, {"max_mode", slug.max_mode}, {"aliases", slug.aliases}};
}

json ToJson(const absl::Status& failure) {
  return {{"code", std::string(cursorwire::connect::CodeText(failure.code()))},
          {"message", std::string(failure.message())}};
}

json ToJson(const Model& model);

template <typename T>
json ToJson(const std::vector<T>& items) {
  json array = json::array();
  for (const T& item : items) array.push_back(ToJson(item));
  return array;
}

json ToJson(const Model& model) {
  json images;  // null: unknown
  if (model.supports_images) images = *model.supports_images;
  return {{"id", model.id},
          {"display_name", model.display_name},
          {"vendor", model.vendor},
          {"tagline", model.tagline},
          {"aliases", model.aliases},
          {"context_tokens", model.context_tokens},
          {"context_is_guess", model.context_is_guess},
          {"max_mode_context_tokens", model.max_mode_context_tokens},
          {"supports_max_mode", model.supports_max_mode},
          {"max_mode_with_all", model.max_mode_with_all},
          {"requires_max_mode", model.requires_max_mode},
          {"supports_images", images},
          {"supports_thinking", model.supports_thinking},
          {"efforts", model.efforts},
          {"contexts", model.contexts},
          {"variants", ToJson(model.variants)},
          {"slugs", ToJson(model.slugs)}};
}

}  // namespace

std::string ModelTable(const std::vector<Model>& models) {
  std::vector<Row> rows = {{"MODEL", "CONTEXT", "MAX", "IMAGES", "EFFORT"}};
  for (const Model& model : models) {
    const std::string guess = model.context_is_guess ? "~" : "";
    rows.push_back({OneLine(model.id), guess + Tokens(model.context_tokens), MaxMode(model),
                    Images(model), OneLine(Efforts(model))});
  }
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], markdown::TextWidth(row[i]));
  }
  std::string table;
  for (const Row& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      table += markdown::PadTo(row[i], widths[i] + 2);
    }
    table += row.back() + "\n";
  }
  return table;
}

absl::Status PrintModels(const cursorwire::Client& client, const Options& options, Output& output,
                         const std::stop_token& stop) {
  const absl::StatusOr<cursorwire::ModelList> list = client.ListModels(stop);
  if (!list.ok()) return list.status();
  for (const absl::Status& failure : list->failures) PrintWarning(output, failure);
  if (options.format == Format::kText) {
    output.Write(output.redactor().Redact(ModelTable(list->models)));
  } else {
    json object = {{"models", ToJson(list->models)}, {"failures", ToJson(list->failures)}};
    RedactStrings(output.redactor(), object);
    output.Write(cursor_apps::JsonLine(object) + "\n");
  }
  return absl::OkStatus();
}

absl::StatusOr<cursorwire::ChosenModel> ChooseModel(const cursorwire::Client& client,
                                                    const std::string& name, const Options& options,
                                                    Output& output, const std::stop_token& stop) {
  if (!NeedsModels(options)) return ChooseModelFrom(nullptr, name, options);
  const absl::StatusOr<cursorwire::ModelList> list = client.ListModels(stop);
  if (!list.ok()) return list.status();
  for (const absl::Status& failure : list->failures) PrintWarning(output, failure);
  return ChooseModelFrom(&*list, name, options);
}

absl::StatusOr<cursorwire::ChosenModel> ChooseModelFrom(const cursorwire::ModelList* list,
                                                        const std::string& name,
                                                        const Options& options) {
  if (list == nullptr || !NeedsModels(options)) {
    return cursorwire::ChosenModel{.model_id = name == "auto" ? "default" : name};
  }
  cursorwire::ModelWish wish{.model = name, .effort = options.effort, .context = options.context};
  if (options.max_mode) wish.max_mode = true;
  return cursorwire::ChooseModel(list->models, wish);
}

bool NeedsModels(const Options& options) {
  return !options.effort.empty() || !options.context.empty() || options.max_mode;
}

}  // namespace cursor_chat
