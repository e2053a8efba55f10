#include "common/env_option.h"

#include <cursorwire/workspace.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "common/hide_token.h"

namespace cursor_apps {

void AddEnv(CLI::App& app, std::vector<std::string>& variables) {
  const auto add = [&variables](const std::vector<std::string>& given) {
    for (const std::string& variable : given) {
      const absl::Status valid = cursorwire::LocalExecHandler::CheckVariable(variable);
      if (!valid.ok()) throw CLI::ValidationError("--env", std::string(valid.message()));
      const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
      if (std::find(std::begin(kTokenVariables), std::end(kTokenVariables), name) !=
          std::end(kTokenVariables)) {
        throw CLI::ValidationError("--env", std::string(name) + " is never given to a command");
      }
      variables.push_back(variable);
    }
  };
  app.add_option_function<std::vector<std::string>>(
         "--env", add,
         "Let the agent's commands see this variable\nof the environment, beside those that hold\n"
         "no secret; NAME=VALUE sets it for them.\nMay be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

}  // namespace cursor_apps
