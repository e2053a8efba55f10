#include "cursorwire/tls_session_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using connect::TlsSessionStore;
using std::chrono::hours;
using std::chrono::system_clock;
using test::IsOk;
using test::StatusIs;
using testing::Optional;

constexpr char kNone[] = R"({"tls_sessions":[]})";

class TlsSessionFileTest : public testing::Test {
 protected:
  std::shared_ptr<TlsSessionStore> Open() const {
    auto store = OpenTlsSessionFile(path_);
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }
  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const test::ScratchFolder folder_;
  const std::string path_ = folder_.path() + "/sessions";
  const system_clock::time_point soon_ = system_clock::now() + hours(1);
};

TEST_F(TlsSessionFileTest, IsThereForTheNextProcess) {
  EXPECT_EQ(Open()->Take("key"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path_));
  Open()->Add("key", "session", soon_);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_EQ(Open()->Take("other"), std::nullopt);
  EXPECT_THAT(Open()->Take("key"), Optional(std::string("session")));
  EXPECT_EQ(Open()->Take("key"), std::nullopt);
}

TEST_F(TlsSessionFileTest, TwoProcessesShareIt) {
  const auto one = Open();
  const auto other = Open();
  one->Add("key", "of one", soon_);
  other->Add("key", "of the other", soon_);
  EXPECT_THAT(one->Take("key"), Optional(std::string("of the other")));
  EXPECT_THAT(other->Take("key"), Optional(std::string("of one")));
  EXPECT_EQ(one->Take("key"), std::nullopt);
}

TEST_F(TlsSessionFileTest, DoesNotWaitForAnotherProcess) {
  const auto store = Open();
  store->Add("key", "session", soon_);
  const FileDescriptor other(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  EXPECT_EQ(store->Take("key"), std::nullopt);
  store->Add("key", "lost", soon_);
  ASSERT_EQ(::flock(other.get(), LOCK_UN), 0);
  EXPECT_THAT(store->Take("key"), Optional(std::string("session")));
  EXPECT_EQ(store->Take("key"), std::nullopt);
}

TEST_F(TlsSessionFileTest, LeavesAFileOfSomethingElseAlone) {
  folder_.Write("sessions", "-----BEGIN OPENSSH PRIVATE KEY-----");
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_THAT(OpenTlsSessionFile(path_), StatusIs(absl::StatusCode::kFailedPrecondition));
  // One that takes our file's place later.
  folder_.Write("sessions", "");
  const auto store = Open();
  folder_.Write("sessions", R"({"version":1,"history":[]})");
  EXPECT_EQ(store->Take("key"), std::nullopt);
  store->Add("key", "session", soon_);
  EXPECT_EQ(Text(), R"({"version":1,"history":[]})");
  // One that grew over the bound.
  folder_.WriteSparse("sessions", int64_t{2} * 1024 * 1024);
  store->Add("key", "session", soon_);
  EXPECT_EQ(std::filesystem::file_size(path_), size_t{2} * 1024 * 1024);
}

TEST_F(TlsSessionFileTest, RefusesAFileThatOthersMayRead) {
  folder_.Write("sessions", kNone);
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  EXPECT_THAT(OpenTlsSessionFile(path_), StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto store = [this] {
    ::chmod(path_.c_str(), 0600);
    return Open();
  }();
  // Whoever made it so meanwhile.
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  store->Add("key", "session", soon_);
  EXPECT_EQ(Text(), kNone);
}

TEST_F(TlsSessionFileTest, RefusesAFolder) {
  EXPECT_THAT(OpenTlsSessionFile(folder_.path()), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(OpenTlsSessionFile(folder_.path() + "/no/sessions"),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace cursorwire
