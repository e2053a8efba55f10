#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_CLI_CONFIG_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_CLI_CONFIG_H_

#include <string>
#include <vector>

#include "client/machine/process_environment.h"

namespace cursorwire {

// What the service told the official CLI about its hosts, as the CLI stores it in
// `cli-config.json`.
// Source: docs/protocol.md, endpoint.
struct CliConfig {
  std::string path{};                     // of the file; empty: no path is known
  std::vector<std::string> agent_urls{};  // best first; not checked
};

// A file that is missing, too large or broken yields no URLs.
CliConfig ReadCliConfig(const ProcessEnvironment& process_environment);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_CLI_CONFIG_H_
