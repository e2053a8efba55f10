#ifndef CURSORWIRE_APPS_GATEWAY_STATE_POSTGRES_DATABASE_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_POSTGRES_DATABASE_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <string>

#include "state/sql_database.h"

namespace cursor_gateway {

// For one statement, and for a connection to be made.
inline constexpr std::chrono::milliseconds kPostgresTimeout{2000};

// The time as the server tells it, at the moment at which a statement asks.
inline constexpr char kPostgresNow[] =
    "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

// A database of PostgreSQL, by a URL as libpq reads it. All times are told by its server, in SQL;
// `now` is the expression for it. Tables lie in the first schema of the search path.
//   kFailedPrecondition  that is no URL of a database
absl::StatusOr<std::unique_ptr<SqlDatabase>> MakePostgresDatabase(
    const std::string& url, const std::string& now = kPostgresNow);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_POSTGRES_DATABASE_H_
