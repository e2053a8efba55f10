#include "collab/presence/cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "collab/cbor/cbor.h"
#include "collab/repo/repo_message.h"
#include "support/hex.h"
#include "support/source_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using test::FromHex;
using test::IsOk;

constexpr int64_t kNow = 1767225600123;

std::string Message(std::vector<std::pair<const char*, CborValue>> members) {
  CborValue::Map map;
  for (auto& [key, value] : members) map.emplace_back(CborValue(key), std::move(value));
  return WriteCbor(CborValue(std::move(map)));
}

// Cursors that npm's peers have sent.
std::vector<Cursor> GoldenCursors() {
  std::vector<Cursor> cursors;
  std::ifstream file(test::SourceFolder() + "/tests/golden/automerge_repo.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("ephemeral ")) continue;
    const absl::StatusOr<RepoMessage> message = ReadRepoMessage(FromHex(line.substr(10)));
    EXPECT_THAT(message, IsOk());
    const auto* const ephemeral = std::get_if<EphemeralMessage>(&*message);
    if (const auto cursor = ReadCursor(ephemeral->data, kNow)) cursors.push_back(*cursor);
  }
  return cursors;
}

TEST(Cursor, IsReadFromWhatWasRecorded) {
  const std::vector<Cursor> cursors = GoldenCursors();
  ASSERT_GE(cursors.size(), 8u);
  EXPECT_EQ(cursors[0], (Cursor{.peer_id = "peer-a3f2",
                                .name = "Alice",
                                .type = "user",
                                .position = 42,
                                .anchor = 35,
                                .color = "#4ECDC4",
                                .timestamp = 1767225600000}));
  EXPECT_THAT(cursors, ::testing::Contains(Cursor{.peer_id = "ai-gpt4",
                                                  .name = "GPT-4",
                                                  .type = "streaming_edit",
                                                  .position = 50,
                                                  .color = "#F59E0B",
                                                  .partial_pattern = "(?<=Hello ",
                                                  .timestamp = 1767225600002}));
  // Members that are undefined are missing.
  EXPECT_THAT(cursors, ::testing::Contains(Cursor{.peer_id = "ai-gpt4",
                                                  .name = "GPT-4",
                                                  .type = "ai",
                                                  .position = 3,
                                                  .color = "#9333EA",
                                                  .operation_type = "replace",
                                                  .timestamp = 1767225600003}));
  for (const Cursor& cursor : cursors) EXPECT_EQ(ReadCursor(WriteCursor(cursor), 0), cursor);
}

TEST(Cursor, HasTheColourThatOthersGiveIt) {
  EXPECT_EQ(ColorOfPeer("peer-a3f2"), "#85C1E2");
  EXPECT_EQ(ColorOfPeer("nvim-a1b2c3d4"), "#FFA07A");
  EXPECT_EQ(ColorOfPeer("ai-gpt4"), "#FF6B6B");
  EXPECT_EQ(ColorOfPeer("Zo\xc3\xab-\xf0\x9f\x98\x80"), "#BB8FCE");
  EXPECT_EQ(ColorOfPeer(""), "#FF6B6B");
  EXPECT_EQ(ColorOf("ai", "x"), "#9333EA");
  EXPECT_EQ(ColorOf("streaming_edit", "x"), "#F59E0B");
  EXPECT_EQ(ColorOf("user", "peer-a3f2"), "#85C1E2");
  EXPECT_EQ(ColorOf("other", "peer-a3f2"), "#85C1E2");
  EXPECT_EQ(ColorOfPeer(std::string(100000, '\xff')).size(), 7u);
}

TEST(Cursor, HasWhatIsMissing) {
  const auto cursor = ReadCursor(Message({{"type", CborValue("cursor")},
                                          {"peerId", CborValue("p")},
                                          {"position", CborValue(2.9)}}),
                                 kNow);
  ASSERT_TRUE(cursor);
  EXPECT_EQ(*cursor, (Cursor{.peer_id = "p",
                             .name = "Anonymous",
                             .type = "user",
                             .position = 2,
                             .color = std::string(ColorOfPeer("p")),
                             .timestamp = kNow}));
}

TEST(Cursor, IsNoneWithoutAPeerOrAPlace) {
  const CborValue type("cursor");
  const CborValue peer("p");
  const CborValue zero(int64_t{0});
  EXPECT_TRUE(ReadCursor(Message({{"type", type}, {"peerId", peer}, {"position", zero}}), kNow));
  const std::string wrong[] = {
      "",
      "rubbish",
      Message({{"type", CborValue("chat")}, {"peerId", peer}, {"position", zero}}),
      Message({{"peerId", peer}, {"position", zero}}),
      Message({{"type", type}, {"position", zero}}),
      Message({{"type", type}, {"peerId", zero}, {"position", zero}}),
      Message({{"type", type}, {"peerId", CborValue("")}, {"position", zero}}),
      Message({{"type", type}, {"peerId", peer}}),
      Message({{"type", type}, {"peerId", peer}, {"position", CborValue("1")}}),
      Message({{"type", type}, {"peerId", peer}, {"position", CborValue(int64_t{-1})}}),
      Message({{"type", type}, {"peerId", peer}, {"position", CborValue(0.0 / 0.0)}}),
      WriteCbor(CborValue("cursor"))};
  for (const std::string& data : wrong) EXPECT_EQ(ReadCursor(data, kNow), std::nullopt);
}

TEST(Cursor, TakesOutWhatAScreenMustNotGet) {
  const auto cursor = ReadCursor(Message({{"type", CborValue("cursor")},
                                          {"peerId", CborValue("p\x1b]0;x\x07")},
                                          {"name", CborValue(std::string(1000, 'n') + "\n")},
                                          {"cursorType", CborValue("strange")},
                                          {"position", CborValue(1e300)},
                                          {"anchor", CborValue(-5.0)},
                                          {"color", CborValue("red; background: url(x)")},
                                          {"partialPattern", CborValue(std::string(10000, 'q'))},
                                          {"operationType", CborValue("insert\xc2\x9b"
                                                                      "31m")},
                                          {"timestamp", CborValue("soon")}}),
                                 kNow);
  ASSERT_TRUE(cursor);
  EXPECT_EQ(cursor->peer_id, "p]0;x");
  EXPECT_EQ(cursor->name, std::string(256, 'n'));
  EXPECT_EQ(cursor->type, "strange");
  EXPECT_EQ(cursor->position, 0xffffffffu);
  EXPECT_EQ(cursor->anchor, std::nullopt);
  EXPECT_EQ(cursor->color, ColorOfPeer("p]0;x"));
  EXPECT_EQ(cursor->partial_pattern.size(), 4096u);
  EXPECT_EQ(cursor->operation_type, "insert31m");
  EXPECT_EQ(cursor->timestamp, kNow);
}

TEST(Cursor, LeavesOutWhatSaysNothing) {
  const absl::StatusOr<CborValue> message = ReadCbor(WriteCursor(
      {.peer_id = "p", .name = "n", .type = "user", .position = 3, .anchor = 3, .color = "#fff"}));
  ASSERT_THAT(message, IsOk());
  EXPECT_EQ(message->Find("anchor"), nullptr);
  EXPECT_EQ(message->Find("partialPattern"), nullptr);
  EXPECT_EQ(message->Find("operationType"), nullptr);
  EXPECT_EQ(message->Find("position")->AsInteger(), 3);
}

}  // namespace
}  // namespace cursorwire::collab
