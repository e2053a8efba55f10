#include "collab/repo/repo_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "collab/cbor/cbor.h"
#include "crdt/automerge/sync_message.h"
#include "support/hex.h"
#include "support/source_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using absl::StatusCode;
using test::FromHex;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

// Type and bytes of recorded messages.
std::vector<std::pair<std::string, std::string>> GoldenMessages() {
  std::vector<std::pair<std::string, std::string>> messages;
  std::ifstream file(test::SourceFolder() + "/tests/golden/automerge_repo.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    const size_t space = line.find(' ');
    messages.emplace_back(line.substr(0, space), FromHex(line.substr(space + 1)));
  }
  EXPECT_EQ(messages.size(), 45u);
  return messages;
}

std::string TypeOf(const RepoMessage& message) {
  struct Namer {
    std::string operator()(const JoinMessage&) { return "join"; }
    std::string operator()(const PeerMessage&) { return "peer"; }
    std::string operator()(const DocumentMessage& m) { return m.request ? "request" : "sync"; }
    std::string operator()(const UnavailableMessage&) { return "doc-unavailable"; }
    std::string operator()(const EphemeralMessage&) { return "ephemeral"; }
    std::string operator()(const LeaveMessage&) { return "leave"; }
    std::string operator()(const ErrorMessage&) { return "error"; }
    std::string operator()(const OtherMessage& m) { return m.type; }
  };
  return std::visit(Namer(), message);
}

TEST(RepoMessage, ReadsWhatWasRecorded) {
  std::map<std::string, int> types;
  for (const auto& [type, bytes] : GoldenMessages()) {
    const absl::StatusOr<RepoMessage> message = ReadRepoMessage(bytes);
    ASSERT_THAT(message, IsOk()) << type;
    EXPECT_EQ(TypeOf(*message), type);
    ++types[type];
    if (const auto* document = std::get_if<DocumentMessage>(&*message)) {
      EXPECT_THAT(automerge::ReadSyncMessage(document->data), IsOk());
      EXPECT_FALSE(document->document.empty());
    }
    if (const auto* ephemeral = std::get_if<EphemeralMessage>(&*message)) {
      EXPECT_THAT(ReadCbor(ephemeral->data), IsOk());
      EXPECT_GE(ephemeral->count, 0);
    }
    // What we write of it says the same.
    const std::string written = WriteRepoMessage(*message);
    const absl::StatusOr<RepoMessage> again = ReadRepoMessage(written);
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(TypeOf(*again), type);
    EXPECT_EQ(WriteRepoMessage(*again), written);
  }
  EXPECT_EQ(types.size(), 7u);
}

TEST(RepoMessage, RefusesEveryCut) {
  for (const auto& [type, bytes] : GoldenMessages()) {
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 64) {
      EXPECT_THAT(ReadRepoMessage(bytes.substr(0, size)), StatusIs(StatusCode::kInvalidArgument));
    }
  }
}

TEST(RepoMessage, JoinsAsAPeerThatKeepsNothing) {
  const absl::StatusOr<CborValue> join = ReadCbor(WriteRepoMessage(JoinMessage{.sender = "me"}));
  ASSERT_THAT(join, IsOk());
  EXPECT_EQ(*join->Find("type"), CborValue("join"));
  EXPECT_EQ(*join->Find("senderId"), CborValue("me"));
  EXPECT_EQ(*join->Find("peerMetadata")->Find("isEphemeral"), CborValue(true));
  EXPECT_EQ(join->Find("peerMetadata")->Find("storageId"), nullptr);
  const auto* const versions = join->Find("supportedProtocolVersions")->As<CborValue::Array>();
  ASSERT_NE(versions, nullptr);
  EXPECT_THAT(*versions, ::testing::ElementsAre(CborValue("1")));
}

TEST(RepoMessage, SaysWhichMemberIsWrong) {
  struct Case {
    const char* hex;
    const char* error;
  } const kCases[] = {
      {"01", "without a type"},
      {"a0", "without a type"},
      {"a1 64 74797065 01", "without a type"},
      {"a1 64 74797065 65 6c65617665", "the member senderId of a message is no text"},
      {"a2 64 74797065 65 6c65617665 68 73656e6465724964 01", "senderId"},
      {"a4 64 74797065 64 73796e63 68 73656e6465724964 61 61 68 7461726765744964 61 62"
       " 6a 646f63756d656e744964 61 63",
       "the member data of a message is no bytes"},
  };
  for (const Case& c : kCases) {
    EXPECT_THAT(ReadRepoMessage(FromHex(c.hex)),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.error)))
        << c.hex;
  }
}

TEST(RepoMessage, KeepsTheTypeOfWhatItDoesNotKnow) {
  CborValue::Map map;
  map.emplace_back(CborValue("type"), CborValue("remote-heads-changed"));
  map.emplace_back(CborValue("more"), CborValue(true));
  const absl::StatusOr<RepoMessage> message = ReadRepoMessage(WriteCbor(CborValue(std::move(map))));
  ASSERT_THAT(message, IsOk());
  EXPECT_EQ(TypeOf(*message), "remote-heads-changed");
}

}  // namespace
}  // namespace cursorwire::collab
