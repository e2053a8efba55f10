#ifndef CURSORWIRE_SRC_CLIENT_AUTH_USAGE_JSON_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_USAGE_JSON_H_

#include <absl/status/statusor.h>

#include <string_view>

#include "cursorwire/account_usage.h"

namespace cursorwire {

// Reads the answer of DashboardService/GetCurrentPeriodUsage. A member of another kind than it
// should be counts as absent.
//   kInternal  not a JSON object
// Source: docs/protocol.md, usage.
absl::StatusOr<AccountUsage> ParseAccountUsage(std::string_view json);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_USAGE_JSON_H_
