#include "cursorwire/session_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/sha256.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

class BlobFolder : public ::testing::Test {
 protected:
  std::shared_ptr<BlobStore> Open(size_t total_bytes = 1'000'000) {
    auto store = OpenBlobFolder(folder_.path() + "/blobs", {.total_bytes = total_bytes});
    EXPECT_THAT(store, IsOk());
    return *store;
  }
  // The files in it.
  size_t Count() const {
    const auto entries = std::filesystem::directory_iterator(folder_.path() + "/blobs");
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }

  ScratchFolder folder_;
};

TEST_F(BlobFolder, KeepsBlobsOverItsLife) {
  const std::string id = Open()->Put("mine");
  EXPECT_EQ(id, Sha256("mine"));
  EXPECT_THAT(Open()->Set(Sha256("yours"), "yours"), IsOk());
  const auto store = Open();
  EXPECT_THAT(store->Get(id), Optional(Eq("mine")));
  EXPECT_THAT(store->Get(Sha256("yours")), Optional(Eq("yours")));
  EXPECT_TRUE(store->Contains(id));
  EXPECT_FALSE(store->Contains(Sha256("other")));
  EXPECT_THAT(store->Get(Sha256("other")), Eq(std::nullopt));
  EXPECT_EQ(Count(), 2u);
}

TEST_F(BlobFolder, TakesOnlyWhatItsIdSays) {
  const auto store = Open();
  EXPECT_THAT(store->Set(Sha256("a"), "b"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(store->Get("../../etc/passwd"), Eq(std::nullopt));
  EXPECT_FALSE(store->Contains(""));
  EXPECT_EQ(Count(), 0u);
}

TEST_F(BlobFolder, DoesNotBelieveAFileThatHasChanged) {
  const auto store = Open();
  store->Put("mine");
  const std::string file =
      std::filesystem::directory_iterator(folder_.path() + "/blobs")->path().string();
  std::ofstream(file) << "changed";
  EXPECT_THAT(store->Get(Sha256("mine")), Eq(std::nullopt));
  EXPECT_FALSE(store->Contains(Sha256("mine")));
  // Another program does not either, and mends it.
  const auto other = Open();
  EXPECT_FALSE(other->Contains(Sha256("mine")));
  other->Put("mine");
  EXPECT_THAT(other->Get(Sha256("mine")), Optional(Eq("mine")));
}

TEST_F(BlobFolder, MakesRoomButNotByWhatIsProtected) {
  const std::string big(400, 'x');
  const auto store = Open(1800);
  const std::string first = store->Put(big + "1");
  const std::string second = store->Put(big + "2");
  store->Protect("conversation", {first});
  EXPECT_THAT(store->Set(Sha256(big + "3"), big + "3"), IsOk());
  EXPECT_TRUE(store->Contains(first));
  EXPECT_FALSE(store->Contains(second));
  store->Protect("other", {Sha256(big + "3")});
  EXPECT_THAT(store->Set(Sha256(big + big), big + big),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_TRUE(store->Contains(first));
}

TEST_F(BlobFolder, PeeksWithoutAUse) {
  (void)Open()->Put("a");
  const auto store = Open(2 * 257);
  const std::string b = store->Put("b");
  EXPECT_TRUE(store->Contains(Sha256("a")));
  EXPECT_THAT(store->Peek(Sha256("a")), Optional(Eq("a")));
  EXPECT_THAT(store->Peek(Sha256("c")), Eq(std::nullopt));
  (void)store->Put("c");
  EXPECT_FALSE(store->Contains(Sha256("a")));
  EXPECT_THAT(store->Get(b), Optional(Eq("b")));
  (void)store->Put("d");
  EXPECT_TRUE(store->Contains(b));  // it was used
}

TEST_F(BlobFolder, CountsWhatItFinds) {
  const std::string big(400, 'x');
  Open()->Put(big + "1");
  const auto store = Open(1000);
  EXPECT_THAT(store->Set(Sha256(big + "2"), big + "2"), IsOk());
  EXPECT_FALSE(store->Contains(Sha256(big + "1")));
}

TEST_F(BlobFolder, IsRefusedWhereOthersMayReadIt) {
  Open();
  ASSERT_EQ(::chmod((folder_.path() + "/blobs").c_str(), 0755), 0);
  EXPECT_THAT(OpenBlobFolder(folder_.path() + "/blobs"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("chmod 700")));
  EXPECT_THAT(OpenBlobFolder(folder_.path() + "/no/such"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace cursorwire::test
