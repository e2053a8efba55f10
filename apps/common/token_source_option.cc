#include "common/token_source_option.h"

#include <string>
#include <utility>

namespace cursor_apps {

void AddTokenSource(CLI::App& app, std::vector<cursorwire::CredentialPlace>& places) {
  const auto parse = [&places](const std::string& text) {
    auto parsed = cursorwire::ParseCredentialPlaces(text);
    if (!parsed.ok()) {
      throw CLI::ValidationError("--token-source", std::string(parsed.status().message()));
    }
    places = *std::move(parsed);
  };
  app.add_option_function<std::string>(
         "--token-source", parse,
         "Where a login may be, in order: env, store,\ncli (these by default) and desktop")
      ->type_name("LIST");
}

}  // namespace cursor_apps
