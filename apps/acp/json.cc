#include "acp/json.h"

#include <absl/status/status.h>

#include "base/text.h"
#include "common/json_line.h"
#include "common/visible_text.h"

namespace cursor_acp {

std::string WriteJson(const Json& value) { return cursor_apps::JsonLine(value); }

absl::StatusOr<std::string> RequireText(const Json& params, const char* name) {
  const Json& member = MemberOf(params, name);
  if (member.is_string()) return member.get<std::string>();
  return absl::InvalidArgumentError(std::string(name) +
                                    (member.is_null() ? " is missing" : " is no text"));
}

std::string Shortened(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::string cut(text.substr(0, max_bytes));
  cursor_apps::CutToWholeCharacters(cut);
  return cut + "...";
}

std::string OneShortLine(std::string_view text, size_t max_bytes) {
  return cursorwire::OneLine(Shortened(text, max_bytes));
}

}  // namespace cursor_acp
