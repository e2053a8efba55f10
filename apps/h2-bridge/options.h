#ifndef CURSORWIRE_APPS_H2_BRIDGE_OPTIONS_H_
#define CURSORWIRE_APPS_H2_BRIDGE_OPTIONS_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

namespace h2_bridge {

// The command line. Parents give none of these. A value.
struct Options {
  std::string ca_file{};
  std::string log_file{};
  bool proxy_from_environment = false;
  bool allow_plaintext = false;
  bool show_help = false;
  bool show_version = false;
};

//   kInvalidArgument  an unknown argument, or one without its value
absl::StatusOr<Options> ParseOptions(const std::vector<std::string_view>& arguments);

extern const char kHelp[];

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_OPTIONS_H_
