#include "upstream/assistant/transcript.h"

#include <absl/status/statusor.h>

#include "wire/json.h"

namespace cursorwire::upstream {
namespace {

constexpr std::string_view kQueryStart = "<user_query>\n";
constexpr std::string_view kQueryEnd = "\n</user_query>";
// How clients of ours tell of a turn that was not completed.
constexpr std::string_view kTurnEnding = "<turn_ending>\n";

// The text parts of a message, concatenated.
std::string TextOf(const wire::Json& message) {
  std::string text;
  const wire::Json* content = message.Find("content");
  if (content == nullptr) return text;
  for (const wire::Json& part : content->items) text += part.FindString("text");
  return text;
}

}  // namespace

void Transcript::Add(std::string_view blob) {
  ++messages_;
  bytes_ += blob.size();
  const absl::StatusOr<wire::Json> message = wire::ParseJson(blob);
  if (!message.ok()) return;
  const std::string text = TextOf(*message);
  if (message->FindString("role") == "assistant") {
    if (!exchanges_.empty()) exchanges_.back().assistant += text;
  } else if (message->FindString("role") == "user") {
    if (text.starts_with(kTurnEnding) && !exchanges_.empty()) {
      exchanges_.back().is_whole = false;
      return;
    }
    const bool query = text.starts_with(kQueryStart) && text.ends_with(kQueryEnd);
    if (!query) {
      rules_ += text;
      return;
    }
    const size_t size = text.size() - kQueryStart.size() - kQueryEnd.size();
    exchanges_.push_back({.user = text.substr(kQueryStart.size(), size)});
  }
}

std::string WrapQuery(std::string_view text) {
  std::string query(kQueryStart);
  query += text;
  query += kQueryEnd;
  return query;
}

}  // namespace cursorwire::upstream
