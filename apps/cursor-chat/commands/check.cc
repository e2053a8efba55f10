#include "commands/check.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/json_line.h"
#include "common/visible_text.h"
#include "output/redacted_json.h"

namespace cursor_chat {

using nlohmann::json;

const char* NameOf(CheckStatus status) {
  switch (status) {
    case CheckStatus::kOk:
      return "ok";
    case CheckStatus::kWarn:
      return "warn";
    case CheckStatus::kFail:
      return "fail";
    case CheckStatus::kSkip:
      return "skip";
  }
  return "";
}

std::string CheckText(const Check& check) {
  const double milliseconds = static_cast<double>(check.time.count()) / 1000;
  const std::string time = check.time.count() == 0 ? "" : absl::StrFormat("%.1f ms", milliseconds);
  std::string text = absl::StrFormat("%-4s  %-19s %10s  %s\n", NameOf(check.status), check.name,
                                     time, cursor_apps::ExactLine(check.detail));
  if (!check.fix.empty()) text += "      -> " + cursor_apps::ExactLine(check.fix) + "\n";
  return text;
}

std::string ChecksJson(const std::vector<Check>& checks,
                       const cursorwire::connect::Redactor& redactor) {
  const bool ok = std::none_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.status == CheckStatus::kFail;
  });
  json list = json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"status", NameOf(check.status)},
                    {"detail", check.detail},
                    {"fix", check.fix},
                    {"ms", static_cast<double>(check.time.count()) / 1000}});
  }
  json object = {{"ok", ok}, {"checks", list}};
  RedactStrings(redactor, object);
  return cursor_apps::JsonLine(object) + "\n";
}

}  // namespace cursor_chat
