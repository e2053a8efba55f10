#include "common/hide_token.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_apps {
namespace {

bool IsSecret(std::string_view variable) {
  return std::any_of(
      std::begin(kTokenVariables), std::end(kTokenVariables), [variable](std::string_view name) {
        return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
      });
}

}  // namespace

cursorwire::connect::Redactor TokenRedactor() {
  std::vector<std::string> tokens;
  for (const char* name : kTokenVariables) {
    const char* value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr) tokens.emplace_back(value);
  }
  return cursorwire::connect::Redactor(tokens);
}

void HideTokens() {
  for (const char* name : kTokenVariables) {
    char* value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    // Keeps the length: after a shorter value, the rest of the old one would remain.
    if (value != nullptr) ::memset(value, 'x', ::strlen(value));
  }
}

std::vector<char*> EnvironmentWithoutTokens() {
  std::vector<char*> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (!IsSecret(*variable)) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  return variables;
}

}  // namespace cursor_apps
