#include "cursorwire/desktop_login.h"

#include <absl/status/status.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

namespace cursorwire {
namespace {

constexpr int kMaxValueBytes = 1024 * 1024;
constexpr int kBusyMilliseconds = 2000;
constexpr char kPlace[] = "Cursor/User/globalStorage/state.vscdb";

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
using Query = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

std::string Variable(const char* name) {
  // Unsafe only if another thread changes the environment, which our code never does.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// The user's name in Windows; empty: it is not known, or not that of a person.
std::string WindowsUser() {
  std::string name = Variable("USERPROFILE");
  if (name.empty()) name = Variable("USERNAME");
  name = name.substr(name.find_last_of("\\/") + 1);
  const bool is_person = !name.empty() && name[0] != '.' && name != "Public" && name != "Default";
  return is_person ? name : "";
}

std::vector<std::string> Candidates() {
  std::vector<std::string> paths;
  if (const std::string config = Variable("XDG_CONFIG_HOME"); config.starts_with('/')) {
    paths.push_back(config + "/" + kPlace);
  }
  if (const std::string home = Variable("HOME"); home.starts_with('/')) {
    paths.push_back(home + "/.config/" + kPlace);
    paths.push_back(home + "/Library/Application Support/" + kPlace);
  }
  if (const std::string user = WindowsUser(); !user.empty()) {
    paths.push_back("/mnt/c/Users/" + user + "/AppData/Roaming/" + kPlace);
  }
  return paths;
}

absl::Status DatabaseError(const std::string& file, sqlite3* database) {
  const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
  const std::string message =
      file + ": " + (database == nullptr ? "no memory" : sqlite3_errmsg(database));
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return absl::UnavailableError(message);
  return absl::FailedPreconditionError(message);
}

// For a URI: SQLite wants these three characters encoded.
std::string UriOf(const std::string& file, std::string_view parameters) {
  std::string uri = "file:";
  for (const char c : file) {
    if (c == '%') {
      uri += "%25";
    } else if (c == '?') {
      uri += "%3f";
    } else if (c == '#') {
      uri += "%23";
    } else {
      uri += c;
    }
  }
  return uri + "?" + std::string(parameters);
}

Database Open(const std::string& file, std::string_view parameters) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(UriOf(file, parameters).c_str(), &database,
                  SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE, nullptr);
  if (database != nullptr) {
    sqlite3_busy_timeout(database, kBusyMilliseconds);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  }
  return {database, &sqlite3_close};
}

// White space and double quotes around a value are no part of it.
std::string Trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\n\"";
  const size_t first = text.find_first_not_of(kAround);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kAround) - first + 1));
}

std::string ColumnText(sqlite3_stmt* query, int column) {
  const void* bytes = sqlite3_column_blob(query, column);  // TEXT or BLOB
  const int size = sqlite3_column_bytes(query, column);
  if (bytes == nullptr || size <= 0) return "";
  return Trimmed({static_cast<const char*>(bytes), static_cast<size_t>(size)});
}

absl::StatusOr<std::optional<FoundTokens>> ReadTokens(sqlite3* database, const std::string& file) {
  sqlite3_stmt* statement = nullptr;
  const int prepared =
      sqlite3_prepare_v2(database,
                         "SELECT key, value FROM ItemTable WHERE key IN ('cursorAuth/accessToken', "
                         "'cursorAuth/refreshToken') LIMIT 2",
                         -1, &statement, nullptr);
  const Query query(statement, &sqlite3_finalize);
  if (prepared != SQLITE_OK) return DatabaseError(file, database);
  FoundTokens tokens{.origin = file};
  int step = sqlite3_step(statement);
  for (; step == SQLITE_ROW; step = sqlite3_step(statement)) {
    const bool is_access = ColumnText(statement, 0) == "cursorAuth/accessToken";
    (is_access ? tokens.access_token : tokens.refresh_token) = ColumnText(statement, 1);
  }
  if (step != SQLITE_DONE) return DatabaseError(file, database);
  if (tokens.access_token.empty() && tokens.refresh_token.empty()) return std::nullopt;
  return tokens;
}

absl::StatusOr<std::optional<FoundTokens>> ReadFile(const std::string& file) {
  const Database database = Open(file, "mode=ro");
  if (database == nullptr) return DatabaseError(file, nullptr);
  absl::StatusOr<std::optional<FoundTokens>> tokens = ReadTokens(database.get(), file);
  if (tokens.ok() || absl::IsUnavailable(tokens.status())) return tokens;
  // A log of the application beside it that this process may not share: read what is in the file.
  const Database immutable = Open(file, "mode=ro&immutable=1");
  if (immutable == nullptr) return tokens;
  absl::StatusOr<std::optional<FoundTokens>> again = ReadTokens(immutable.get(), file);
  return again.ok() ? again : tokens;
}

}  // namespace

absl::StatusOr<std::optional<FoundTokens>> ReadDesktopLogin(const std::string& file) {
  if (!file.empty()) return ReadFile(file);
  for (const std::string& path : Candidates()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    return ReadFile(path);
  }
  return std::nullopt;
}

}  // namespace cursorwire
