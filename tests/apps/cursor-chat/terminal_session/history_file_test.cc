#include "terminal_session/history_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/scratch_folder.h"

namespace cursor_chat {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const cursorwire::connect::Redactor kNoSecrets;

std::string ContentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class HistoryFileTest : public ::testing::Test {
 protected:
  std::vector<std::string> Entries() {
    absl::StatusOr<std::vector<std::string>> entries = HistoryFile(path_, kNoSecrets).Read();
    EXPECT_TRUE(entries.ok()) << entries.status();
    return entries.ok() ? *entries : std::vector<std::string>();
  }

  const cursorwire::test::ScratchFolder scratch_;
  const std::string path_ = scratch_.path() + "/state/cursorwire/history";
  HistoryFile file_{path_, kNoSecrets};
};

TEST_F(HistoryFileTest, KeepsEntriesOfSeveralLinesForItsOwnerAlone) {
  EXPECT_THAT(Entries(), IsEmpty());
  EXPECT_TRUE(file_.Add("one").ok());
  EXPECT_TRUE(file_.Add("two\nlines \\n").ok());
  EXPECT_THAT(Entries(), ElementsAre("one", "two\nlines \\n"));
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat((scratch_.path() + "/state/cursorwire").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(HistoryFileTest, TakesAWiderModeAway) {
  EXPECT_TRUE(file_.Add("one").ok());
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  EXPECT_TRUE(file_.Add("two").ok());
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(HistoryFileTest, LeavesOutRepetitionsAndLinesThatBeginWithASpace) {
  for (const char* entry : {"one", "one", " two", "", "one"}) EXPECT_TRUE(file_.Add(entry).ok());
  EXPECT_THAT(Entries(), ElementsAre("one"));
}

TEST_F(HistoryFileTest, KeepsNoSecret) {
  HistoryFile file(path_, cursorwire::connect::Redactor({"my-secret-access-token"}));
  for (const char* entry :
       {"what is my-secret-access-token for?", "Authorization: Bearer abcdefghijklmnopqrstuv",
        "key_0123456789abcdef", "clone https://ghp_abcdefghijklmnop@github.com/o/r",
        "a?token=npm_abcdefghijkl&b", "export KEY=sk-abcdefghijkl", "use \"ghp_abcdefghijklmnop\"",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop", "-----BEGIN PRIVATE KEY-----"}) {
    SCOPED_TRACE(entry);
    EXPECT_FALSE(file.MayKeep(entry));
    EXPECT_TRUE(file.Add(entry).ok());
  }
  EXPECT_TRUE(file.MayKeep("what is sk-1, key_a or a tokenizer?"));
  EXPECT_EQ(ContentOf(path_), "");
}

TEST_F(HistoryFileTest, KeepsTheNewestWithinItsBounds) {
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
  {
    std::ofstream before(path_);
    for (size_t i = 0; i < kMaxHistoryEntries + 10; ++i) before << i << "\n";
  }
  EXPECT_TRUE(file_.Add("last").ok());
  EXPECT_THAT(Entries(), SizeIs(kMaxHistoryEntries));
  EXPECT_EQ(Entries().front(), "11");
  EXPECT_EQ(Entries().back(), "last");
  const std::string long_entry(kMaxHistoryEntryBytes, 'x');
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(file_.Add(long_entry + std::to_string(i)).ok());
  EXPECT_EQ(Entries().back(), "last");  // each is too long
  const std::string large(kMaxHistoryEntryBytes - 2, 'x');
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(file_.Add(large + std::to_string(i % 10)).ok());
  EXPECT_LE(std::filesystem::file_size(path_), kMaxHistoryFileBytes);
}

TEST_F(HistoryFileTest, TwoSessionsLoseNothing) {
  const auto add = [this](const char* name) {
    HistoryFile file(path_, kNoSecrets);
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(file.Add(name + std::to_string(i)).ok());
  };
  std::thread other(add, "a");
  add("b");
  other.join();
  EXPECT_THAT(Entries(), SizeIs(100));
}

TEST_F(HistoryFileTest, GivesUpWhereAnotherProcessHoldsTheFolder) {
  EXPECT_TRUE(file_.Add("one").ok());
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int held = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  EXPECT_EQ(file_.Add("two").code(), absl::StatusCode::kUnavailable);
  ::close(held);
  EXPECT_THAT(Entries(), ElementsAre("one"));
}

TEST(HistoryFile, WithoutAPathKeepsNothing) {
  HistoryFile file("", kNoSecrets);
  EXPECT_TRUE(file.Add("one").ok());
  EXPECT_THAT(*file.Read(), IsEmpty());
}

}  // namespace
}  // namespace cursor_chat
