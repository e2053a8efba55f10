#include "config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "json/json_member.h"
#include "json_text.h"

namespace h2_bridge {
namespace {

using cursorwire::TextOf;
using nlohmann::json;
using std::chrono::milliseconds;

std::string TextOf(const json& object, const char* key, const char* fallback) {
  std::string text = TextOf(object, key);
  return text.empty() ? fallback : text;
}

// Numbers, and strings that hold one.
std::optional<double> NumberOf(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

milliseconds TimeOf(const json& object, const char* key, milliseconds fallback) {
  const std::optional<double> number = NumberOf(cursorwire::MemberOf(object, key));
  if (!number || !std::isfinite(*number) || *number < 0) return fallback;
  const auto most = static_cast<double>(kMaxMilliseconds.count());
  return milliseconds(static_cast<milliseconds::rep>(std::min(std::floor(*number), most)));
}

Lifetime LifetimeOf(const json& object) {
  const auto at = object.find("persistent");
  if (at == object.end()) return Lifetime::kResponse;
  return *at == false ? Lifetime::kRequest : Lifetime::kPersistent;
}

}  // namespace

absl::StatusOr<Config> ParseConfig(std::string_view json_text) {
  const json object = ParseJson(json_text);
  if (object.is_discarded()) {
    return absl::InvalidArgumentError("the configuration is not JSON");
  }
  if (!object.is_object()) {
    return absl::InvalidArgumentError("the configuration is not a JSON object");
  }
  Config config;
  config.access_token = TextOf(object, "accessToken");
  config.url = TextOf(object, "url", kDefaultUrl);
  config.path = TextOf(object, "path", kDefaultPath);
  if (!config.path.starts_with('/')) config.path.insert(0, 1, '/');
  config.unary = cursorwire::FlagOf(object, "unary");
  config.lifetime = LifetimeOf(object);
  config.connect_timeout = TimeOf(object, "connectTimeoutMs", kDefaultConnectTimeout);
  const bool older = config.lifetime == Lifetime::kResponse;
  config.idle_timeout =
      TimeOf(object, "idleTimeoutMs", older ? kOlderParentIdleTimeout : milliseconds(0));
  config.ping_interval = TimeOf(object, "pingIntervalMs", kDefaultPingInterval);
  if (config.unary) config.lifetime = Lifetime::kResponse;
  return config;
}

std::optional<OpenCommand> ParseOpenCommand(std::string_view message) {
  if (!message.starts_with('{')) return std::nullopt;
  const json object = ParseJson(message);
  if (!object.is_object() || TextOf(object, "cmd") != "open") return std::nullopt;
  return OpenCommand{.access_token = TextOf(object, "accessToken")};
}

}  // namespace h2_bridge
