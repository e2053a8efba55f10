#ifndef CURSORWIRE_APPS_COMMON_TOKEN_SOURCE_OPTION_H_
#define CURSORWIRE_APPS_COMMON_TOKEN_SOURCE_OPTION_H_

#include <cursorwire/credentials.h>

#include <CLI/CLI.hpp>
#include <vector>

namespace cursor_apps {

// The option --token-source, which sets `places`.
void AddTokenSource(CLI::App& app, std::vector<cursorwire::CredentialPlace>& places);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_TOKEN_SOURCE_OPTION_H_
