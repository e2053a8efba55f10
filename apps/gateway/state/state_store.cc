#include "state/state_store.h"

#include <map>
#include <string_view>
#include <utility>

#include "api/concat.h"
#include "base/sha256.h"
#include "base/url.h"

namespace cursor_gateway {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kSchemaVersion = 2;
constexpr int64_t kEntryOverhead = 256;  // beside its value
// In one step of a sweep: rows that have expired, of a table, and what makes room.
constexpr int64_t kExpiredAtOnce = 1000;
constexpr int64_t kRemovedAtOnce = 100;
constexpr size_t kBlobsOfAStatement = 1000;

int64_t Kind(const StateKey& key) { return static_cast<int64_t>(key.kind); }

int64_t Number(const SqlValue& value) {
  const auto* number = std::get_if<int64_t>(&value);
  return number == nullptr ? 0 : *number;
}

std::string Bytes(SqlValue value) {
  auto* bytes = std::get_if<std::string>(&value);
  return bytes == nullptr ? "" : std::move(*bytes);
}

absl::Status NewerVersion(int64_t version) {
  return absl::FailedPreconditionError(
      Concat("the state is of version ", version,
             ", which only a newer version of this program reads; give it another place"));
}

// Sums over what owners have need not read the rows.
constexpr char kOwnersIndex[] =
    "CREATE INDEX cursor_gateway_entries_owner ON cursor_gateway_entries (owner, since, size)";

// What is small stands before what may be large, so that sums need not read that.
std::vector<std::string> TableStatements(const SqlDialect& dialect) {
  const std::string_view number = dialect.number;
  const std::string_view bytes = dialect.bytes;
  return {
      Concat("CREATE TABLE cursor_gateway_entries (kind ", number, " NOT NULL, name ", bytes,
             " NOT NULL, owner ", bytes, " NOT NULL, revision ", number, " NOT NULL, since ",
             number, " NOT NULL, until ", number, " NOT NULL, size ", number, " NOT NULL, value ",
             bytes, " NOT NULL, PRIMARY KEY (kind, name))"),
      kOwnersIndex,
      "CREATE INDEX cursor_gateway_entries_until ON cursor_gateway_entries (until)",
      Concat("CREATE TABLE cursor_gateway_blobs (id ", bytes, " NOT NULL PRIMARY KEY, size ",
             number, " NOT NULL, used ", number, " NOT NULL, owner ", bytes, " NOT NULL)"),
      Concat("CREATE TABLE cursor_gateway_blob_bytes (id ", bytes,
             " NOT NULL PRIMARY KEY REFERENCES cursor_gateway_blobs (id) ON DELETE CASCADE, bytes ",
             bytes, " NOT NULL)"),
      Concat("CREATE TABLE cursor_gateway_uses (kind ", number, " NOT NULL, name ", bytes,
             " NOT NULL, blob ", bytes,
             " NOT NULL REFERENCES cursor_gateway_blobs (id), PRIMARY KEY (kind, name, blob), "
             "FOREIGN KEY (kind, name) REFERENCES cursor_gateway_entries (kind, name) "
             "ON DELETE CASCADE)"),
      "CREATE INDEX cursor_gateway_uses_blob ON cursor_gateway_uses (blob)",
      Concat("CREATE TABLE cursor_gateway_claims (kind ", number, " NOT NULL, name ", bytes,
             " NOT NULL, holder ", bytes, " NOT NULL, note ", bytes, " NOT NULL, until ", number,
             " NOT NULL, PRIMARY KEY (kind, name))"),
      Concat("INSERT INTO cursor_gateway_state VALUES (", kSchemaVersion, ")"),
  };
}

// Version 1 kept answers and items in another form, measured claims by another clock, and had blobs
// without an owner.
std::vector<std::string> UpgradeStatements(const SqlDialect& dialect) {
  return {"DELETE FROM cursor_gateway_claims",
          "DELETE FROM cursor_gateway_entries WHERE kind IN (4, 5)",
          "DROP INDEX cursor_gateway_entries_since",
          kOwnersIndex,
          Concat("ALTER TABLE cursor_gateway_blobs ADD COLUMN owner ", dialect.bytes,
                 " NOT NULL DEFAULT ''"),
          "UPDATE cursor_gateway_state SET version = 2"};
}

// Of a claim. A clock may be set back a little while the holder lives.
std::string HasLapsed(std::string_view until, std::string_view now) {
  return Concat("(", until, " <= ", now, " OR ", until, " > ", now, " + ",
                milliseconds(2 * kClaimLease).count(), ")");
}

// Of a blob `b`: no entry needs it.
constexpr char kIsSpare[] = "NOT EXISTS (SELECT 1 FROM cursor_gateway_uses u WHERE u.blob = b.id)";

// A blob is kept once for each owner: how large an owner's part is does not depend on the others.
std::string BlobId(const std::string& owner, const std::string& bytes) {
  return cursorwire::Sha256(Concat(cursorwire::Sha256(bytes), owner));
}

}  // namespace

size_t BytesOf(const StateEntry& entry) {
  size_t bytes = entry.value.size();
  for (const std::string& blob : entry.blobs) bytes += blob.size();
  return bytes;
}

StateStore::StateStore(std::unique_ptr<SqlDatabase> database, size_t max_bytes)
    : database_(std::move(database)), max_bytes_(max_bytes) {}

absl::StatusOr<std::vector<SqlRow>> StateStore::Run(const std::string& statement,
                                                    const std::vector<SqlValue>& values) {
  return database_->Run(statement, values);
}

absl::Status StateStore::Do(const std::string& statement, const std::vector<SqlValue>& values) {
  return Run(statement, values).status();
}

absl::Status StateStore::DoAll(const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) {
    if (absl::Status status = Do(statement); !status.ok()) return status;
  }
  return absl::OkStatus();
}

template <typename Body>
std::invoke_result_t<Body> StateStore::Transact(const Body& body) {
  if (absl::Status status = Do(database_->dialect().begin); !status.ok()) return status;
  std::invoke_result_t<Body> result = body();
  if (result.ok()) {
    const absl::Status status = Do("COMMIT");
    if (status.ok()) return result;
    result = absl::UnknownError(status.message());
  }
  Do("ROLLBACK").IgnoreError();  // the connection may be gone
  return result;
}

template <typename Body>
std::invoke_result_t<Body> StateStore::InTransaction(const Body& body) {
  if (absl::Status status = Open(); !status.ok()) return status;
  return Transact(body);
}

absl::Status StateStore::Open() {
  // What is away is not asked again by each of the requests that wait.
  if (std::chrono::steady_clock::now() < retry_) return away_;
  const absl::StatusOr<bool> is_new = database_->Connect();
  away_ = is_new.status();
  if (away_.ok() && *is_new) away_ = Transact([this] { return MakeTables(); });
  if (!away_.ok()) retry_ = std::chrono::steady_clock::now() + kReconnectPause;
  return away_;
}

absl::Status StateStore::MakeTables() {
  const SqlDialect& words = database_->dialect();
  absl::Status status = words.lock_setup.empty() ? absl::OkStatus() : Do(words.lock_setup);
  if (status.ok()) {
    status = Do(Concat("CREATE TABLE IF NOT EXISTS cursor_gateway_state (version ", words.number,
                       " NOT NULL)"));
  }
  if (!status.ok()) return status;
  const auto rows = Run("SELECT version FROM cursor_gateway_state");
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return DoAll(TableStatements(words));
  const int64_t version = Number(rows->front()[0]);
  if (version > kSchemaVersion) return NewerVersion(version);
  if (version == kSchemaVersion) return absl::OkStatus();
  status = DoAll(UpgradeStatements(words));
  // The default is a text to SQLite.
  return status.ok() ? Do("UPDATE cursor_gateway_blobs SET owner = $1", {std::string()}) : status;
}

absl::Status StateStore::Put(const StateKey& key, const StateEntry& entry, milliseconds life,
                             const std::string& holder, Claimed claimed) {
  // In one order everywhere, so that two writers wait for each other and not both.
  std::map<std::string, const std::string*> blobs;
  for (const std::string& blob : entry.blobs) blobs.emplace(BlobId(entry.owner, blob), &blob);
  return InTransaction([&]() -> absl::Status {
    if (!holder.empty()) {
      const auto held =
          Run("UPDATE cursor_gateway_claims SET note = note WHERE kind = $1 AND name = $2 AND "
              "holder = $3 RETURNING kind",
              {Kind(key), key.name, holder});
      if (!held.ok()) return held.status();
      if (held->empty()) return absl::AbortedError("another has claimed this entry");
    }
    for (const auto& [id, bytes] : blobs) {
      if (absl::Status status = PutBlob(id, entry.owner, *bytes); !status.ok()) return status;
    }
    const std::string& now = database_->dialect().now;
    const auto put =
        Run(Concat("INSERT INTO cursor_gateway_entries (kind, name, owner, revision, since, until, "
                   "size, value) VALUES ($1, $2, $3, $4, ",
                   now, ", ", now,
                   " + $5, $6, $7) "
                   "ON CONFLICT (kind, name) DO UPDATE SET "
                   "owner = excluded.owner, revision = excluded.revision, since = excluded.since, "
                   "until = excluded.until, size = excluded.size, value = excluded.value WHERE "
                   "cursor_gateway_entries.kind <> $8 OR cursor_gateway_entries.revision < "
                   "excluded.revision OR cursor_gateway_entries.until <= excluded.since "
                   "RETURNING kind"),
            {Kind(key), key.name, entry.owner, entry.revision, int64_t{life.count()},
             static_cast<int64_t>(entry.value.size()) + kEntryOverhead, entry.value,
             static_cast<int64_t>(StateKind::kDocument)});
    if (!put.ok()) return put.status();
    if (put->empty()) return absl::AbortedError("another has written this entry");
    absl::Status status =
        Do("DELETE FROM cursor_gateway_uses WHERE kind = $1 AND name = $2", {Kind(key), key.name});
    for (const auto& [id, bytes] : blobs) {
      if (!status.ok()) break;
      status = Do("INSERT INTO cursor_gateway_uses (kind, name, blob) VALUES ($1, $2, $3)",
                  {Kind(key), key.name, id});
    }
    if (!status.ok() || claimed == Claimed::kStays) return status;
    return EndClaim(key, holder);
  });
}

absl::Status StateStore::PutBlob(const std::string& id, const std::string& owner,
                                 const std::string& bytes) {
  const std::string& now = database_->dialect().now;
  const auto known =
      Run(Concat("UPDATE cursor_gateway_blobs SET used = ", now, " WHERE id = $1 RETURNING size"),
          {id});
  if (!known.ok() || !known->empty()) return known.status();
  absl::Status status =
      Do(Concat("INSERT INTO cursor_gateway_blobs (id, size, used, owner) VALUES ($1, $2, ", now,
                ", $3) ON CONFLICT (id) DO UPDATE SET used = excluded.used"),
         {id, static_cast<int64_t>(bytes.size()) + kEntryOverhead, owner});
  if (!status.ok()) return status;
  return Do(
      "INSERT INTO cursor_gateway_blob_bytes (id, bytes) VALUES ($1, $2) "
      "ON CONFLICT (id) DO NOTHING",
      {id, bytes});
}

absl::StatusOr<std::vector<std::string>> StateStore::BlobsOf(const StateKey& key) {
  absl::StatusOr<std::vector<SqlRow>> rows = Run(
      "SELECT b.bytes FROM cursor_gateway_uses u JOIN cursor_gateway_blob_bytes b ON b.id = u.blob "
      "WHERE u.kind = $1 AND u.name = $2",
      {Kind(key), key.name});
  if (!rows.ok()) return rows.status();
  std::vector<std::string> blobs;
  for (SqlRow& row : *rows) blobs.push_back(Bytes(std::move(row[0])));
  return blobs;
}

absl::StatusOr<std::optional<StateEntry>> StateStore::Read(const StateKey& key,
                                                           int64_t known_revision) {
  absl::StatusOr<std::vector<SqlRow>> rows =
      Run(Concat("SELECT owner, revision FROM cursor_gateway_entries WHERE kind = $1 AND "
                 "name = $2 AND until > ",
                 database_->dialect().now),
          {Kind(key), key.name});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  SqlRow& head = rows->front();
  StateEntry found{.owner = Bytes(std::move(head[0])), .revision = Number(head[1])};
  if (found.revision == known_revision) return found;
  rows = Run("SELECT value FROM cursor_gateway_entries WHERE kind = $1 AND name = $2",
             {Kind(key), key.name});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  found.value = Bytes(std::move(rows->front()[0]));
  absl::StatusOr<std::vector<std::string>> blobs = BlobsOf(key);
  if (!blobs.ok()) return blobs.status();
  found.blobs = *std::move(blobs);
  return found;
}

absl::StatusOr<std::optional<StateEntry>> StateStore::Get(const StateKey& key,
                                                          int64_t known_revision) {
  return InTransaction([&] { return Read(key, known_revision); });
}

absl::StatusOr<StateStore::Entries> StateStore::GetAll(const std::vector<StateKey>& keys,
                                                       const std::string& owner, size_t max_bytes) {
  return InTransaction([&]() -> absl::StatusOr<Entries> {
    Entries entries;
    size_t bytes = 0;
    for (const StateKey& key : keys) {
      absl::StatusOr<std::optional<StateEntry>> entry = Read(key, -1);
      if (!entry.ok()) return entry.status();
      if (*entry && (*entry)->owner != owner) entry->reset();
      if (*entry) bytes += BytesOf(**entry);
      if (bytes > max_bytes) return absl::OutOfRangeError("the entries are too large");
      entries.push_back(*std::move(entry));
    }
    return entries;
  });
}

absl::StatusOr<std::optional<StateEntry>> StateStore::Take(const StateKey& key) {
  return InTransaction([&]() -> absl::StatusOr<std::optional<StateEntry>> {
    absl::StatusOr<std::vector<std::string>> blobs = BlobsOf(key);
    if (!blobs.ok()) return blobs.status();
    absl::StatusOr<std::vector<SqlRow>> rows =
        Run(Concat("DELETE FROM cursor_gateway_entries WHERE kind = $1 AND name = $2 AND until > ",
                   database_->dialect().now, " RETURNING owner, revision, value"),
            {Kind(key), key.name});
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return std::nullopt;
    SqlRow& row = rows->front();
    return StateEntry{.owner = Bytes(std::move(row[0])),
                      .revision = Number(row[1]),
                      .value = Bytes(std::move(row[2])),
                      .blobs = *std::move(blobs)};
  });
}

absl::StatusOr<bool> StateStore::Changes(const std::string& statement,
                                         const std::vector<SqlValue>& values) {
  return InTransaction([&]() -> absl::StatusOr<bool> {
    const auto rows = Run(statement, values);
    if (!rows.ok()) return rows.status();
    return !rows->empty();
  });
}

absl::StatusOr<bool> StateStore::Erase(const StateKey& key) {
  return Changes(Concat("DELETE FROM cursor_gateway_entries WHERE kind = $1 AND name = $2 AND "
                        "until > ",
                        database_->dialect().now, " RETURNING kind"),
                 {Kind(key), key.name});
}

absl::StatusOr<StateClaim> StateStore::Claim(const StateKey& key, const std::string& holder,
                                             const std::string& note, milliseconds lease) {
  const std::string& now = database_->dialect().claims_now;
  return InTransaction([&]() -> absl::StatusOr<StateClaim> {
    const auto granted =
        Run(Concat("INSERT INTO cursor_gateway_claims (kind, name, holder, note, until) "
                   "VALUES ($1, $2, $3, $4, ",
                   now,
                   " + $5) ON CONFLICT (kind, name) DO UPDATE SET "
                   "holder = excluded.holder, note = excluded.note, until = excluded.until WHERE ",
                   HasLapsed("cursor_gateway_claims.until", now), " RETURNING kind"),
            {Kind(key), key.name, holder, note, int64_t{lease.count()}});
    if (!granted.ok()) return granted.status();
    if (!granted->empty()) return StateClaim{.granted = true};
    absl::StatusOr<std::vector<SqlRow>> other =
        Run("SELECT note FROM cursor_gateway_claims WHERE kind = $1 AND name = $2",
            {Kind(key), key.name});
    if (!other.ok()) return other.status();
    return StateClaim{.note = other->empty() ? "" : Bytes(std::move(other->front()[0]))};
  });
}

absl::StatusOr<bool> StateStore::Renew(const StateKey& key, const std::string& holder,
                                       const std::string& note, milliseconds lease) {
  return Changes(Concat("UPDATE cursor_gateway_claims SET note = $1, until = ",
                        database_->dialect().claims_now,
                        " + $2 WHERE kind = $3 AND name = $4 AND holder = $5 RETURNING kind"),
                 {note, int64_t{lease.count()}, Kind(key), key.name, holder});
}

absl::Status StateStore::Release(const StateKey& key, const std::string& holder) {
  return InTransaction([&] { return EndClaim(key, holder); });
}

absl::Status StateStore::EndClaim(const StateKey& key, const std::string& holder) {
  return Do("DELETE FROM cursor_gateway_claims WHERE kind = $1 AND name = $2 AND holder = $3",
            {Kind(key), key.name, holder});
}

absl::StatusOr<bool> StateStore::RemoveExpired() {
  const SqlDialect& words = database_->dialect();
  bool more = false;
  for (const std::string& statement :
       {Concat("DELETE FROM cursor_gateway_entries WHERE (kind, name) IN (SELECT kind, name FROM "
               "cursor_gateway_entries WHERE until <= ",
               words.now, " LIMIT $1) RETURNING kind"),
        Concat("DELETE FROM cursor_gateway_claims WHERE (kind, name) IN (SELECT kind, name FROM "
               "cursor_gateway_claims WHERE ",
               HasLapsed("until", words.claims_now), " LIMIT $1) RETURNING kind"),
        Concat("DELETE FROM cursor_gateway_blobs WHERE id IN (SELECT b.id FROM "
               "cursor_gateway_blobs b WHERE b.used <= ",
               words.now, " - ", milliseconds(kSpareBlobLife).count(), " AND ", kIsSpare,
               " LIMIT $1) RETURNING size")}) {
    const auto removed = Run(statement, {kExpiredAtOnce});
    if (!removed.ok()) return removed.status();
    if (static_cast<int64_t>(removed->size()) == kExpiredAtOnce) more = true;
  }
  return more;
}

// Until the surplus is gone, but no more than a step can have.
absl::Status StateStore::MakeRoom() {
  const auto owner =
      Run("SELECT owner FROM (SELECT owner, size FROM cursor_gateway_entries UNION ALL "
          "SELECT owner, size FROM cursor_gateway_blobs) AS kept "
          "GROUP BY owner ORDER BY SUM(size) DESC LIMIT 1");
  if (!owner.ok()) return owner.status();
  if (owner->empty()) {
    surplus_ = 0;
    return absl::OkStatus();
  }
  const std::vector<SqlValue> whose = {owner->front()[0], kRemovedAtOnce};
  const auto spare = Run(Concat("DELETE FROM cursor_gateway_blobs WHERE id IN (SELECT b.id FROM "
                                "cursor_gateway_blobs b WHERE b.owner = $1 AND ",
                                kIsSpare, " ORDER BY b.used LIMIT $2) RETURNING size"),
                         whose);
  if (!spare.ok()) return spare.status();
  for (const SqlRow& blob : *spare) *surplus_ -= Number(blob[0]);
  if (!spare->empty()) return absl::OkStatus();
  const auto oldest =
      Run("SELECT kind, name, size FROM cursor_gateway_entries WHERE owner = $1 ORDER BY since "
          "LIMIT $2",
          whose);
  if (!oldest.ok()) return oldest.status();
  for (const SqlRow& entry : *oldest) {
    if (*surplus_ <= 0) break;
    if (absl::Status status = RemoveEntry(entry); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// With the blobs that it alone uses.
absl::Status StateStore::RemoveEntry(const SqlRow& entry) {
  const std::vector<SqlValue> key = {entry[0], entry[1]};
  const auto blobs = Run("SELECT blob FROM cursor_gateway_uses WHERE kind = $1 AND name = $2", key);
  if (!blobs.ok()) return blobs.status();
  absl::Status status = Do("DELETE FROM cursor_gateway_entries WHERE kind = $1 AND name = $2", key);
  if (!status.ok()) return status;
  *surplus_ -= Number(entry[2]);
  return RemoveUnused(*blobs);
}

absl::Status StateStore::RemoveUnused(const std::vector<SqlRow>& blobs) {
  for (size_t at = 0; at < blobs.size();) {
    std::vector<SqlValue> ids;
    std::string list;
    for (; at < blobs.size() && ids.size() < kBlobsOfAStatement; ++at) {
      ids.push_back(blobs[at][0]);
      list += Concat(ids.size() == 1 ? "$" : ", $", ids.size());
    }
    const auto removed = Run(Concat("DELETE FROM cursor_gateway_blobs WHERE id IN (", list,
                                    ") AND NOT EXISTS (SELECT 1 FROM cursor_gateway_uses u WHERE "
                                    "u.blob = cursor_gateway_blobs.id) RETURNING size"),
                             ids);
    if (!removed.ok()) return removed.status();
    for (const SqlRow& blob : *removed) *surplus_ -= Number(blob[0]);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> StateStore::Sweep() {
  absl::StatusOr<bool> more = InTransaction([&]() -> absl::StatusOr<bool> {
    if (!surplus_) {
      absl::StatusOr<bool> expired = RemoveExpired();
      if (!expired.ok() || *expired) return expired;
      const auto bytes =
          Run(Concat("SELECT CAST((SELECT COALESCE(SUM(size), 0) FROM cursor_gateway_entries) + "
                     "(SELECT COALESCE(SUM(size), 0) FROM cursor_gateway_blobs) AS ",
                     database_->dialect().number, ")"));
      if (!bytes.ok()) return bytes.status();
      surplus_ = Number(bytes->front()[0]) - static_cast<int64_t>(max_bytes_);
    }
    absl::Status removed = *surplus_ > 0 ? MakeRoom() : absl::OkStatus();
    if (!removed.ok()) return removed;
    return *surplus_ > 0;
  });
  if (!more.ok() || !*more) surplus_.reset();
  return more;
}

namespace {

absl::StatusOr<std::unique_ptr<SqlDatabase>> MakeDatabase(const std::string& place,
                                                          SqliteClocks clocks) {
  const std::optional<cursorwire::UrlPieces> url = cursorwire::SplitUrl(place);
  if (!url) return MakeSqliteDatabase(place, std::move(clocks));
  if (url->scheme != "postgresql" && url->scheme != "postgres") {
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
  return std::make_unique<StateStore>(MakeSqliteDatabase("", std::move(clocks)), kMaxMemoryBytes);
}

}  // namespace cursor_gateway
