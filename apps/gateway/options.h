#ifndef CURSORWIRE_APPS_GATEWAY_OPTIONS_H_
#define CURSORWIRE_APPS_GATEWAY_OPTIONS_H_

#include <cursorwire/connect/channel_options.h>
#include <cursorwire/credentials.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/model_map.h"
#include "common/allow.h"
#include "origin_check.h"

namespace cursor_gateway {

// The command line. A value.
struct Options {
  std::string address = "127.0.0.1";  // of IPv4 or IPv6, without brackets
  uint16_t port = 0;                  // 0: the system chooses
  OwnNames names{};
  std::string endpoint{};      // empty: as the library chooses
  std::string api_endpoint{};  // empty: as the library chooses
  std::string ca_file{};       // empty: the roots of the system
  cursorwire::connect::ProxyChoice proxy{.from_environment = true};
  std::string client_version{};  // empty: as the library finds it
  bool local = false;
  std::vector<cursorwire::CredentialPlace> token_places = cursorwire::CredentialsOptions{}.places;
  std::string key_file{};   // empty: no keys
  std::string state{};      // a folder, or a URL of PostgreSQL; empty: none
  std::string workspace{};  // empty: none
  ModelMap model_map{};
  std::string mcp_config{};  // a file of servers; empty: none
  cursor_apps::Allow allow{};
  cursorwire::SandboxMode sandbox = cursorwire::SandboxMode::kAuto;
  std::vector<std::string> variables{};  // of the agent's commands, as of LocalExecOptions
  bool parks = true;
  bool context_as_prompt = false;
  std::chrono::seconds max_idle{600};
  std::chrono::seconds max_time{3600};
  std::chrono::seconds drain_time{60};

  // Without a key file, where the agent may do more than read: every user of this machine can reach
  // the port.
  bool makes_key() const {
    const bool acts = allow.write || allow.shell || allow.ask || !mcp_config.empty();
    return acts && key_file.empty();
  }
};

// The exit code of a command line that is wrong, or that asks for help, which is printed.
std::variant<Options, int> ParseOptions(int argc, char** argv);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPTIONS_H_
