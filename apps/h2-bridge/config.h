#ifndef CURSORWIRE_APPS_H2_BRIDGE_CONFIG_H_
#define CURSORWIRE_APPS_H2_BRIDGE_CONFIG_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace h2_bridge {

inline constexpr char kDefaultUrl[] = "https://api2.cursor.sh";
inline constexpr char kDefaultPath[] = "/agent.v1.AgentService/Run";
// Longest message that is read as JSON: the configuration, and `open`.
inline constexpr size_t kMaxCommandBytes = size_t{1024} * 1024;
inline constexpr std::chrono::milliseconds kDefaultConnectTimeout{30'000};
inline constexpr std::chrono::milliseconds kDefaultPingInterval{20'000};
// For parents that do not say `persistent`. The default for the others is 0: no limit.
inline constexpr std::chrono::milliseconds kOlderParentIdleTimeout{120'000};
// Longest time that a key may set.
inline constexpr std::chrono::milliseconds kMaxMilliseconds{2'147'483'647};

// How long the bridge lives, which the parent says with `persistent`. Source: docs/bridge.md,
// "Ends".
enum class Lifetime {
  kResponse,    // key missing, the older parent: until the response has ended
  kRequest,     // false: until the parent has ended its request
  kPersistent,  // anything else: any number of responses, until the parent closes its side
};

// The first message of the parent. A value.
struct Config {
  std::string access_token{};
  std::string url = kDefaultUrl;
  std::string path = kDefaultPath;
  bool unary = false;
  Lifetime lifetime = Lifetime::kResponse;
  // 0: no limit.
  std::chrono::milliseconds connect_timeout = kDefaultConnectTimeout;
  std::chrono::milliseconds idle_timeout{0};
  std::chrono::milliseconds ping_interval = kDefaultPingInterval;
};

// Keys of another type than expected count as missing; unknown keys are ignored.
//   kInvalidArgument  no JSON, or no object; the text is not quoted
absl::StatusOr<Config> ParseConfig(std::string_view json);

// The command of a persistent session that starts its next run. A value.
struct OpenCommand {
  std::string access_token{};  // empty: that of the configuration
};

// nullopt: `message` is not this command, so it is bytes of a request.
std::optional<OpenCommand> ParseOpenCommand(std::string_view message);

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_CONFIG_H_
