#include "cursorwire/documents/event_format.h"

namespace cursorwire::documents {
namespace {

std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n' && c != '\r' && c != '\0') line += c;
  }
  return line;
}

}  // namespace

std::string ServerSentEvent(std::string_view name, std::string_view data) {
  std::string event;
  if (const std::string line = OneLine(name); !line.empty()) event = "event: " + line + "\n";
  for (;;) {
    const size_t end = data.find_first_of("\r\n");
    event.append("data: ").append(OneLine(data.substr(0, end))).append("\n");
    if (end == std::string_view::npos) break;
    data.remove_prefix(data.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  return event + "\n";
}

std::string Format(const DocumentEvent& event, EventFormat format) {
  const std::string json = ToJson(event);
  switch (format) {
    case EventFormat::kSse:
      return ServerSentEvent(EventName(event), json);
    case EventFormat::kSseData:
      return ServerSentEvent("", json) +
             (std::holds_alternative<Done>(event) ? ServerSentEvent("", "[DONE]") : "");
    case EventFormat::kNdjson:
      return json + "\n";
  }
  return "";
}

}  // namespace cursorwire::documents
