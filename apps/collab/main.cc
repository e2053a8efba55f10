// cursor-collab: shares a text with people, editors and an agent. See cursor-collab --help.
#include <signal.h>

#include <iostream>
#include <variant>

#include "agent.h"
#include "common/exit_code.h"
#include "common/hide_memory.h"
#include "common/interrupt.h"
#include "common/standard_stream.h"
#include "nvim_helper.h"
#include "oct.h"
#include "options.h"
#include "output.h"
#include "watch.h"

namespace cursor_collab {
namespace {

int Run(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  switch (options.command) {
    case Command::kWatch:
      return Watch(options, interrupt, output);
    case Command::kNvimHelper:
      return RunNvimHelper(options, interrupt, output);
    case Command::kAgent:
      return RunAgent(options, interrupt, output);
    case Command::kOct:
      return RunOct(options, interrupt, output);
  }
  return cursor_apps::kExitOther;
}

int Main(int argc, char** argv) {
  cursor_apps::HideMemory();
  cursor_apps::OpenStandardStreams();
  ::signal(SIGPIPE, SIG_IGN);  // so that a closed pipe shows as a failed write
  const std::variant<Options, int> parsed = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  Output output;
  cursor_apps::Interrupt interrupt([] {});
  if (!interrupt.status().ok()) return output.Fail(interrupt.status());
  const int exit_code = Run(std::get<Options>(parsed), interrupt, output);
  if (interrupt.signal() != 0) return cursor_apps::kExitSignal + interrupt.signal();
  return output.status().ok() ? exit_code : output.Fail(output.status());
}

}  // namespace
}  // namespace cursor_collab

int main(int argc, char** argv) { return cursor_collab::Main(argc, argv); }
