#include "base/secret_headers.h"

#include <algorithm>

namespace cursorwire {
namespace {

constexpr std::string_view kSecretHeaders[] = {"authorization", "proxy-authorization", "cookie",
                                               "set-cookie", "x-cursor-*"};

}  // namespace

bool MatchesHeader(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

bool IsSecretHeader(std::string_view name) {
  return std::any_of(std::begin(kSecretHeaders), std::end(kSecretHeaders),
                     [name](std::string_view pattern) { return MatchesHeader(pattern, name); });
}

void AddSecretWords(std::string_view value, std::vector<std::string>& secrets) {
  const size_t space = value.find(' ');
  if (space != std::string_view::npos) secrets.emplace_back(value.substr(space + 1));
  while (!value.empty()) {
    const size_t end = std::min(value.find_first_of(" ;,="), value.size());
    if (end > 0) secrets.emplace_back(value.substr(0, end));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

}  // namespace cursorwire
