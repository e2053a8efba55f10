#include "agent/models/model_names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "agent/models/model_slug.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

constexpr size_t kMaxNames = 12;
constexpr size_t kMaxShown = 80;     // bytes of a name
constexpr size_t kMaxCompared = 48;  // bytes of a name; the cost is quadratic in this

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Letters to insert, delete or replace to turn one into the other (Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxCompared);
  b = b.substr(0, kMaxCompared);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

const ModelSlug* SlugWithEffort(const Model& model, const std::string& id) {
  for (const ModelSlug& slug : model.slugs) {
    if (slug.id == id && !slug.effort.empty()) return &slug;
  }
  return nullptr;
}

// True if the ids of `model` differ only in effort and `id` is the part that they share.
bool IsFamily(const Model& model, const std::string& id) {
  if (!model.variants.empty() || model.slugs.empty()) return false;
  const ModelSlug& slug = model.slugs.front();
  return id == BuildSlug({.base = slug.base, .thinking = slug.thinking, .fast = slug.fast});
}

}  // namespace

FoundModel FindModel(const std::vector<Model>& models, const std::string& name) {
  const std::string id = name.empty() || name == "default" ? "auto" : name;
  for (const Model& model : models) {
    if (model.id == id) return {&model, SlugWithEffort(model, id)};
  }
  for (const Model& model : models) {
    for (const ModelSlug& slug : model.slugs) {
      if (slug.id == id || Contains(slug.aliases, id)) return {&model, &slug};
    }
  }
  for (const Model& model : models) {
    if (Contains(model.aliases, id)) return {&model, nullptr};
  }
  for (const Model& model : models) {
    if (IsFamily(model, id)) return {&model, nullptr};
  }
  return {};
}

std::vector<std::string> NearNames(const std::vector<Model>& models, const std::string& name) {
  std::vector<std::pair<size_t, std::string>> ranked;
  ranked.reserve(models.size());
  for (const Model& model : models) ranked.emplace_back(EditDistance(name, model.id), model.id);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (const auto& [distance, id] : ranked) {
    if (names.size() == kMaxNames) break;
    names.push_back(Printable(id, kMaxShown));
  }
  return names;
}

}  // namespace cursorwire::agent
