#include "cursorwire/blob_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/sha256.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/hex.h"
#include "support/sizes.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

using test::FromHex;
using test::HasOrigin;
using test::IsOk;
using test::kMiB;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

// docs/protocol.md, blobs.
constexpr size_t kMaxBlob = 32 * kMiB;
constexpr size_t kMaxTotal = 128 * kMiB;

TEST(BlobStore, HasNothingAtFirst) {
  const MemoryBlobStore store;
  EXPECT_THAT(store.Get(Sha256("abc")), Eq(std::nullopt));
  EXPECT_THAT(store.Get(""), Eq(std::nullopt));
}

TEST(BlobStore, PutsABlobUnderItsSha256) {
  MemoryBlobStore store;
  const std::string blob("a\0b", 3);
  const std::string id = store.Put(blob);
  EXPECT_EQ(id, Sha256(blob));
  EXPECT_THAT(store.Get(id), Optional(Eq(blob)));
  EXPECT_EQ(store.Put(blob), id);
  EXPECT_THAT(store.Get(id), Optional(Eq(blob)));
}

TEST(BlobStore, PeeksWithoutAUse) {
  MemoryBlobStore store(BlobLimits{.total_bytes = 2 * 257});
  const std::string a = store.Put("a");
  const std::string b = store.Put("b");
  EXPECT_THAT(store.Peek(a), Optional(Eq("a")));
  EXPECT_THAT(store.Peek(Sha256("c")), Eq(std::nullopt));
  store.Put("c");
  EXPECT_FALSE(store.Contains(a));
  EXPECT_TRUE(store.Contains(b));
}

TEST(BlobStore, TellsAnEmptyBlobFromAMissingOne) {
  MemoryBlobStore store;
  EXPECT_THAT(store.Set(Sha256(""), ""), IsOk());
  EXPECT_THAT(store.Get(Sha256("")), Optional(Eq("")));
}

TEST(BlobStore, TakesABlobOfTheServerUnderItsSha256Alone) {
  MemoryBlobStore store;
  const std::string good = Sha256("blob");
  struct Case {
    const char* name;
    std::string id;
    bool ok;
  };
  const Case cases[] = {{"right", good, true},
                        {"of other bytes", Sha256("other"), false},
                        {"empty", "", false},
                        {"cut short", good.substr(0, 31), false},
                        {"with a byte more", good + "x", false},
                        {"in hex", "fa2c8cc4f28176bbeed4b736df569a34", false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = store.Set(c.id, "blob");
    if (c.ok) {
      EXPECT_THAT(status, IsOk());
      EXPECT_THAT(store.Get(c.id), Optional(Eq("blob")));
    } else {
      EXPECT_THAT(status, AllOf(StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4 bytes")),
                                HasOrigin(connect::ErrorOrigin::kLocal)));
      EXPECT_THAT(store.Get(c.id), Eq(std::nullopt));
    }
  }
}

TEST(BlobStore, BoundsOneBlob) {
  MemoryBlobStore store;
  std::string blob(kMaxBlob, 'x');
  EXPECT_THAT(store.Set(Sha256(blob), blob), IsOk());
  blob += 'x';
  EXPECT_THAT(store.Set(Sha256(blob), blob),
              AllOf(StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("33554433 bytes")),
                    HasOrigin(connect::ErrorOrigin::kLocal)));
  EXPECT_THAT(store.Get(Sha256(blob)), Eq(std::nullopt));
}

// What each entry counts beside its bytes.
constexpr size_t kEntry = 256;

// Four blobs that fill the store; their ids.
std::vector<std::string> Fill(BlobStore& store) {
  std::vector<std::string> ids;
  std::string blob(kMaxBlob - kEntry, 'x');
  for (size_t sum = 0; sum < kMaxTotal; sum += kMaxBlob) {
    blob[0] = static_cast<char>('a' + sum / kMaxBlob);
    ids.push_back(Sha256(blob));
    EXPECT_THAT(store.Set(ids.back(), blob), IsOk());
  }
  return ids;
}

TEST(BlobStore, MakesRoomByTheBlobThatWasUsedLeastRecently) {
  MemoryBlobStore store;
  const std::vector<std::string> ids = Fill(store);
  ASSERT_TRUE(store.Get(ids[0]).has_value());
  EXPECT_THAT(store.Set(Sha256("x"), "x"), IsOk());
  EXPECT_TRUE(store.Contains(ids[0]));
  EXPECT_FALSE(store.Contains(ids[1]));
  EXPECT_TRUE(store.Contains(ids[2]));
  EXPECT_TRUE(store.Contains(Sha256("x")));
}

// docs/protocol.md, traps, 5.
TEST(BlobStore, NeverEvictsWhatIsProtected) {
  MemoryBlobStore store;
  const std::vector<std::string> ids = Fill(store);
  store.Protect("conversation", ids);
  store.Protect("other", {ids[2]});
  EXPECT_THAT(store.Set(Sha256("x"), "x"), StatusIs(absl::StatusCode::kResourceExhausted));
  for (const std::string& id : ids) EXPECT_TRUE(store.Contains(id));

  store.Protect("conversation", {ids[0], ids[1]});  // in their place
  EXPECT_THAT(store.Set(Sha256("x"), "x"), IsOk());
  EXPECT_FALSE(store.Contains(ids[3]));
  EXPECT_TRUE(store.Contains(ids[2]));
}

TEST(BlobStore, TakesABlobThatIsThereThoughItIsFull) {
  MemoryBlobStore store;
  const std::string there = "x";
  ASSERT_THAT(store.Set(Sha256(there), there), IsOk());
  store.Put(std::string(kMaxTotal - there.size(), 'y'));
  EXPECT_THAT(store.Set(Sha256(there), there), IsOk());
}

TEST(BlobStore, CountsABlobThatIsSetAgainOnce) {
  MemoryBlobStore store;
  const std::string blob(kMaxBlob, 'x');
  const std::string id = Sha256(blob);
  for (int i = 0; i < 6; ++i) EXPECT_THAT(store.Set(id, blob), IsOk());
}

TEST(BlobStore, BoundsTheSumBehindOurOwnLargeBlob) {
  MemoryBlobStore store;
  store.Protect("conversation", {store.Put(std::string(kMaxTotal + 1, 'x'))});
  EXPECT_THAT(store.Set(Sha256("x"), "x"), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(BlobStore, IsSharedByThreads) {
  MemoryBlobStore store;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&store] {
      for (int i = 0; i < 200; ++i) {
        const std::string blob = std::to_string(i);
        EXPECT_THAT(store.Get(store.Put(blob)), Optional(Eq(blob)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cursorwire::agent
