#ifndef CURSORWIRE_APPS_COMMON_PROXY_OPTION_H_
#define CURSORWIRE_APPS_COMMON_PROXY_OPTION_H_

#include <absl/status/statusor.h>
#include <cursorwire/connect/channel_options.h>

#include <CLI/CLI.hpp>
#include <string>

#include "proxy/proxy_choice.h"

namespace cursor_apps {

// What --proxy says; "" is a direct connection. The password of a user in it is that of
// CURSORWIRE_PROXY_PASSWORD: others can read a command line.
//   kInvalidArgument  it is not the URL of a proxy, or has a password
absl::StatusOr<cursorwire::connect::ProxyChoice> ParseProxyOption(
    const std::string& url,
    const cursorwire::proxy::Environment& environment = cursorwire::proxy::OwnEnvironment);

// The option --proxy. Without it `proxy` is as it was.
CLI::Option* AddProxy(CLI::App& app, cursorwire::connect::ProxyChoice& proxy);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_PROXY_OPTION_H_
