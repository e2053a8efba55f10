#include "collab/oct/room_peer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "collab/oct/room_cipher.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;

TEST(RoomPeer, IsReadAsTheServerHasIt) {
  const json peer = {{"id", "cH4IxB"},
                     {"host", true},
                     {"name", "H\xc3\xa4nna"},
                     {"email", ""},
                     {"metadata", {{"encryption", {{"publicKey", "MIIC"}}}}}};
  EXPECT_EQ(ReadRoomPeer(peer),
            (RoomPeer{.id = "cH4IxB", .name = "H\xc3\xa4nna", .public_key = "MIIC"}));
}

TEST(RoomPeer, NeedsAnIdThatCanBeOne) {
  const json ids[] = {nullptr,
                      5,
                      1.5,
                      true,
                      json::array({"x"}),
                      json::object(),
                      json::binary({1, 2}),
                      "",
                      "a\nb",
                      "\xff",
                      std::string(RoomCipher::kMaxPeerIdBytes + 1, 'x')};
  for (const json& id : ids) EXPECT_EQ(ReadRoomPeer({{"id", id}}), std::nullopt);
  for (const json& peer : {json(), json(5), json("x"), json::array({"id"}), json::object()}) {
    EXPECT_EQ(ReadRoomPeer(peer), std::nullopt);
  }
}

TEST(RoomPeer, HasDefaultsForAllElse) {
  const json odd[] = {nullptr, 5, json::array({1}), json::object(), json::binary({1})};
  for (const json& value : odd) {
    const json peers[] = {
        {{"id", "x"}, {"name", value}, {"host", value}, {"metadata", value}},
        {{"id", "x"}, {"metadata", {{"encryption", value}}}},
        {{"id", "x"}, {"metadata", {{"encryption", {{"publicKey", value}}}}}},
    };
    for (const json& peer : peers) EXPECT_EQ(ReadRoomPeer(peer), RoomPeer{.id = "x"});
  }
}

TEST(RoomPeer, HasBounds) {
  std::string name;
  for (size_t i = 0; i < kMaxPeerNameCharacters; ++i) name += "\xf0\x9f\x98\x80";
  const std::string key(RoomCipher::kMaxPublicKeyCharacters, 'A');
  const auto read = [](const std::string& named, const std::string& with_key) {
    return *ReadRoomPeer(
        {{"id", "x"}, {"name", named}, {"metadata", {{"encryption", {{"publicKey", with_key}}}}}});
  };
  EXPECT_EQ(read(name, key), (RoomPeer{.id = "x", .name = name, .public_key = key}));
  EXPECT_EQ(read(name + "x", key + "A"), (RoomPeer{.id = "x", .name = name}));
  EXPECT_EQ(read(std::string(100000, 'n'), "").name, std::string(kMaxPeerNameCharacters, 'n'));
  EXPECT_EQ(read("\xff\xfe", "").name, "\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace cursorwire::oct
