#include "collab/oct/peer_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "collab/oct/test_peer.h"
#include "support/status_matchers.h"

namespace cursorwire::oct::room_test {
namespace {

using absl::StatusCode;
using cursorwire::test::IsOk;
using cursorwire::test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PeerListTest : public ::testing::Test {
 protected:
  static RoomPeer Peer(const std::string& id, const std::string& key) {
    return {.id = id, .name = "name of " + id, .public_key = key};
  }
  // With what `id` decrypts a message.
  std::string KeyOf(const std::string& id) {
    const auto encrypted = cipher_->Encrypt("content", {&id, 1});
    return encrypted.ok() && encrypted->keys.size() == 1 ? encrypted->keys[0].key : "";
  }

  std::unique_ptr<RoomCipher> cipher_ = TestCipher(0);
  const std::string key_ = TestCipher(1)->public_key();
  PeerList peers_{*cipher_};
};

TEST_F(PeerListTest, KnowsWhoIsThereAndGetsMessages) {
  EXPECT_THAT(peers_.Add(Peer("b", key_)), IsOk());
  EXPECT_THAT(peers_.Add(Peer("a", key_)), IsOk());
  EXPECT_THAT(peers_.Add(Peer("c", "no key")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"name of c\" gets nothing")));
  EXPECT_THAT(peers_.receivers(), ElementsAre("a", "b"));
  EXPECT_EQ(peers_.size(), 3u);
  ASSERT_NE(peers_.Find("c"), nullptr);
  EXPECT_EQ(peers_.Find("c")->name, "name of c");
  EXPECT_EQ(peers_.BudgetOf("c"), nullptr);
  EXPECT_NE(peers_.BudgetOf("a"), nullptr);
  EXPECT_EQ(peers_.Find("d"), nullptr);
  EXPECT_EQ(peers_.BudgetOf("d"), nullptr);
}

TEST_F(PeerListTest, WarnsOnceForEachBadKey) {
  EXPECT_THAT(peers_.Add(Peer("a", "bad")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(peers_.Add(Peer("a", "bad")), IsOk());
  EXPECT_THAT(peers_.Add(Peer("a", "worse")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(peers_.Add(Peer("a", "")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(peers_.Add(Peer("a", key_)), IsOk());
  EXPECT_THAT(peers_.receivers(), ElementsAre("a"));
  EXPECT_THAT(peers_.Add(Peer("a", "bad")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(peers_.receivers(), IsEmpty());
}

TEST_F(PeerListTest, EncryptsWithANewKeyAfterAPeerHasLeft) {
  EXPECT_THAT(peers_.Add(Peer("a", key_)), IsOk());
  EXPECT_THAT(peers_.Add(Peer("b", key_)), IsOk());
  EXPECT_THAT(peers_.Add(Peer("c", "bad")), StatusIs(StatusCode::kInvalidArgument));
  const std::string key = KeyOf("a");
  EXPECT_NE(key, "");
  EXPECT_EQ(KeyOf("a"), key);
  EXPECT_THAT(peers_.Remove("unknown"), IsOk());
  EXPECT_THAT(peers_.Remove("c"), IsOk());
  EXPECT_EQ(KeyOf("a"), key) << "neither could read anything";
  EXPECT_THAT(peers_.Remove("b"), IsOk());
  EXPECT_NE(KeyOf("a"), key);
  EXPECT_EQ(KeyOf("b"), "");
  EXPECT_THAT(peers_.receivers(), ElementsAre("a"));
}

TEST_F(PeerListTest, FailsWhereThereIsNoNewKey) {
  bool has_secrets = true;
  const auto cipher = RoomCipher::FromPem(TestKeyPem(0), [&has_secrets](std::span<uint8_t> bytes) {
    return has_secrets && FillFromOpenSsl(bytes);
  });
  PeerList peers(**cipher);
  EXPECT_THAT(peers.Add(Peer("a", key_)), IsOk());
  has_secrets = false;
  EXPECT_THAT(peers.Remove("a"), StatusIs(StatusCode::kInternal));
}

TEST_F(PeerListTest, RemembersWhoLeftUntilTheHostsListIsHere) {
  EXPECT_THAT(peers_.Remove("a"), IsOk());
  EXPECT_THAT(peers_.Add(Peer("a", key_)), IsOk());
  EXPECT_EQ(peers_.size(), 0u);
  peers_.Init();
  EXPECT_THAT(peers_.Add(Peer("a", key_)), IsOk());
  EXPECT_EQ(peers_.size(), 1u);
}

TEST_F(PeerListTest, HasABound) {
  for (size_t i = 0; i < kMaxRoomPeers; ++i) {
    (void)peers_.Add(Peer(std::to_string(i), ""));
    (void)peers_.Remove("gone " + std::to_string(i));
  }
  EXPECT_THAT(peers_.Remove("one more"), IsOk());
  EXPECT_THAT(peers_.Add(Peer("one more", key_)), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(peers_.size(), kMaxRoomPeers);
  EXPECT_THAT(peers_.Add(Peer("0", key_)), IsOk()) << "it is there";
  EXPECT_THAT(peers_.receivers(), ElementsAre("0"));
}

}  // namespace
}  // namespace cursorwire::oct::room_test
