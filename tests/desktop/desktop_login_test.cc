#include "cursorwire/desktop_login.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "support/scratch_home.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::HasSubstr;

constexpr char kDatabase[] = ".config/Cursor/User/globalStorage/state.vscdb";

// A database in which this SQL was done.
void Make(const ScratchHome& home, const std::string& relative, const std::string& sql) {
  home.Write(relative, "");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(home.At(relative).c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_close(database);
}

std::string Table(const std::string& rows) {
  return "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);" + rows;
}

std::string Row(const std::string& key, const std::string& value) {
  return "INSERT INTO ItemTable VALUES ('" + key + "', " + value + ");";
}

TEST(DesktopLogin, IsReadFromTheDatabaseOfTheApplication) {
  const ScratchHome home;
  EXPECT_THAT(ReadDesktopLogin(), IsOkAndHolds(std::nullopt));
  Make(home, kDatabase,
       Table(Row("cursorAuth/accessToken", "' \"access\"\n'") +
             Row("cursorAuth/refreshToken", "x'72656672657368'") + Row("other", "'x'")));
  const auto tokens = ReadDesktopLogin();
  ASSERT_THAT(tokens, IsOk());
  ASSERT_TRUE(tokens->has_value());
  EXPECT_EQ((*tokens)->access_token, "access");
  EXPECT_EQ((*tokens)->refresh_token, "refresh");
  EXPECT_EQ((*tokens)->origin, home.At(kDatabase));
}

TEST(DesktopLogin, IsFoundInTheFolderOfTheUsersConfiguration) {
  const ScratchHome home;
  home.Set("XDG_CONFIG_HOME", home.At("x"));
  Make(home, "x/Cursor/User/globalStorage/state.vscdb",
       Table(Row("cursorAuth/accessToken", "'a'")));
  EXPECT_EQ((*ReadDesktopLogin())->access_token, "a");
}

TEST(DesktopLogin, MayBeMissing) {
  const ScratchHome home;
  Make(home, "a?b#c%d.vscdb", Table(Row("other", "'x'")));
  EXPECT_THAT(ReadDesktopLogin(home.At("a?b#c%d.vscdb")), IsOkAndHolds(std::nullopt));
}

TEST(DesktopLogin, SaysWhatIsWrongWithTheDatabase) {
  const ScratchHome home;
  home.Write("no.vscdb", "this is no database, whatever it is called, and it is long enough");
  EXPECT_THAT(ReadDesktopLogin(home.At("no.vscdb")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no.vscdb")));
  Make(home, "other.vscdb", "CREATE TABLE Other (key TEXT);");
  EXPECT_THAT(ReadDesktopLogin(home.At("other.vscdb")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ItemTable")));
  EXPECT_THAT(ReadDesktopLogin(home.At("missing.vscdb")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("missing.vscdb")));
  // A value over the bound.
  Make(home, "large.vscdb", Table(Row("cursorAuth/accessToken", "zeroblob(2000000)")));
  EXPECT_THAT(ReadDesktopLogin(home.At("large.vscdb")),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(DesktopLogin, SeesWhatARunningApplicationHasWritten) {
  const ScratchHome home;
  home.Write(kDatabase, "");
  sqlite3* application = nullptr;
  ASSERT_EQ(sqlite3_open(home.At(kDatabase).c_str(), &application), SQLITE_OK);
  const std::string sql = "PRAGMA journal_mode=WAL;" + Table(Row("cursorAuth/accessToken", "'a'"));
  ASSERT_EQ(sqlite3_exec(application, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ((*ReadDesktopLogin())->access_token, "a");
  sqlite3_close(application);
}

}  // namespace
}  // namespace cursorwire::test
