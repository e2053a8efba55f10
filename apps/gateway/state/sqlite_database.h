#ifndef CURSORWIRE_APPS_GATEWAY_STATE_SQLITE_DATABASE_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_SQLITE_DATABASE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "state/sql_database.h"

namespace cursor_gateway {

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

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_SQLITE_DATABASE_H_
