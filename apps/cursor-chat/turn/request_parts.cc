#include "turn/request_parts.h"

#include <cursorwire/command_tools.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "own_files.h"
#include "turn/allow.h"

namespace cursor_chat {
namespace {

// A question at the terminal must be ours: a tool could paint over it, or imitate one.
cursorwire::CommandErrors ErrorsOf(const Allow& allow) {
  using enum cursorwire::CommandErrors;
  return allow.ask && ::isatty(STDERR_FILENO) != 0 ? kDropped : kOurs;
}

}  // namespace

absl::StatusOr<cursorwire::ToolRegistry> OfferedTools(const Options& options,
                                                      RunningCommands& running) {
  cursorwire::ToolRegistry registry;
  const auto policy = [mode = options.mode](const cursorwire::ToolCall& /*call*/) {
    return CheckMode(mode);
  };
  running.tools().AddTo(registry, options.own_files->tools,
                        {.errors = ErrorsOf(options.allow), .policy = policy});
  if (registry.status().ok()) return registry;
  return absl::InvalidArgumentError(options.tools_file + ": " +
                                    std::string(registry.status().message()));
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
