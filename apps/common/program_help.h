#ifndef CURSORWIRE_APPS_COMMON_PROGRAM_HELP_H_
#define CURSORWIRE_APPS_COMMON_PROGRAM_HELP_H_

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace cursor_apps {

// The man page and the completions of a program whose commands are subcommands of CLI11. They hold
// the options of the program, and the options and positional arguments of each command; without
// hidden ones, and without subcommands of subcommands.

// The man page, in the language of man(7). In footers, indented lines are examples.
std::string ManPage(const CLI::App& app, std::string_view version);

enum class Shell { kBash, kZsh, kFish };

// From "bash", "zsh" or "fish".
std::optional<Shell> ParseShell(std::string_view name);

// The script with which that shell completes the command line. An option or argument of a type such
// as "text|json" has these words as values, one of the type FILE, PEM, DIR or PATH has files. For
// an argument its name does as well.
std::string Completion(Shell shell, const CLI::App& app);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_PROGRAM_HELP_H_
