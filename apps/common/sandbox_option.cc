#include "common/sandbox_option.h"

#include <map>
#include <string>

namespace cursor_apps {

using cursorwire::SandboxMode;

CLI::Option* AddSandbox(CLI::App& app, SandboxMode& mode) {
  const auto parse = [&mode](const std::string& word) {
    const std::map<std::string, SandboxMode> modes = {{"auto", SandboxMode::kAuto},
                                                      {"require", SandboxMode::kRequire},
                                                      {"partial", SandboxMode::kPartial},
                                                      {"off", SandboxMode::kOff}};
    const auto found = modes.find(word);
    if (found == modes.end()) {
      throw CLI::ValidationError("--sandbox",
                                 "must be auto, require, partial or off, not '" + word + "'");
    }
    mode = found->second;
  };
  return app
      .add_option_function<std::string>("--sandbox", parse,
                                        "Where commands run: in the sandbox if there is\none "
                                        "(auto, the default), there or not at "
                                        "all,\nalso if there is but a part, or as you")
      ->type_name("auto|require|partial|off");
}

void CheckSandbox(const Allow& allow, SandboxMode mode) {
  if (allow.sandboxed && mode == SandboxMode::kOff) {
    throw CLI::ValidationError("--allow", "sandboxed needs a sandbox, and --sandbox is off");
  }
}

}  // namespace cursor_apps
