#include "client/conversation/session_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/history/history_codec.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;

SessionContent Whole() {
  SessionContent content{.head = {.title = "My name", .folder = "/w", .updated_ms = 1234567},
                         .blobs = {"one", "two"}};
  content.snapshot = {.id = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d",
                      .model = "acme-5.5",
                      .history = {{.prompt = "My name is Ada.", .items = {HistoryText{"Hello."}}},
                                  {.prompt = "And now?", .images = 1}},
                      .state = std::string("\x50\x01\x00", 3),
                      .rules = "Be brief."};
  content.snapshot.state_fingerprint = agent::FingerprintOf(content.snapshot.history);
  return content;
}

void ExpectSameHistory(const SessionContent& read, const SessionContent& written) {
  EXPECT_EQ(read.snapshot.history, written.snapshot.history);
  EXPECT_EQ(read.snapshot.id, written.snapshot.id);
  EXPECT_EQ(read.snapshot.model, written.snapshot.model);
  EXPECT_EQ(read.snapshot.rules, written.snapshot.rules);
}

TEST(SessionCodec, ReadsWhatItWrites) {
  const SessionContent whole = Whole();
  const absl::StatusOr<SessionContent> read = DecodeSession(EncodeSession(whole));
  ASSERT_THAT(read, IsOk());
  ExpectSameHistory(*read, whole);
  EXPECT_EQ(read->snapshot.state, whole.snapshot.state);
  EXPECT_EQ(read->snapshot.state_fingerprint, whole.snapshot.state_fingerprint);
  EXPECT_EQ(read->snapshot.broken, std::nullopt);
  EXPECT_THAT(read->blobs, ElementsAre("one", "two"));
  EXPECT_EQ(read->head.title, "My name");
  EXPECT_EQ(read->head.folder, "/w");
  EXPECT_EQ(read->head.turns, 2u);
  EXPECT_EQ(read->head.updated_ms, 1234567);
}

TEST(SessionCodec, KeepsWhyAStateIsNotUsed) {
  for (const RebuildReason reason :
       {RebuildReason::kHistoryChanged, RebuildReason::kStateLost, RebuildReason::kStateTooLarge}) {
    SessionContent content = Whole();
    content.snapshot.broken = reason;
    const absl::StatusOr<SessionContent> read = DecodeSession(EncodeSession(content));
    ASSERT_THAT(read, IsOk());
    EXPECT_THAT(read->snapshot.broken, Optional(reason));
  }
}

TEST(SessionCodec, ReadsTheHeadAlone) {
  const std::string bytes = EncodeSession(Whole());
  const absl::StatusOr<SessionHead> head = DecodeSessionHead(bytes.substr(0, 200));
  ASSERT_THAT(head, IsOk());
  EXPECT_EQ(head->title, "My name");
  EXPECT_EQ(head->model, "acme-5.5");
  EXPECT_EQ(head->turns, 2u);
}

// A cut or changed file is refused, or the same history comes without the state: never another.
TEST(SessionCodec, NoticesEveryCut) {
  const SessionContent whole = Whole();
  const std::string bytes = EncodeSession(whole);
  int refused = 0;
  int without_state = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    const absl::StatusOr<SessionContent> read = DecodeSession(bytes.substr(0, size));
    if (!read.ok()) {
      ++refused;
      EXPECT_THAT(read, StatusIs(absl::StatusCode::kDataLoss));
      continue;
    }
    ExpectSameHistory(*read, whole);
    const bool lacks_blobs = read->blobs.size() < whole.blobs.size();
    EXPECT_TRUE(read->snapshot.broken || lacks_blobs);
    EXPECT_EQ(read->snapshot.state.empty(), read->snapshot.broken.has_value());
    ++without_state;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(without_state, 40);
}

void ExpectEveryChangeNoticed(const SessionContent& whole) {
  const std::string bytes = EncodeSession(whole);
  for (size_t i = 0; i < 8 * bytes.size(); ++i) {
    SCOPED_TRACE(i);
    std::string changed = bytes;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    const absl::StatusOr<SessionContent> read = DecodeSession(changed);
    if (!read.ok()) continue;
    ExpectSameHistory(*read, whole);
    const bool same_state = read->snapshot.state == whole.snapshot.state && !read->snapshot.broken;
    EXPECT_TRUE(!same_state || read->blobs != whole.blobs);
  }
}

TEST(SessionCodec, NoticesEveryChangedBit) { ExpectEveryChangeNoticed(Whole()); }

TEST(SessionCodec, NoticesEveryChangedBitWhereTextsAreEmpty) {
  SessionContent whole = Whole();
  whole.snapshot.id.clear();
  whole.snapshot.rules.clear();
  whole.snapshot.state.clear();
  whole.snapshot.state_fingerprint.clear();
  whole.blobs = {"", "blob", ""};
  ExpectEveryChangeNoticed(whole);
}

TEST(SessionCodec, SaysWhatItIsNot) {
  EXPECT_THAT(DecodeSession(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a session")));
  EXPECT_THAT(DecodeSession("{}"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeSession("cursorwire session 2\n..."),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("version 2")));
  EXPECT_THAT(DecodeSession("cursorwire session with a very long first line"),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeSessionHead("cursorwire session 1\n"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(SessionCodec, BeginsWithALineThatNamesItsVersion) {
  EXPECT_THAT(EncodeSession({}), StartsWith("cursorwire session 1\n"));
  EXPECT_THAT(DecodeSession(EncodeSession({})), IsOk());
}

TEST(SessionTitle, IsTheStartOfThePromptOnOneLine) {
  EXPECT_EQ(SessionTitle("Fix\n\n  the\ttest \x1B[31m"), "Fix the test [31m");
  EXPECT_EQ(SessionTitle(std::string(79, 'x') + "\u00FC"), std::string(79, 'x'));
  EXPECT_EQ(SessionTitle(""), "");
}

}  // namespace
}  // namespace cursorwire
