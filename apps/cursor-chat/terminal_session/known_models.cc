#include "terminal_session/known_models.h"

#include <algorithm>
#include <stop_token>
#include <utility>

namespace cursor_chat {
namespace {

bool Means(const cursorwire::Model& model, const std::string& id) {
  if (model.id == id || (model.id == "auto" && id == "default")) return true;
  if (std::find(model.aliases.begin(), model.aliases.end(), id) != model.aliases.end()) return true;
  return std::any_of(
      model.slugs.begin(), model.slugs.end(),
      [&id](const cursorwire::ModelSlug& slug) { return slug.id == id || slug.base == id; });
}

}  // namespace

absl::StatusOr<const cursorwire::ModelList*> KnownModels::Get() {
  if (!list_) {
    std::stop_source stop;
    const TurnStop::Cancel cancels(stop_, [&stop] { stop.request_stop(); });
    absl::StatusOr<cursorwire::ModelList> list = client_.ListModels(stop.get_token());
    if (!list.ok()) return list.status();
    list_ = *std::move(list);
  }
  return &*list_;
}

std::vector<std::string> KnownModels::Ids() {
  std::vector<std::string> ids;
  const auto list = Get();
  if (!list.ok()) return ids;
  for (const cursorwire::Model& model : (*list)->models) ids.push_back(model.id);
  return ids;
}

std::vector<std::string> KnownModels::EffortsOf(const std::string& model) {
  const auto list = Get();
  return list.ok() ? FindEfforts(**list, model) : std::vector<std::string>();
}

std::vector<std::string> FindEfforts(const cursorwire::ModelList& list, const std::string& id) {
  const auto found = std::find_if(list.models.begin(), list.models.end(),
                                  [&id](const auto& model) { return Means(model, id); });
  return found == list.models.end() ? std::vector<std::string>() : found->efforts;
}

}  // namespace cursor_chat
