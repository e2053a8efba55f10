#include "state/open_state.h"

#include <utility>

#include "openai/concat.h"
#ifdef CURSORWIRE_HAS_POSTGRESQL
#include "state/postgres_database.h"
#endif

namespace cursor_gateway {
namespace {

absl::StatusOr<std::unique_ptr<SqlDatabase>> MakeDatabase(const std::string& place,
                                                          SqliteClocks clocks) {
  const size_t scheme = place.find("://");
  if (scheme == std::string::npos) return MakeSqliteDatabase(place, std::move(clocks));
  const std::string name = place.substr(0, scheme);
  if (name != "postgresql" && name != "postgres") {
    return absl::FailedPreconditionError(
        "the state is kept in a folder, or at a URL that begins with postgresql://");
  }
#ifdef CURSORWIRE_HAS_POSTGRESQL
  return MakePostgresDatabase(place);
#else
  return absl::FailedPreconditionError(
      "this build of cursor-gateway has no PostgreSQL: it was made without libpq");
#endif
}

}  // namespace

absl::StatusOr<OpenedState> OpenState(const std::string& place, SqliteClocks clocks) {
  absl::StatusOr<std::unique_ptr<SqlDatabase>> database = MakeDatabase(place, std::move(clocks));
  if (!database.ok()) return database.status();
  OpenedState opened{.store = std::make_unique<StateStore>(*std::move(database))};
  opened.away = opened.store->Open();
  if (opened.away.code() == absl::StatusCode::kFailedPrecondition) return opened.away;
  return opened;
}

std::unique_ptr<StateStore> MakeMemoryState(SqliteClocks clocks) {
  return std::make_unique<StateStore>(MakeMemoryDatabase(std::move(clocks)), kMaxMemoryBytes);
}

}  // namespace cursor_gateway
