#include "common/option_info.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

namespace cursor_apps {

std::vector<std::string> OptionInfo::choices() const {
  std::vector<std::string> words;
  if (type.find('|') == std::string::npos) return words;
  std::string_view rest = type;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('|'));
    words.emplace_back(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return words;
}

std::vector<OptionInfo> Describe(const CLI::App& app) {
  std::vector<OptionInfo> infos;
  for (const CLI::Option* option : app.get_options()) {
    OptionInfo info;
    for (const std::string& name : option->get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) info.names.push_back("--" + name);
    if (info.names.empty() || option->get_group().empty()) continue;  // positional; hidden
    if (option->get_items_expected_max() > 0) info.type = option->get_type_name();
    info.description = option->get_description();
    std::replace(info.description.begin(), info.description.end(), '\n', ' ');
    info.required = option->get_required();
    infos.push_back(std::move(info));
  }
  // CLI11 holds an option group as a subcommand without a name, which has a --help of its own.
  const auto is_group = [](const CLI::App* part) {
    return part->get_name().empty() && !part->get_group().empty();
  };
  for (const CLI::App* group : app.get_subcommands(is_group)) {
    for (OptionInfo& info : Describe(*group)) {
      const bool is_known = std::any_of(infos.begin(), infos.end(), [&info](const auto& known) {
        return known.names == info.names;
      });
      if (!is_known) infos.push_back(std::move(info));
    }
  }
  return infos;
}

}  // namespace cursor_apps
