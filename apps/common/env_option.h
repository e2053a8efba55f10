#ifndef CURSORWIRE_APPS_COMMON_ENV_OPTION_H_
#define CURSORWIRE_APPS_COMMON_ENV_OPTION_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cursor_apps {

// The option --env, which adds to `variables`, as of LocalExecOptions. Our own tokens are refused:
// whoever has one is the user to the service.
void AddEnv(CLI::App& app, std::vector<std::string>& variables);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_ENV_OPTION_H_
