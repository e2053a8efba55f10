#ifndef CURSORWIRE_APPS_GATEWAY_STATE_OPEN_STATE_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_OPEN_STATE_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "state/sqlite_database.h"
#include "state/state_store.h"

namespace cursor_gateway {

struct OpenedState {
  std::unique_ptr<StateStore> store{};
  // Why nothing can be kept now; later calls try again. OK: it is there.
  absl::Status away{};
};

// The store of `--state`: a folder, or a URL of PostgreSQL ("postgresql://", "postgres://").
//   kFailedPrecondition  nothing can be kept there, whatever happens later: a folder that cannot be
//                        written, tables of a newer version, a URL that this build does not know
// `clocks` count for a folder; PostgreSQL has its own.
absl::StatusOr<OpenedState> OpenState(const std::string& place, SqliteClocks clocks = {});

// The store without `--state`: in memory, for this process alone.
std::unique_ptr<StateStore> MakeMemoryState(SqliteClocks clocks = {});

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_OPEN_STATE_H_
