#include "hide_token.h"

#include <stdlib.h>
#include <string.h>

namespace cursor_chat {

void HideTokens() {
  for (const char* name : kTokenVariables) {
    char* value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    // The length stays: a shorter value would leave the rest of the old one behind it.
    if (value != nullptr) ::memset(value, 'x', ::strlen(value));
  }
}

}  // namespace cursor_chat
