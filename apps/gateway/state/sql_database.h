#ifndef CURSORWIRE_APPS_GATEWAY_STATE_SQL_DATABASE_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_SQL_DATABASE_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
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

// How long one process waits for another that writes.
inline constexpr std::chrono::milliseconds kSqliteBusyTimeout{1000};

// Milliseconds since any time that stays the same. Called on the thread that uses the database. A
// value.
struct SqliteClocks {
  static std::chrono::milliseconds Wall();
  // One clock for all processes of a machine. It is never set, and stands still while the machine
  // sleeps; it begins anew when the machine starts.
  static std::chrono::milliseconds Steady();

  std::function<std::chrono::milliseconds()> ages = Wall;
  std::function<std::chrono::milliseconds()> claims = Steady;
};

// A database of SQLite in a folder of this machine, whose file is `state.sqlite3`. The folder has
// mode 0700 and is made where it is missing; the file and those that SQLite puts beside it have
// 0600. What is written survives the end of a process at any instant; the end of the machine may
// cost the last writes, but not the file. Not for folders of other machines, whose locks SQLite
// cannot trust. An empty `folder`: in memory, for this process alone.
std::unique_ptr<SqlDatabase> MakeSqliteDatabase(std::string folder, SqliteClocks clocks = {});

// For one statement, and for a connection to be made.
inline constexpr std::chrono::milliseconds kPostgresTimeout{2000};

// The time as the server tells it, at the moment at which a statement asks.
inline constexpr char kPostgresNow[] =
    "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

// Only where the program has it (CURSORWIRE_HAS_POSTGRESQL): a database of PostgreSQL, by a URL as
// libpq reads it. All times are told by its server, in SQL; `now` is the expression for it. Tables
// lie in the first schema of the search path.
//   kFailedPrecondition  that is no URL of a database
absl::StatusOr<std::unique_ptr<SqlDatabase>> MakePostgresDatabase(
    const std::string& url, const std::string& now = kPostgresNow);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_SQL_DATABASE_H_
