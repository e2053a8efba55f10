#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "apps/gateway/postgres_server.h"
#include "state/sql_database.h"
#include "state/state_store.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using cursorwire::test::IsOkAndHolds;
using cursorwire::test::ScratchFolder;
using cursorwire::test::StatusIs;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using Claimed = StateStore::Claimed;

// One kind of database, with as many connections as a test wants.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::unique_ptr<SqlDatabase> Connect() = 0;
  // Puts its clocks forward, or back.
  virtual void Advance(milliseconds time) = 0;
};

class Folder final : public Place {
 public:
  std::unique_ptr<SqlDatabase> Connect() override {
    return MakeSqliteDatabase(
        folder_.path(),
        {.ages = [this] { return SqliteClocks::Wall() + milliseconds(ahead_); },
         .claims = [this] { return SqliteClocks::Steady() + milliseconds(ahead_); }});
  }
  void Advance(milliseconds time) override { ahead_ += time.count(); }

 private:
  std::atomic<int64_t> ahead_ = 0;
  ScratchFolder folder_;
};

#ifdef CURSORWIRE_HAS_POSTGRESQL
class Server final : public Place {
 public:
  // nullptr: there is none on this machine.
  static std::unique_ptr<Place> Make() {
    static const std::unique_ptr<PostgresServer> server = PostgresServer::Start();
    if (server == nullptr) return nullptr;
    auto database = MakePostgresDatabase(server->url());
    EXPECT_THAT(database, IsOk());
    EXPECT_THAT((*database)->Connect(), IsOk());
    for (const char* table :
         {"state", "claims", "uses", "blob_bytes", "blobs", "entries", "test_clock"}) {
      const std::string drop = std::string("DROP TABLE IF EXISTS cursor_gateway_") + table;
      EXPECT_THAT((*database)->Run(drop, {}), IsOk());
    }
    for (const char* make : {"CREATE TABLE cursor_gateway_test_clock (ahead BIGINT)",
                             "INSERT INTO cursor_gateway_test_clock VALUES (0)"}) {
      EXPECT_THAT((*database)->Run(make, {}), IsOk());
    }
    auto place = std::make_unique<Server>();
    place->url_ = server->url();
    place->clock_ = *std::move(database);
    return place;
  }
  std::unique_ptr<SqlDatabase> Connect() override {
    return *MakePostgresDatabase(url_, std::string("(") + kPostgresNow +
                                           " + (SELECT ahead FROM cursor_gateway_test_clock))");
  }
  void Advance(milliseconds time) override {
    EXPECT_THAT(clock_->Run("UPDATE cursor_gateway_test_clock SET ahead = ahead + $1",
                            {int64_t{time.count()}}),
                IsOk());
  }

 private:
  std::string url_;
  std::unique_ptr<SqlDatabase> clock_;
};
#endif

enum class Kind { kSqlite, kPostgres };

class StateStoreTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::kSqlite) {
      place_ = std::make_unique<Folder>();
      return;
    }
#ifdef CURSORWIRE_HAS_POSTGRESQL
    place_ = Server::Make();
#endif
    if (place_ == nullptr) GTEST_SKIP() << "no PostgreSQL is installed";
  }

  std::unique_ptr<StateStore> Open(size_t max_bytes = kMaxStateBytes) {
    auto store = std::make_unique<StateStore>(place_->Connect(), max_bytes);
    EXPECT_THAT(store->Open(), IsOk());
    return store;
  }
  absl::Status Put(StateStore& store, const StateKey& key, const StateEntry& entry,
                   const std::string& holder = "") {
    return store.Put(key, entry, hours(1), holder, Claimed::kStays);
  }
  bool Has(StateStore& store, const StateKey& key) {
    const auto entry = store.Get(key, -1);
    EXPECT_THAT(entry, IsOk());
    return entry.ok() && entry->has_value();
  }

  std::unique_ptr<Place> place_;
};

const StateKey kKey{StateKind::kConversation, std::string("a\0key\xFF", 6)};

TEST_P(StateStoreTest, KeepsEntriesAndBlobs) {
  const auto store = Open();
  EXPECT_FALSE(Has(*store, kKey));
  const StateEntry entry{.owner = std::string("\0\1", 2),
                         .revision = int64_t{1} << 40,
                         .value = std::string("a\0b\xFF", 4),
                         .blobs = {"", "one", std::string(100'000, '\xC3'), "one"}};
  ASSERT_THAT(Put(*store, kKey, entry), IsOk());
  const auto other = Open();
  const auto found = other->Get(kKey, 0);
  ASSERT_THAT(found, IsOk());
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->owner, entry.owner);
  EXPECT_EQ((*found)->revision, entry.revision);
  EXPECT_EQ((*found)->value, entry.value);
  EXPECT_THAT((*found)->blobs, UnorderedElementsAre("", "one", entry.blobs[2]));
  // Only what is not known yet is read.
  const auto known = other->Get(kKey, entry.revision);
  EXPECT_THAT((*known)->value, IsEmpty());
  // Another in its place, and another kind beside it.
  ASSERT_THAT(Put(*other, kKey, {.value = "new", .blobs = {"one"}}), IsOk());
  ASSERT_THAT(Put(*other, {StateKind::kDocument, kKey.name}, {.value = "else"}), IsOk());
  const auto again = store->Get(kKey, -1);
  EXPECT_EQ((*again)->value, "new");
  EXPECT_THAT((*again)->blobs, UnorderedElementsAre("one"));
}

TEST_P(StateStoreTest, GivesAnEntryToOneAlone) {
  const auto store = Open();
  ASSERT_THAT(Put(*store, kKey, {.value = "v", .blobs = {"b"}}), IsOk());
  const auto taken = store->Take(kKey);
  ASSERT_THAT(taken, IsOk());
  EXPECT_EQ((*taken)->value, "v");
  EXPECT_THAT((*taken)->blobs, UnorderedElementsAre("b"));
  EXPECT_FALSE((*store->Take(kKey)).has_value());
  EXPECT_FALSE(*store->Erase(kKey));
  ASSERT_THAT(Put(*store, kKey, {.value = "v"}), IsOk());
  EXPECT_TRUE(*store->Erase(kKey));
  EXPECT_FALSE(*store->Erase(kKey));
}

TEST_P(StateStoreTest, GivesAnEntryToOneOfManyWhoRace) {
  constexpr size_t kTakers = 4;
  constexpr int kRounds = 20;
  std::vector<std::unique_ptr<StateStore>> stores;
  for (size_t i = 0; i < kTakers; ++i) stores.push_back(Open());
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_THAT(Put(*stores[0], kKey, {.value = "v", .blobs = {"b"}}), IsOk());
    std::atomic<int> takers = 0;
    std::atomic<int> holders = 0;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kTakers; ++i) {
      threads.emplace_back([&, i] {
        const auto taken = stores[i]->Take(kKey);
        if (taken.ok() && taken->has_value()) ++takers;
        const StateKey claimed{StateKind::kAnswer, std::to_string(round)};
        const auto claim = stores[i]->Claim(claimed, std::to_string(i), "", kClaimLease);
        if (claim.ok() && claim->granted) ++holders;
        EXPECT_TRUE(taken.ok() && claim.ok());
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(takers, 1);
    EXPECT_EQ(holders, 1);
  }
}

TEST_P(StateStoreTest, LetsClaimsLapse) {
  const auto store = Open();
  const auto other = Open();
  const auto claim = [&](StateStore& by, const char* holder, const char* note) {
    const auto result = by.Claim(kKey, holder, note, seconds(30));
    EXPECT_THAT(result, IsOk());
    return *result;
  };
  EXPECT_TRUE(claim(*store, "first", "busy").granted);
  EXPECT_FALSE(claim(*other, "second", "").granted);
  EXPECT_EQ(claim(*other, "second", "").note, "busy");
  // It is renewed, with another note.
  place_->Advance(seconds(20));
  EXPECT_TRUE(*store->Renew(kKey, "first", "ending", seconds(30)));
  EXPECT_FALSE(*other->Renew(kKey, "second", "", seconds(30)));
  place_->Advance(seconds(20));
  EXPECT_EQ(claim(*other, "second", "").note, "ending");
  // The holder alone may write while it has it, and alone gives it back.
  EXPECT_THAT(Put(*other, kKey, {.value = "2"}, "second"), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(Put(*store, kKey, {.value = "1"}, "first"), IsOk());
  EXPECT_THAT(other->Release(kKey, "second"), IsOk());
  EXPECT_FALSE(claim(*other, "second", "").granted);
  // The replica that had it is dead.
  place_->Advance(seconds(11));
  EXPECT_TRUE(claim(*other, "second", "").granted);
  EXPECT_THAT(Put(*store, kKey, {.value = "late"}, "first"), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ((*store->Get(kKey, -1))->value, "1");
  EXPECT_THAT(other->Release(kKey, "second"), IsOk());
  EXPECT_TRUE(claim(*store, "first", "").granted);
  // The last write ends it in one step.
  EXPECT_THAT(store->Put(kKey, {.value = "1"}, hours(1), "first", Claimed::kEnds), IsOk());
  EXPECT_TRUE(claim(*other, "second", "").granted);
}

TEST_P(StateStoreTest, DoesNotRenewAClaimThatIsLost) {
  const auto store = Open();
  const auto other = Open();
  EXPECT_TRUE(store->Claim(kKey, "first", "", seconds(30))->granted);
  // It sleeps, and another begins and ends meanwhile.
  place_->Advance(seconds(31));
  EXPECT_TRUE(other->Claim(kKey, "second", "", seconds(30))->granted);
  EXPECT_THAT(other->Put(kKey, {.value = "2"}, hours(1), "second", Claimed::kEnds), IsOk());
  EXPECT_FALSE(*store->Renew(kKey, "first", "", seconds(30)));
  EXPECT_THAT(Put(*store, kKey, {.value = "1"}, "first"), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ((*store->Get(kKey, -1))->value, "2");
}

TEST_P(StateStoreTest, TakesAClaimForLapsedThatIsOfBeforeTheClockWasPutBack) {
  const auto store = Open();
  EXPECT_TRUE(store->Claim(kKey, "dead", "", kClaimLease)->granted);
  // As clocks do that are kept in step.
  place_->Advance(seconds(-5));
  EXPECT_FALSE(store->Claim(kKey, "other", "", kClaimLease)->granted);
  place_->Advance(hours(-1));
  EXPECT_TRUE(store->Claim(kKey, "other", "", kClaimLease)->granted);
  EXPECT_FALSE(*store->Renew(kKey, "dead", "", kClaimLease));
  EXPECT_FALSE(store->Claim(kKey, "third", "", kClaimLease)->granted);
}

TEST_P(StateStoreTest, ReplacesADocumentByALaterOneAlone) {
  const auto store = Open();
  const StateKey key{StateKind::kDocument, "id"};
  EXPECT_THAT(Put(*store, key, {.revision = 2, .value = "2", .blobs = {"b"}}), IsOk());
  for (const int64_t revision : {0, 1, 2}) {
    EXPECT_THAT(Put(*store, key, {.revision = revision, .value = "late"}),
                StatusIs(absl::StatusCode::kAborted));
  }
  EXPECT_EQ((*store->Get(key, -1))->value, "2");
  EXPECT_THAT((*store->Get(key, -1))->blobs, SizeIs(1));
  EXPECT_THAT(Put(*store, key, {.revision = 3, .value = "3"}), IsOk());
  EXPECT_EQ((*store->Get(key, -1))->value, "3");
  // One that has expired counts for nothing.
  place_->Advance(hours(2));
  EXPECT_THAT(Put(*store, key, {.revision = 1, .value = "new"}), IsOk());
  EXPECT_EQ((*store->Get(key, -1))->value, "new");
}

TEST_P(StateStoreTest, ForgetsByAge) {
  const auto store = Open();
  const StateKey later{StateKind::kDocument, "later"};
  ASSERT_THAT(store->Put(kKey, {.value = "v", .blobs = {"b"}}, minutes(1), "", Claimed::kStays),
              IsOk());
  ASSERT_THAT(store->Put(later, {.value = "v", .blobs = {"b"}}, hours(2), "", Claimed::kStays),
              IsOk());
  place_->Advance(minutes(1));
  EXPECT_FALSE(Has(*store, kKey));
  EXPECT_FALSE((*store->Take(kKey)).has_value());
  ASSERT_THAT(store->Sweep(), IsOk());
  EXPECT_THAT((*store->Get(later, -1))->blobs, SizeIs(1));
  place_->Advance(hours(1));
  ASSERT_THAT(store->Sweep(), IsOk());
  EXPECT_THAT((*store->Get(later, -1))->blobs, SizeIs(1));
}

TEST_P(StateStoreTest, ForgetsTheOldestWhereAllIsTooLarge) {
  const auto store = Open(100'000);
  for (int i = 0; i < 40; ++i) {
    const StateKey key{StateKind::kConversation, std::to_string(i)};
    const std::string blob(5000, static_cast<char>('a' + i));
    ASSERT_THAT(Put(*store, key, {.value = "v", .blobs = {blob}}), IsOk());
    place_->Advance(seconds(1));
  }
  ASSERT_THAT(store->Sweep(), IsOk());
  EXPECT_FALSE(Has(*store, {StateKind::kConversation, "0"}));
  EXPECT_TRUE(Has(*store, {StateKind::kConversation, "39"}));
  EXPECT_THAT((*store->Get({StateKind::kConversation, "39"}, -1))->blobs, SizeIs(1));
  // One that is larger than all of the room goes, too.
  ASSERT_THAT(Put(*store, kKey, {.value = std::string(200'000, 'v')}), IsOk());
  ASSERT_THAT(store->Sweep(), IsOk());
  EXPECT_FALSE(Has(*store, kKey));
}

TEST_P(StateStoreTest, MakesRoomAtTheCostOfTheOwnerThatHasMost) {
  const auto store = Open(100'000);
  const auto key = [](const std::string& owner, int i) {
    return StateKey{StateKind::kResponse, owner + std::to_string(i)};
  };
  const std::string blob(5000, 'b');
  const auto put = [&](const std::string& owner, int i, const std::string& own) {
    return Put(*store, key(owner, i), {.owner = owner, .value = "v", .blobs = {blob, own}});
  };
  // All entries of one have the same blob, which counts once for it.
  for (int i = 0; i < 20; ++i) ASSERT_THAT(put("quiet", i, blob), IsOk());
  place_->Advance(seconds(1));
  for (int i = 0; i < 30; ++i) {
    ASSERT_THAT(put("busy", i, std::to_string(i) + blob), IsOk());
    place_->Advance(seconds(1));
  }
  // What its conversations left behind makes room before they do.
  ASSERT_TRUE(*store->Erase(key("busy", 29)));
  while (*store->Sweep()) continue;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Has(*store, key("quiet", i))) << i;
  EXPECT_FALSE(Has(*store, key("busy", 0)));
  EXPECT_TRUE(Has(*store, key("busy", 28)));
  EXPECT_THAT((*store->Get(key("busy", 28), -1))->blobs, SizeIs(2));
  // Small entries in great number are no way around it.
  for (int i = 0; i < 400; ++i) {
    ASSERT_THAT(Put(*store, key("many", i), {.owner = "many"}), IsOk());
  }
  while (*store->Sweep()) continue;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Has(*store, key("quiet", i))) << i;
}

TEST_P(StateStoreTest, ReadsManyEntriesOfOneOwner) {
  const auto store = Open();
  const auto key = [](const char* name) { return StateKey{StateKind::kItem, name}; };
  ASSERT_THAT(Put(*store, key("a"), {.owner = "one", .value = "A", .blobs = {"b"}}), IsOk());
  ASSERT_THAT(Put(*store, key("b"), {.owner = "other", .value = "B", .blobs = {"b"}}), IsOk());
  ASSERT_THAT(Put(*store, key("c"), {.owner = "one", .value = "C"}), IsOk());
  const auto all = store->GetAll({key("c"), key("b"), key("nothing"), key("a")}, "one", 3);
  ASSERT_THAT(all, IsOk());
  ASSERT_THAT(*all, SizeIs(4));
  EXPECT_EQ((*all)[0]->value, "C");
  EXPECT_FALSE((*all)[1].has_value());
  EXPECT_FALSE((*all)[2].has_value());
  EXPECT_THAT((*all)[3]->blobs, UnorderedElementsAre("b"));
  EXPECT_THAT(store->GetAll({key("a"), key("c")}, "one", 2),
              StatusIs(absl::StatusCode::kOutOfRange));
}

TEST_P(StateStoreTest, SweepsInShortSteps) {
  const auto store = Open(200'000);
  const auto key = [](int i) { return StateKey{StateKind::kConversation, std::to_string(i)}; };
  for (int i = 0; i < 250; ++i) {
    // One blob is everybody's, one is its own.
    const std::vector<std::string> blobs = {std::string(5000, 's'),
                                            std::to_string(i) + std::string(3000, 'b')};
    ASSERT_THAT(Put(*store, key(i), {.value = "v", .blobs = blobs}), IsOk());
    place_->Advance(seconds(1));
  }
  EXPECT_TRUE(*store->Sweep());
  EXPECT_TRUE(Has(*store, key(100)));
  int steps = 1;
  while (*store->Sweep()) ++steps;
  EXPECT_EQ(steps, 1);
  // No more went than had to: an entry has 3516 bytes or less.
  EXPECT_FALSE(Has(*store, key(194)));
  EXPECT_TRUE(Has(*store, key(195)));
  EXPECT_THAT((*store->Get(key(249), -1))->blobs, SizeIs(2));
  EXPECT_FALSE(*store->Sweep());
  EXPECT_TRUE(Has(*store, key(195)));
}

TEST_P(StateStoreTest, IsMadeByManyAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> opened = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      StateStore store(place_->Connect());
      const absl::Status status = store.Open();
      EXPECT_THAT(status, IsOk());
      if (status.ok()) ++opened;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened, 4);
}

TEST_P(StateStoreTest, RefusesTablesOfANewerVersion) {
  Open();
  const auto database = place_->Connect();
  ASSERT_THAT(database->Connect(), IsOk());
  ASSERT_THAT(database->Run("UPDATE cursor_gateway_state SET version = 3", {}), IsOk());
  StateStore store(place_->Connect());
  const absl::Status status = store.Open();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 3"));
}

TEST_P(StateStoreTest, KeepsConversationsOfTheFirstVersion) {
  const StateKey answer{StateKind::kAnswer, "answer"};
  {
    const auto store = Open();
    ASSERT_THAT(Put(*store, kKey, {.value = "v", .blobs = {"b"}}), IsOk());
    ASSERT_THAT(Put(*store, answer, {.owner = "digest of a body", .value = "{}"}), IsOk());
  }
  const auto database = place_->Connect();
  ASSERT_THAT(database->Connect(), IsOk());
  for (const char* statement :
       {"DROP INDEX cursor_gateway_entries_owner",
        "CREATE INDEX cursor_gateway_entries_since ON cursor_gateway_entries (since)",
        "ALTER TABLE cursor_gateway_blobs DROP COLUMN owner",
        "UPDATE cursor_gateway_state SET version = 1"}) {
    ASSERT_THAT(database->Run(statement, {}), IsOk());
  }
  const auto store = Open();
  const auto entry = store->Get(kKey, -1);
  ASSERT_THAT(entry, IsOk());
  ASSERT_TRUE(entry->has_value());
  EXPECT_THAT((*entry)->blobs, UnorderedElementsAre("b"));
  EXPECT_FALSE(Has(*store, answer));
  ASSERT_THAT(Put(*store, kKey, {.value = "w", .blobs = {"b"}}), IsOk());
  StateStore small(place_->Connect(), 1);
  while (*small.Sweep()) continue;
  EXPECT_FALSE(Has(*store, kKey));
}

INSTANTIATE_TEST_SUITE_P(Databases, StateStoreTest,
                         ::testing::Values(Kind::kSqlite, Kind::kPostgres), [](const auto& suite) {
                           return suite.param == Kind::kSqlite ? "Sqlite" : "Postgres";
                         });

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class StateFolderTest : public ::testing::Test {
 protected:
  std::string Path() const { return scratch_.At("state"); }
  absl::Status PutOne(StateStore& store) {
    return store.Put(kKey, {.value = "v"}, hours(1), "", Claimed::kStays);
  }

  ScratchFolder scratch_;
};

TEST_F(StateFolderTest, HoldsClaimsWhateverTheClockOnTheWallShows) {
  milliseconds ahead(0);
  const auto opened =
      OpenState(Path(), {.ages = [&ahead] { return SqliteClocks::Wall() + ahead; }});
  ASSERT_THAT(opened, IsOk());
  EXPECT_TRUE(opened->store->Claim(kKey, "holder", "", kClaimLease)->granted);
  for (const hours step : {hours(24), hours(-48)}) {
    ahead += step;
    EXPECT_FALSE(opened->store->Claim(kKey, "other", "", kClaimLease)->granted);
    ASSERT_THAT(opened->store->Sweep(), IsOk());
  }
  EXPECT_THAT(opened->store->Put(kKey, {.value = "v"}, hours(1), "holder", Claimed::kEnds), IsOk());
}

TEST_F(StateFolderTest, IsOpenedWhileAnotherWrites) {
  const auto writer = MakeSqliteDatabase(Path());
  ASSERT_THAT(writer->Connect(), IsOk());
  ASSERT_THAT(writer->Run("CREATE TABLE things (name BLOB)", {}), IsOk());
  ASSERT_THAT(writer->Run(writer->dialect().begin, {}), IsOk());
  ASSERT_THAT(writer->Run("INSERT INTO things VALUES ($1)", {std::string("a")}), IsOk());
  const auto other = MakeSqliteDatabase(Path());
  EXPECT_THAT(other->Connect(), IsOk());
  EXPECT_THAT(other->Run("PRAGMA auto_vacuum", {}),
              IsOkAndHolds(std::vector<SqlRow>{{int64_t{1}}}));
  EXPECT_THAT(other->Run("SELECT name FROM things", {}), IsOkAndHolds(IsEmpty()));
}

TEST_F(StateFolderTest, IsForItsOwnerAlone) {
  const mode_t before = ::umask(0);
  const auto opened = OpenState(Path());
  ASSERT_THAT(opened, IsOk());
  EXPECT_THAT(opened->away, IsOk());
  EXPECT_THAT(PutOne(*opened->store), IsOk());
  ::umask(before);
  EXPECT_EQ(ModeOf(Path()), 0700U);
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(Path())) {
    EXPECT_EQ(ModeOf(file.path()), 0600U) << file.path();
    ++files;
  }
  EXPECT_EQ(files, 3);  // the write-ahead log is there, too
  // One that is empty, or ours, becomes so.
  ::chmod(Path().c_str(), 0755);
  EXPECT_THAT(OpenState(Path()), IsOk());
  EXPECT_EQ(ModeOf(Path()), 0700U);
}

TEST_F(StateFolderTest, IsRefusedWhereNothingCanBeKept) {
  const auto refused = [](const std::string& place) {
    const auto opened = OpenState(place);
    EXPECT_THAT(opened, StatusIs(absl::StatusCode::kFailedPrecondition)) << place;
    return std::string(opened.status().message());
  };
  EXPECT_THAT(refused(scratch_.At("not/there")), HasSubstr("No such file"));
  scratch_.Write("file", "x");
  EXPECT_THAT(refused(scratch_.At("file")), HasSubstr("not a folder"));
  EXPECT_THAT(refused("/proc/1"), Not(IsEmpty()));
  scratch_.Write("shared/other", "x");
  ::chmod(scratch_.At("shared").c_str(), 0755);
  EXPECT_THAT(refused(scratch_.At("shared")), HasSubstr("folder of its own"));
  EXPECT_EQ(ModeOf(scratch_.At("shared")), 0755U);
  EXPECT_THAT(refused("redis://localhost"), HasSubstr("postgresql://"));
#ifdef CURSORWIRE_HAS_POSTGRESQL
  const std::string message = refused("postgresql://user:a-secret%zz@host/");
  EXPECT_THAT(message, Not(HasSubstr("a-secret")));
#endif
  std::filesystem::create_directory(scratch_.At("linked"));
  ::chmod(scratch_.At("linked").c_str(), 0700);
  std::filesystem::create_symlink(scratch_.At("file"), scratch_.At("linked/state.sqlite3"));
  EXPECT_THAT(refused(scratch_.At("linked")), Not(IsEmpty()));
  EXPECT_EQ(ReadAll(scratch_.At("file")), "x");
}

// Root may write everywhere.
class AsAnotherUser {
 public:
  explicit AsAnotherUser(const std::string& folder) {
    if (::geteuid() != 0) return;
    EXPECT_EQ(::chown(folder.c_str(), kNobody, kNobody), 0);
    EXPECT_EQ(::seteuid(kNobody), 0);
  }
  ~AsAnotherUser() {
    if (::getuid() != 0) return;
    EXPECT_EQ(::seteuid(0), 0);
  }
  AsAnotherUser(const AsAnotherUser&) = delete;
  AsAnotherUser& operator=(const AsAnotherUser&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
};

TEST_F(StateFolderTest, IsRefusedWhereItBecameReadOnly) {
  const AsAnotherUser user(scratch_.path());
  const auto opened = OpenState(Path());
  ASSERT_THAT(opened, IsOk());
  EXPECT_THAT(PutOne(*opened->store), IsOk());
  ::chmod(Path().c_str(), 0500);
  // What is open stays so; who starts then is told.
  EXPECT_THAT(PutOne(*opened->store), IsOk());
  const auto later = OpenState(Path());
  EXPECT_THAT(later, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(later.status().message()), HasSubstr("Permission denied"));
  ::chmod(Path().c_str(), 0700);
}

TEST_F(StateFolderTest, IsAwayWhereItsFileIsDamaged) {
  std::filesystem::create_directory(Path());
  ::chmod(Path().c_str(), 0700);
  std::ofstream(Path() + "/state.sqlite3") << std::string(8192, 'x');
  auto opened = OpenState(Path());
  ASSERT_THAT(opened, IsOk());
  EXPECT_THAT(opened->away, StatusIs(absl::StatusCode::kDataLoss));
  // Not asked again at once.
  EXPECT_THAT(PutOne(*opened->store), StatusIs(absl::StatusCode::kDataLoss));
  // Who removes the file has a new one.
  std::filesystem::remove(Path() + "/state.sqlite3");
  opened = OpenState(Path());
  EXPECT_THAT(opened->away, IsOk());
  EXPECT_THAT(PutOne(*opened->store), IsOk());
}

TEST_F(StateFolderTest, GoesOnInANewFileWhereTheOldOneWasRemoved) {
  const auto opened = OpenState(Path());
  ASSERT_THAT(opened, IsOk());
  EXPECT_THAT(PutOne(*opened->store), IsOk());
  std::filesystem::remove_all(Path());
  EXPECT_THAT(PutOne(*opened->store), IsOk());
  EXPECT_TRUE((*opened->store->Get(kKey, -1)).has_value());
  EXPECT_EQ(ModeOf(Path()), 0700U);
}

TEST_F(StateFolderTest, FailsWhereAnotherFileTookThePlace) {
  const auto opened = OpenState(Path());
  ASSERT_THAT(opened, IsOk());
  EXPECT_THAT(PutOne(*opened->store), IsOk());
  for (const auto& file : std::filesystem::directory_iterator(Path())) {
    std::filesystem::remove(file.path());
  }
  std::ofstream(Path() + "/state.sqlite3") << std::string(8192, 'x');
  EXPECT_THAT(opened->store->Get(kKey, -1), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(StateFolderTest, KeepsEachBlobOnceAndErasesWhatItForgets) {
  milliseconds ahead(0);
  auto opened = OpenState(Path(), {.ages = [&ahead] { return SqliteClocks::Wall() + ahead; }});
  ASSERT_THAT(opened, IsOk());
  const std::string blob(300'000, 'b');
  for (int i = 0; i < 10; ++i) {
    ASSERT_THAT(
        opened->store->Put({StateKind::kConversation, std::to_string(i)},
                           {.value = "v", .blobs = {blob}}, minutes(i + 1), "", Claimed::kStays),
        IsOk());
  }
  const auto size = [&] {
    uintmax_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(Path())) {
      bytes += std::filesystem::file_size(file.path());
    }
    return bytes;
  };
  EXPECT_LT(size(), 3 * blob.size());
  ahead = hours(1);
  ASSERT_THAT(opened->store->Sweep(), IsOk());
  opened->store = nullptr;
  EXPECT_LT(size(), blob.size());
  EXPECT_THAT(ReadAll(Path() + "/state.sqlite3"), Not(HasSubstr(std::string(100, 'b'))));
}

#ifdef CURSORWIRE_HAS_POSTGRESQL
TEST(StateServer, ComesBack) {
  const std::unique_ptr<PostgresServer> server = PostgresServer::Start();
  if (server == nullptr) GTEST_SKIP() << "no PostgreSQL is installed";
  const auto opened = OpenState(server->url());
  ASSERT_THAT(opened, IsOk());
  ASSERT_THAT(opened->away, IsOk());
  ASSERT_THAT(opened->store->Put(kKey, {.value = "v"}, hours(1), "", Claimed::kStays), IsOk());
  server->Kill();
  EXPECT_THAT(opened->store->Get(kKey, -1), StatusIs(absl::StatusCode::kUnavailable));
  // It may be away when a gateway starts.
  const auto later = OpenState(server->url());
  ASSERT_THAT(later, IsOk());
  EXPECT_THAT(later->away, StatusIs(absl::StatusCode::kUnavailable));
  server->Restart();
  const auto found = OpenState(server->url())->store->Get(kKey, -1);
  ASSERT_THAT(found, IsOk());
  EXPECT_TRUE(found->has_value());
}
#endif

}  // namespace
}  // namespace cursor_gateway
