#include "commands/trace_commands.h"

#include <cursorwire/script.h>

#include "common/visible_text.h"
#include "output/notices.h"

namespace cursor_chat {
namespace {

absl::StatusOr<cursorwire::TraceContent> ReadWhole(const std::string& file, Output& output) {
  absl::StatusOr<cursorwire::TraceContent> trace = cursorwire::ReadTrace(file);
  if (trace.ok() && trace->is_cut) PrintWarning(output, "the last line of the trace is incomplete");
  return trace;
}

absl::Status Show(const cursorwire::TraceContent& trace, Output& output) {
  for (const cursorwire::TraceCall& call : trace.calls) {
    // What is not ASCII may still hide something from a reader.
    output.Write(
        output.redactor().Redact(cursor_apps::ExactText(cursorwire::DescribeTraceCall(call))));
    if (!output.status().ok()) break;
  }
  return output.status();
}

absl::Status PrintScripts(const cursorwire::TraceContent& trace, Output& output) {
  const absl::StatusOr<cursorwire::TraceScripts> scripts = cursorwire::ScriptsOfTrace(trace);
  if (!scripts.ok()) return scripts.status();
  for (const std::string& omitted : scripts->omitted) {
    PrintWarning(output, "left out: " + omitted);
  }
  output.Write(cursorwire::ScriptsToJson(scripts->scripts));
  return output.status();
}

}  // namespace

absl::Status ShowTrace(const std::string& file, Output& output) {
  const absl::StatusOr<cursorwire::TraceContent> trace = ReadWhole(file, output);
  return trace.ok() ? Show(*trace, output) : trace.status();
}

absl::Status PrintTraceScripts(const std::string& file, Output& output) {
  const absl::StatusOr<cursorwire::TraceContent> trace = ReadWhole(file, output);
  return trace.ok() ? PrintScripts(*trace, output) : trace.status();
}

absl::StatusOr<std::shared_ptr<cursorwire::Trace>> StartTrace(const std::string& file) {
  if (file.empty()) return nullptr;
  return cursorwire::Trace::Open(file);
}

void FinishTrace(const std::shared_ptr<cursorwire::Trace>& trace, Output& output) {
  if (trace == nullptr) return;
  const absl::Status status = trace->Flush();
  if (!status.ok()) {
    PrintWarning(output, "the trace is incomplete: " + std::string(status.message()));
  }
}

}  // namespace cursor_chat
