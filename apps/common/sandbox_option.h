#ifndef CURSORWIRE_APPS_COMMON_SANDBOX_OPTION_H_
#define CURSORWIRE_APPS_COMMON_SANDBOX_OPTION_H_

#include <cursorwire/sandbox.h>

#include <CLI/CLI.hpp>

#include "common/allow.h"

namespace cursor_apps {

// The option --sandbox.
CLI::Option* AddSandbox(CLI::App& app, cursorwire::SandboxMode& mode);

// Once all options are read. Throws what CLI::App::parse() throws if --allow and --sandbox
// contradict each other.
void CheckSandbox(const Allow& allow, cursorwire::SandboxMode mode);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_SANDBOX_OPTION_H_
