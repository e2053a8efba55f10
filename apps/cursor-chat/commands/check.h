#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_CHECK_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_CHECK_H_

#include <chrono>
#include <string>
#include <vector>

#include "output/output.h"

namespace cursor_chat {

enum class CheckStatus { kOk, kWarn, kFail, kSkip };

// One thing that the doctor looked at. A value.
struct Check {
  std::string name{};
  CheckStatus status = CheckStatus::kOk;
  std::string detail{};  // what was found
  std::string fix{};     // what to do; empty: nothing
  std::chrono::microseconds time{};
};

// A line for a check, and one for what to do.
std::string CheckText(const Check& check);
// {"ok", "checks"}, without secrets that `redactor` knows or recognises.
std::string ChecksJson(const std::vector<Check>& checks,
                       const cursorwire::connect::Redactor& redactor);
// "ok", "warn", "fail", "skip".
const char* NameOf(CheckStatus status);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_CHECK_H_
