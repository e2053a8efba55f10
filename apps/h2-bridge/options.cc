#include "options.h"

namespace h2_bridge {

const char kHelp[] = R"(Usage: cursor-h2-bridge [OPTIONS]

Relays length-prefixed messages on standard input and output to one HTTP/2 connection, as a child
process of programs that drive Cursor's API through a bridge. The first message is the configuration,
a JSON object. docs/bridge.md describes the protocol.

Options:
  --cacert FILE     Trust these certificates (PEM) alone
  --proxy-from-env  Connect through the HTTP proxy of https_proxy, http_proxy or all_proxy
  --allow-plaintext Send the token without TLS to hosts other than this machine, where the parent says http:
  --log FILE        Append a line for each event to FILE; no token and no content is in it
  --version         Print the version and exit
  --help            Print this and exit

Exit codes: 0 done; 1 failure, or a bad command line; 2 the connection was lost, another try may help.
)";

absl::StatusOr<Options> ParseOptions(const std::vector<std::string_view>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string name(arguments[i].substr(0, arguments[i].find('=')));
    std::string* const value = name == "--cacert" ? &options.ca_file
                               : name == "--log"  ? &options.log_file
                                                  : nullptr;
    if (value != nullptr) {
      const bool joined = name.size() < arguments[i].size();
      if (!joined && i + 1 == arguments.size()) {
        return absl::InvalidArgumentError(name + " needs a file");
      }
      *value = joined ? arguments[i].substr(name.size() + 1) : arguments[++i];
      if (value->empty()) return absl::InvalidArgumentError(name + " needs a file");
    } else if (arguments[i] == "--proxy-from-env") {
      options.proxy_from_environment = true;
    } else if (arguments[i] == "--allow-plaintext") {
      options.allow_plaintext = true;
    } else if (arguments[i] == "--help" || arguments[i] == "-h") {
      options.show_help = true;
    } else if (arguments[i] == "--version") {
      options.show_version = true;
    } else {
      return absl::InvalidArgumentError("unknown argument " + std::string(arguments[i]));
    }
  }
  return options;
}

}  // namespace h2_bridge
