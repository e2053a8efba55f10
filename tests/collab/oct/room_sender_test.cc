#include "collab/oct/room_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "collab/oct/test_peer.h"
#include "support/status_matchers.h"

namespace cursorwire::oct::room_test {
namespace {

using absl::StatusCode;
using cursorwire::test::IsOk;
using cursorwire::test::IsOkAndHolds;
using cursorwire::test::StatusIs;
using ::testing::Gt;

RoomCall Query() { return {.method = RoomMethod::kAwarenessQuery}; }

TEST(RoomMethod, HasAName) {
  for (const auto& [method, name] : kRoomMethods) {
    EXPECT_EQ(RoomMethodOf(name), method);
    EXPECT_EQ(NameOf(method), name);
  }
  EXPECT_EQ(RoomMethodOf("room/unknown"), RoomMethod::kOther);
  EXPECT_EQ(RoomMethodOf(""), RoomMethod::kOther);
  EXPECT_EQ(NameOf(RoomMethod::kOther), "");
}

TEST(RoomSender, SendsOnlyWhileItIsOpenAndSomebodyCanRead) {
  const std::unique_ptr<RoomCipher> cipher = TestCipher(0);
  TestPeer peer("peer", "Pat", 1);
  RoomSender sender(*cipher);
  const std::vector<std::string> receivers = {"peer", "nobody"};
  EXPECT_THAT(sender.Broadcast(receivers, Query()), IsOkAndHolds(0u));
  EXPECT_THAT(sender.NotifyServer({.method = RoomMethod::kRoomLeave}), IsOkAndHolds(0u));
  sender.Open(1000000);
  EXPECT_THAT(sender.Broadcast({}, Query()), IsOkAndHolds(0u));
  EXPECT_THAT(sender.Broadcast(receivers, Query()), IsOkAndHolds(0u)) << "no keys";
  EXPECT_EQ(sender.TakeMessage(), std::nullopt);
  ASSERT_THAT(cipher->AddPeer("peer", peer.key()), IsOk());
  EXPECT_THAT(sender.Broadcast(receivers, Query()), IsOkAndHolds(Gt(0u)));
  EXPECT_THAT(sender.Notify("nobody", Query()), IsOkAndHolds(0u));
  const std::optional<std::string> sent = sender.TakeMessage();
  ASSERT_TRUE(sent);
  EXPECT_EQ(peer.Read(*sent)->method(), "sync/awarenessQuery");
  EXPECT_THAT(sender.Broadcast(receivers, Query()), IsOk());
  sender.Close();
  EXPECT_EQ(sender.TakeMessage(), std::nullopt);
}

TEST(RoomSender, RefusesWhatIsTooLong) {
  const std::unique_ptr<RoomCipher> cipher = TestCipher(0);
  RoomSender sender(*cipher);
  sender.Open(1000000);
  const absl::StatusOr<size_t> size = sender.NotifyServer({.method = RoomMethod::kRoomLeave});
  ASSERT_THAT(size, IsOk());
  sender.Open(*size);
  EXPECT_THAT(sender.NotifyServer({.method = RoomMethod::kRoomLeave}), IsOkAndHolds(*size));
  sender.Open(*size - 1);
  EXPECT_THAT(sender.NotifyServer({.method = RoomMethod::kRoomLeave}),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace cursorwire::oct::room_test
