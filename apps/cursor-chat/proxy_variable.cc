#include "proxy_variable.h"

#include <cstdlib>

namespace cursor_chat {

std::string UnusedProxyVariable() {
  for (const char* name : {"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return name;
  }
  return "";
}

}  // namespace cursor_chat
