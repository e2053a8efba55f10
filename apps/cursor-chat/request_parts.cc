#include "request_parts.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "tools_file.h"

namespace cursor_chat {
namespace {

// A question at the terminal must be ours: a tool could paint over it, or imitate one.
CommandErrors ErrorsOf(const Allow& allow) {
  return allow.ask && ::isatty(STDERR_FILENO) != 0 ? CommandErrors::kDropped : CommandErrors::kOurs;
}

}  // namespace

absl::StatusOr<cursorwire::ToolRegistry> ReadTools(const Options& options,
                                                   RunningCommands& running) {
  if (options.tools_file.empty()) return cursorwire::ToolRegistry();
  const absl::StatusOr<std::vector<CommandTool>> tools = ReadToolsFile(options.tools_file);
  if (!tools.ok()) return tools.status();
  cursorwire::ToolRegistry registry =
      MakeTools(*tools, options.mode, ErrorsOf(options.allow), running);
  if (!registry.status().ok()) {
    return absl::InvalidArgumentError(options.tools_file + ": " +
                                      std::string(registry.status().message()));
  }
  return registry;
}

cursorwire::ChatRequest MakeRequest(const Options& options, cursorwire::ChosenModel model) {
  using cursorwire::ThinkTags;
  return {.model = std::move(model.model_id),
          .max_mode = model.max_mode,
          .model_parameters = std::move(model.parameters),
          .system = options.system,
          .mode = options.mode,
          .think_tags = options.keep_think_tags ? ThinkTags::kKeep : ThinkTags::kAsThinking,
          .timeout = options.max_time,
          .idle_timeout = options.max_idle};
}

}  // namespace cursor_chat
