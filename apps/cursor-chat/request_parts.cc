#include "request_parts.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "own_files.h"
#include "tools_file.h"

namespace cursor_chat {
namespace {

// A question at the terminal must be ours: a tool could paint over it, or imitate one.
CommandErrors ErrorsOf(const Allow& allow) {
  return allow.ask && ::isatty(STDERR_FILENO) != 0 ? CommandErrors::kDropped : CommandErrors::kOurs;
}

}  // namespace

absl::StatusOr<cursorwire::ToolRegistry> OfferedTools(const Options& options,
                                                      RunningCommands& running) {
  cursorwire::ToolRegistry registry =
      MakeTools(options.own_files->tools, options.mode, ErrorsOf(options.allow), running);
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
