#include "http/http_message.h"

#include <absl/strings/match.h>

#include <algorithm>

namespace cursor_gateway {

const std::string* HttpHead::Find(std::string_view name) const {
  const auto it = std::find_if(fields.begin(), fields.end(),
                               [name](const auto& field) { return SameWord(field.first, name); });
  return it == fields.end() ? nullptr : &it->second;
}

size_t HttpHead::Count(std::string_view name) const {
  return static_cast<size_t>(std::count_if(fields.begin(), fields.end(), [name](const auto& field) {
    return SameWord(field.first, name);
  }));
}

bool SameWord(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(absl::string_view(a.data(), a.size()),
                                absl::string_view(b.data(), b.size()));
}

}  // namespace cursor_gateway
