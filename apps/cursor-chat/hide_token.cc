#include "hide_token.h"

#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

namespace cursor_chat {

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

}  // namespace cursor_chat
