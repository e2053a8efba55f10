#include "agent/models/model_catalog.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "agent/models/model_slug.h"
#include "agent/models/model_words.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kAutoOnTheWire = "default";  // docs/protocol.md, requested model

// An id that can be sent without parameters, and what the service says about it.
struct Slug {
  std::string id{};
  std::string display_name{};
  std::vector<std::string> aliases{};
  bool thinking = false;  // true even if the id does not name it
  bool max_mode = false;
  const AvailableModel* row = nullptr;  // the row that names this id
  SlugParts parts{};
};

std::string_view NameOf(const AvailableModel& row) {
  return ToStd(absl::StripAsciiWhitespace(row.name));
}

bool IsForAgents(const AvailableModel& row) {
  return !row.is_hidden.value_or(false) && !row.is_chat_only.value_or(false) &&
         !row.only_supports_cmd_k.value_or(false);
}

bool HasParameters(const AvailableModel& row) {
  return std::any_of(row.variants.begin(), row.variants.end(),
                     [](const ModelVariant& variant) { return !variant.parameters.empty(); });
}

// The ids of a row except its name.
std::vector<std::string> OtherSlugs(const AvailableModel& row) {
  std::vector<std::string> ids = row.legacy_slugs;
  for (const ModelVariant& variant : row.variants) ids.push_back(variant.legacy_slug);
  std::erase(ids, "");
  return ids;
}

// Keeps the last element of each key, and drops elements without a key.
template <typename T, typename Key>
std::vector<const T*> LastOfEach(const std::vector<T>& items, Key key) {
  std::map<std::string_view, const T*> last;
  for (const T& item : items) last[key(item)] = &item;
  std::vector<const T*> kept;
  for (const auto& [name, item] : last) {
    if (!name.empty()) kept.push_back(item);
  }
  return kept;
}

class Catalog {
 public:
  Catalog(const std::vector<UsableModel>& usable, const AvailableModelsResponse& available) {
    const auto rows = LastOfEach(available.models, NameOf);
    // Names are added before other ids, and shown rows before hidden ones.
    for (const AvailableModel* row : rows) {
      if (IsForAgents(*row)) AddRow(*row);
    }
    for (const AvailableModel* row : rows) {
      IsForAgents(*row) ? AddOtherIds(*row) : Hide(*row);
    }
    for (const UsableModel* model :
         LastOfEach(usable, [](const UsableModel& item) { return std::string_view(item.id); })) {
      AddUsable(*model);
    }
  }

  std::vector<Model> Build() {
    std::vector<std::string> ids;
    for (const auto& [id, slug] : slugs_) ids.push_back(id);
    const std::vector<SlugParts> parts = ParseSlugs(ids);
    size_t index = 0;
    for (auto& [id, slug] : slugs_) {
      slug.parts = parts[index++];
      Place(slug);
    }
    std::vector<Model> models;
    for (auto& [family, group] : groups_) models.push_back(ModelOf(family, group));
    std::stable_sort(models.begin(), models.end(), [](const Model& a, const Model& b) {
      return std::make_tuple(a.id != kAuto, std::string_view(a.id)) <
             std::make_tuple(b.id != kAuto, std::string_view(b.id));
    });
    return models;
  }

 private:
  // What one Model is made from.
  struct Group {
    const AvailableModel* row = nullptr;
    std::vector<const Slug*> slugs;
  };

  void AddRow(const AvailableModel& row) {
    const std::string name(NameOf(row));
    rows_[name] = &row;
    if (HasParameters(row)) {
      groups_[name].row = &row;
    } else {
      slugs_[name] = {.id = name, .display_name = row.client_display_name, .row = &row};
    }
  }

  void AddOtherIds(const AvailableModel& row) {
    for (const std::string& id : OtherSlugs(row)) {
      if (rows_.try_emplace(id, &row).second) slugs_[id] = {.id = id, .row = &row};
    }
    for (const std::string& alias : row.id_aliases) rows_.try_emplace(alias, &row);
  }

  // Hides only ids that no shown row names: AddUsable() looks at those rows first.
  void Hide(const AvailableModel& row) {
    hidden_.emplace(NameOf(row));
    for (const std::string& id : OtherSlugs(row)) hidden_.insert(id);
    hidden_.insert(row.id_aliases.begin(), row.id_aliases.end());
  }

  void AddUsable(const UsableModel& model) {
    const auto row = rows_.find(model.id);
    if (row == rows_.end() && hidden_.contains(model.id)) return;
    Slug& slug = slugs_[model.id];
    slug.id = model.id;
    if (slug.display_name.empty()) slug.display_name = model.display_name;
    slug.aliases = model.aliases;
    slug.thinking = model.thinking;
    slug.max_mode = model.max_mode;
    if (row != rows_.end()) slug.row = row->second;
  }

  // Adds the id to the model whose row names it, or else to the ids that differ only in effort.
  void Place(Slug& slug) {
    if (slug.row != nullptr && HasParameters(*slug.row)) {
      // A row's own name does not end with an effort, even if its siblings' ids do.
      if (slug.id == NameOf(*slug.row)) slug.parts = {.base = slug.id};
      groups_[std::string(NameOf(*slug.row))].slugs.push_back(&slug);
      return;
    }
    SlugParts family = slug.parts;
    family.effort.clear();
    family.effort_behind_thinking = false;
    const std::string id = BuildSlug(family);
    Group& group = groups_[id];
    if (group.row == nullptr || slug.id == id) {
      group.row = slug.row != nullptr ? slug.row : group.row;
    }
    group.slugs.push_back(&slug);
  }

  // `family` is the part that the ids of the group share.
  static Model ModelOf(const std::string& family, const Group& group) {
    Model model{.id = IdOf(family, group)};
    for (const Slug* slug : group.slugs) AddSlug(*slug, model);
    std::stable_sort(model.slugs.begin(), model.slugs.end(),
                     [](const ModelSlug& a, const ModelSlug& b) {
                       return EffortRank(a.effort) < EffortRank(b.effort);
                     });
    if (group.row != nullptr) AddRowTo(*group.row, model);
    const bool is_the_row = group.row != nullptr && NameOf(*group.row) == family;
    if (is_the_row) model.aliases = group.row->id_aliases;
    if (is_the_row) model.display_name = group.row->client_display_name;
    if (model.display_name.empty()) model.display_name = NameOfGroup(group);
    if (model.display_name.empty()) model.display_name = model.id;
    AddWords(model);
    return model;
  }

  // An id that the service listed, so that it can be sent.
  static std::string IdOf(const std::string& family, const Group& group) {
    if (family == kAutoOnTheWire) return std::string(kAuto);
    if (group.row != nullptr && HasParameters(*group.row)) return family;
    const auto rank = [&family](const Slug* slug) {
      return std::make_tuple(slug->id != family, slug->max_mode,
                             EffortDistance(EffortWord(slug->parts.effort)));
    };
    const auto best =
        std::min_element(group.slugs.begin(), group.slugs.end(),
                         [&rank](const Slug* a, const Slug* b) { return rank(a) < rank(b); });
    return (*best)->id;
  }

  static void AddSlug(const Slug& slug, Model& model) {
    model.slugs.push_back({.id = slug.id,
                           .base = slug.parts.base,
                           .effort = EffortWord(slug.parts.effort),
                           .thinking = slug.parts.thinking,
                           .fast = slug.parts.fast,
                           .max_mode = slug.max_mode,
                           .aliases = slug.aliases});
    if (slug.thinking || slug.parts.thinking) model.supports_thinking = true;
  }

  static void AddRowTo(const AvailableModel& row, Model& model) {
    model.vendor = row.vendor ? row.vendor->display_name : "";
    if (model.vendor.empty()) model.vendor = row.vendor_name;
    model.tagline = row.tagline;
    model.context_tokens = std::max<int64_t>(row.context_token_limit.value_or(0), 0);
    model.max_mode_context_tokens =
        std::max<int64_t>(row.context_token_limit_for_max_mode.value_or(0), 0);
    model.supports_max_mode = row.supports_max_mode.value_or(false);
    model.requires_max_mode = !row.supports_non_max_mode.value_or(true);
    model.max_mode_with_all = model.supports_max_mode || model.requires_max_mode;
    model.supports_images = row.supports_images;
    if (row.supports_thinking.value_or(false)) model.supports_thinking = true;
    if (HasParameters(row)) model.variants = row.variants;
  }

  // The name of the id without an effort, or another id's name without the word for its effort.
  static std::string NameOfGroup(const Group& group) {
    for (const Slug* slug : group.slugs) {
      if (slug->parts.effort.empty() && !slug->display_name.empty()) return slug->display_name;
    }
    for (const Slug* slug : group.slugs) {
      if (!slug->display_name.empty()) return NameWithoutEffort(*slug);
    }
    return "";
  }

  static std::string NameWithoutEffort(const Slug& slug) {
    std::string word = " " + slug.parts.effort;
    std::replace(word.begin(), word.end(), '-', ' ');
    const size_t at = ToLower(slug.display_name).find(word);
    if (at == std::string::npos) return slug.display_name;
    const size_t end = at + word.size();
    if (end < slug.display_name.size() && slug.display_name[end] != ' ') return slug.display_name;
    return slug.display_name.substr(0, at) + slug.display_name.substr(end);
  }

  std::map<std::string, const AvailableModel*> rows_;  // by name, other ids and aliases
  std::set<std::string> hidden_;
  std::map<std::string, Slug> slugs_;  // by id
  std::map<std::string, Group> groups_;
};

}  // namespace

std::vector<Model> MergeModels(const std::vector<UsableModel>& usable,
                               const AvailableModelsResponse& available) {
  return Catalog(usable, available).Build();
}

}  // namespace cursorwire::agent
