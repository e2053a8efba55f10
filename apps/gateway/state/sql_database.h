#ifndef CURSORWIRE_APPS_GATEWAY_STATE_SQL_DATABASE_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_SQL_DATABASE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace cursor_gateway {

// Whole numbers, and bytes; no text, so that no encoding has a say.
using SqlValue = std::variant<int64_t, std::string>;
using SqlRow = std::vector<SqlValue>;

// Words of SQL that differ. A value.
struct SqlDialect {
  std::string number{};      // the type of int64_t
  std::string bytes{};       // the type of bytes
  std::string begin{};       // of a transaction that writes
  std::string lock_setup{};  // waits for others that make the tables, until the transaction ends;
                             // empty: `begin` does
  // Expressions for the time, in milliseconds, by clocks that all users of the database share: one
  // for the age of entries, which goes on while no process runs, and one for claims.
  std::string now{};
  std::string claims_now{};
};

// A connection to a database, for StateStore. Its functions block, for a bounded time each. One
// thread at a time.
class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  // Connects if there is no connection, or if it is broken or of a file that is not there any more.
  // True: it is a new one.
  //   kFailedPrecondition  the place is not one to keep state in, as the message says
  //   kDataLoss            the file is damaged
  //   kUnavailable         the server or the disk does not answer
  virtual absl::StatusOr<bool> Connect() = 0;

  // Runs one statement with its parameters, $1 and so on. An error of the connection closes it.
  //   kDataLoss     the file is damaged
  //   kUnavailable  all other errors
  virtual absl::StatusOr<std::vector<SqlRow>> Run(const std::string& statement,
                                                  const std::vector<SqlValue>& values) = 0;

  virtual const SqlDialect& dialect() const = 0;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_SQL_DATABASE_H_
