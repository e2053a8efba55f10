#ifndef CURSORWIRE_APPS_COMMON_USAGE_JSON_H_
#define CURSORWIRE_APPS_COMMON_USAGE_JSON_H_

#include <cursorwire/chat.h>

#include <nlohmann/json.hpp>

namespace cursor_apps {

// The tokens of a turn, of which only those stand there that the service told: docs/agent.md.
inline nlohmann::json UsageJson(const cursorwire::Usage& usage) {
  nlohmann::json object = nlohmann::json::object();
  const auto add = [&object](const char* name, const std::optional<int64_t>& value) {
    if (value) object[name] = *value;
  };
  add("input_tokens", usage.input_tokens);
  add("output_tokens", usage.output_tokens);
  add("cache_read_tokens", usage.cache_read_tokens);
  add("cache_write_tokens", usage.cache_write_tokens);
  add("reasoning_tokens", usage.reasoning_tokens);
  return object;
}

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_USAGE_JSON_H_
