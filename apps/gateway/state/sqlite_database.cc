#include "state/sql_database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "api/concat.h"

namespace cursor_gateway {
namespace {

constexpr char kFileName[] = "state.sqlite3";
constexpr mode_t kPrivateFolder = 0700;
constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kOthers = 0077;
constexpr int kAutoVacuumFull = 1;  // as `PRAGMA auto_vacuum` tells it

using TimeTeller = std::function<std::chrono::milliseconds()>;

struct CloseSqlite {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

absl::Status NotAPlace(std::string_view path, std::string_view why) {
  return absl::FailedPreconditionError(Concat("cannot keep state in ", path, ": ", why));
}

absl::Status OsError(const std::string& path) {
  return NotAPlace(path, std::generic_category().message(errno));
}

// Whether nothing but a database of ours lies in the folder.
bool IsOurs(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with(kFileName)) return false;
  }
  return !error;
}

absl::Status PrepareFolder(const std::string& folder) {
  if (::mkdir(folder.c_str(), kPrivateFolder) != 0 && errno != EEXIST) return OsError(folder);
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return OsError(folder);
  if (!S_ISDIR(info.st_mode)) return NotAPlace(folder, "it is not a folder");
  if ((info.st_mode & kOthers) != 0) {
    if (!IsOurs(folder)) {
      return NotAPlace(folder,
                       "others may enter it, and it holds other files; give it a folder "
                       "of its own");
    }
    if (::chmod(folder.c_str(), kPrivateFolder) != 0) return OsError(folder);
  }
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return OsError(folder);
  return absl::OkStatus();
}

// SQLite gives the files that it puts beside it the same mode.
absl::Status PrepareFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kPrivateFile);
  if (file < 0) return OsError(path);
  absl::Status status = ::fchmod(file, kPrivateFile) == 0 ? absl::OkStatus() : OsError(path);
  ::close(file);
  return status;
}

// The function of SQL that `clock` is.
void TellTime(sqlite3_context* context, int, sqlite3_value**) {
  const auto& clock = *static_cast<const TimeTeller*>(sqlite3_user_data(context));
  sqlite3_result_int64(context, clock().count());
}

class SqliteDatabase final : public SqlDatabase {
 public:
  SqliteDatabase(std::string folder, SqliteClocks clocks)
      : folder_(std::move(folder)),
        path_(folder_.empty() ? ":memory:" : Concat(folder_, "/", kFileName)),
        clocks_(std::move(clocks)) {}
  ~SqliteDatabase() override { Close(); }

  absl::StatusOr<bool> Connect() override;
  absl::StatusOr<std::vector<SqlRow>> Run(const std::string& statement,
                                          const std::vector<SqlValue>& values) override;
  const SqlDialect& dialect() const override { return dialect_; }

 private:
  bool IsStillThere() const;
  absl::Status OpenFile();
  absl::Status Failed(int code);
  absl::Status AddClock(const char* name, TimeTeller& clock);
  absl::Status GiveRoomBack();
  absl::Status Configure();
  absl::StatusOr<sqlite3_stmt*> Prepare(const std::string& text);
  absl::Status Bind(sqlite3_stmt* statement, const std::vector<SqlValue>& values);
  void Close();

  const std::string folder_;
  const std::string path_;
  const SqlDialect dialect_{.number = "INTEGER",
                            .bytes = "BLOB",
                            .begin = "BEGIN IMMEDIATE",
                            .now = "gateway_now()",
                            .claims_now = "gateway_claims_now()"};
  SqliteClocks clocks_;
  std::unique_ptr<sqlite3, CloseSqlite> database_;
  std::map<std::string, Statement> statements_;  // by their text
  dev_t device_ = 0;                             // of the file
  ino_t inode_ = 0;
};

// Somebody may have removed the file, or put another in its place.
bool SqliteDatabase::IsStillThere() const {
  if (folder_.empty()) return true;
  struct stat info {};
  return ::stat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

void SqliteDatabase::Close() {
  statements_.clear();
  database_.reset();
}

absl::Status SqliteDatabase::OpenFile() {
  if (!folder_.empty()) {
    if (absl::Status status = PrepareFolder(folder_); !status.ok()) return status;
    if (absl::Status status = PrepareFile(path_); !status.ok()) return status;
  }
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path_.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) return Failed(code);
  struct stat info {};
  if (!folder_.empty() && ::stat(path_.c_str(), &info) != 0) return OsError(path_);
  device_ = info.st_dev;
  inode_ = info.st_ino;
  return absl::OkStatus();
}

absl::Status SqliteDatabase::AddClock(const char* name, TimeTeller& clock) {
  const int code = sqlite3_create_function_v2(database_.get(), name, 0, SQLITE_UTF8, &clock,
                                              TellTime, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Failed(code);
}

absl::StatusOr<bool> SqliteDatabase::Connect() {
  if (database_ != nullptr && IsStillThere()) return false;
  Close();
  if (absl::Status status = OpenFile(); !status.ok()) return status;
  sqlite3_extended_result_codes(database_.get(), 1);
  sqlite3_busy_timeout(database_.get(), static_cast<int>(kSqliteBusyTimeout.count()));
  absl::Status status = AddClock("gateway_now", clocks_.ages);
  if (status.ok()) status = AddClock("gateway_claims_now", clocks_.claims);
  if (!status.ok()) return status;
  status = Configure();
  statements_.clear();
  return status.ok() ? absl::StatusOr<bool>(true) : status;
}

// The room of what is removed is given back; that can only be set in a file that is empty, and
// setting it again would wait for whoever writes.
absl::Status SqliteDatabase::GiveRoomBack() {
  const auto vacuum = Run("PRAGMA auto_vacuum", {});
  if (!vacuum.ok()) return vacuum.status();
  if (*vacuum == std::vector<SqlRow>{{int64_t{kAutoVacuumFull}}}) return absl::OkStatus();
  return Run("PRAGMA auto_vacuum = FULL", {}).status();
}

absl::Status SqliteDatabase::Configure() {
  absl::Status status = GiveRoomBack();
  for (const char* setting :
       {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON",
        "PRAGMA secure_delete = FAST", "PRAGMA journal_size_limit = 67108864"}) {
    if (status.ok()) status = Run(setting, {}).status();
  }
  return status;
}

// A connection whose file is damaged or away is closed; the next call tries a new one. What is in
// memory would be lost with it.
absl::Status SqliteDatabase::Failed(int code) {
  const std::string message = Concat("the state in ", path_, ": ", sqlite3_errstr(code));
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      Close();
      return absl::DataLossError(message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
      return absl::UnavailableError(message);
    default:
      if (!folder_.empty()) Close();
      return absl::UnavailableError(message);
  }
}

absl::StatusOr<sqlite3_stmt*> SqliteDatabase::Prepare(const std::string& text) {
  Statement& kept = statements_[text];
  if (kept == nullptr) {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &made, nullptr);
    kept.reset(made);
    if (code != SQLITE_OK) return Failed(code);
  }
  return kept.get();
}

absl::Status SqliteDatabase::Bind(sqlite3_stmt* statement, const std::vector<SqlValue>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const int at = sqlite3_bind_parameter_index(statement, Concat("$", i + 1).c_str());
    int code = SQLITE_OK;
    if (const auto* number = std::get_if<int64_t>(&values[i])) {
      code = sqlite3_bind_int64(statement, at, *number);
    } else {
      // Valid until the statement is reset; never NULL, which an empty text would be.
      const auto& bytes = std::get<std::string>(values[i]);
      code = sqlite3_bind_blob64(statement, at, bytes.c_str(), bytes.size(), SQLITE_STATIC);
    }
    if (code != SQLITE_OK) return Failed(code);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SqlRow>> SqliteDatabase::Run(const std::string& statement,
                                                        const std::vector<SqlValue>& values) {
  if (database_ == nullptr) return absl::UnavailableError("the state is closed");
  const absl::StatusOr<sqlite3_stmt*> prepared = Prepare(statement);
  if (!prepared.ok()) return prepared.status();
  if (absl::Status status = Bind(*prepared, values); !status.ok()) return status;
  std::vector<SqlRow> rows;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(*prepared)) == SQLITE_ROW) {
    SqlRow row;
    for (int i = 0; i < sqlite3_column_count(*prepared); ++i) {
      if (sqlite3_column_type(*prepared, i) == SQLITE_INTEGER) {
        row.emplace_back(int64_t{sqlite3_column_int64(*prepared, i)});
      } else {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(*prepared, i));
        const auto size = static_cast<size_t>(sqlite3_column_bytes(*prepared, i));
        row.emplace_back(bytes == nullptr ? std::string() : std::string(bytes, size));
      }
    }
    rows.push_back(std::move(row));
  }
  sqlite3_reset(*prepared);
  sqlite3_clear_bindings(*prepared);
  if (code != SQLITE_DONE) return Failed(code);
  return rows;
}

}  // namespace

std::chrono::milliseconds SqliteClocks::Wall() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now);
}

std::chrono::milliseconds SqliteClocks::Steady() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now);
}

std::unique_ptr<SqlDatabase> MakeSqliteDatabase(std::string folder, SqliteClocks clocks) {
  return std::make_unique<SqliteDatabase>(std::move(folder), std::move(clocks));
}

}  // namespace cursor_gateway
