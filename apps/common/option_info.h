#ifndef CURSORWIRE_APPS_COMMON_OPTION_INFO_H_
#define CURSORWIRE_APPS_COMMON_OPTION_INFO_H_

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cursor_apps {

// What --help, the man page and the completions of shells say of an option. A value.
struct OptionInfo {
  std::vector<std::string> names{};  // with their dashes, the short ones first
  std::string type{};                // "FILE", or "text|json"; empty: a flag
  std::string description{};         // without line breaks
  bool required = false;

  // The words of a type such as "text|json"; empty: it is no list of words.
  std::vector<std::string> choices() const;
  bool takes_file() const {
    return type == "FILE" || type == "PEM" || type == "DIR" || type == "PATH";
  }
};

// The options of `app` that are not hidden, in the order of --help: its own, then those of its
// option groups. Without those of subcommands, and without positional arguments.
std::vector<OptionInfo> Describe(const CLI::App& app);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_OPTION_INFO_H_
