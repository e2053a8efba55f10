#include "api/model_map.h"

#include <cstddef>

#include "api/concat.h"

namespace cursor_gateway {
namespace {

// Each `*` takes as little as it can; the last one that was met takes more where the rest fails.
bool MatchesPattern(std::string_view pattern, std::string_view name) {
  size_t at = 0;
  size_t star = std::string_view::npos;
  size_t taken = 0;  // where the rest after the star begins in the name
  for (size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.size() && pattern[at] == name[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace

absl::Status ModelMap::Add(std::string_view list) {
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(entry.size() == list.size() ? list.size() : entry.size() + 1);
    const size_t sign = entry.find('=');
    const std::string_view to = sign == std::string_view::npos ? "" : entry.substr(sign + 1);
    if (to.empty() || sign == 0 || to.find('*') != std::string_view::npos) {
      return absl::InvalidArgumentError(Concat("must be FROM=TO, not '", entry, "'"));
    }
    entries_.emplace_back(entry.substr(0, sign), to);
  }
  return absl::OkStatus();
}

std::string ModelMap::Find(const std::string& name) const {
  for (const auto& [from, to] : entries_) {
    if (MatchesPattern(from, name)) return to;
  }
  return name;
}

}  // namespace cursor_gateway
