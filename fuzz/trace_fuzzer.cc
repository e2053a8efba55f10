// Reads traces, which anybody may have written.
//
// Input: the text of a trace. It is refused, or what is read is written and read again as the same;
// the text for a person has no control characters; and the scripts of it are good ones.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/trace/trace_line.h"
#include "base/strings.h"
#include "cursorwire/script.h"
#include "cursorwire/trace_content.h"
#include "support/harness.h"
#include "upstream/script/script_json.h"

namespace {

using cursorwire::ParseTrace;
using cursorwire::TraceCall;
using cursorwire::TraceContent;
using cursorwire::fuzz::Check;

// Each call as a trace of its own, since numbers may come again.
void WriteAndReadAgain(const TraceCall& call) {
  std::string text = cursorwire::agent::TraceFirstLine(1) + cursorwire::agent::TraceLineOf(call);
  if (call.head) text += cursorwire::agent::TraceLineOf(call.number, *call.head);
  for (const cursorwire::TraceMessage& message : call.messages) {
    text += cursorwire::agent::TraceLineOf(call.number, message);
  }
  if (call.end) text += cursorwire::agent::TraceLineOf(call.number, *call.end);
  const absl::StatusOr<TraceContent> again = ParseTrace(text);
  Check(again.ok());
  Check(again->calls.size() == 1 && again->calls[0] == call);
}

void CheckText(std::string_view text) {
  Check(cursorwire::IsUtf8(text));
  for (const char c : text) Check(c == '\n' || (c & 0x80) != 0 || (c >= 0x20 && c < 0x7F));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<TraceContent> trace =
      ParseTrace(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!trace.ok()) return 0;
  for (const TraceCall& call : trace->calls) {
    WriteAndReadAgain(call);
    CheckText(cursorwire::DescribeTraceCall(call));
  }
  const absl::StatusOr<cursorwire::TraceScripts> scripts = cursorwire::ScriptsOfTrace(*trace);
  if (!scripts.ok()) return 0;
  const auto again = cursorwire::ParseScripts(cursorwire::ScriptsToJson(scripts->scripts));
  Check(again.ok());
  Check(cursorwire::upstream::CompileScripts(*again).ok());
  return 0;
}
