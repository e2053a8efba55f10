#include "collab/oct/room_awareness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"
#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using absl::StatusCode;
using cursorwire::test::IsOkAndHolds;
using cursorwire::test::StatusIs;
using std::chrono::milliseconds;
using ::testing::SizeIs;
using yjs::AwarenessEntry;

class RoomAwarenessTest : public ::testing::Test {
 protected:
  static std::string Payload(const std::vector<AwarenessEntry>& entries) {
    std::string payload;
    crdt::AppendString(payload, yjs::WriteAwareness(entries));
    return payload;
  }
  static std::vector<AwarenessEntry> Entries(std::string_view payload) {
    crdt::ByteReader reader(payload);
    return *yjs::ReadAwareness(reader.TakeString());
  }
  static std::string State(const std::string& peer, const std::string& path) {
    return nlohmann::json{{"peer", peer}, {"selection", {{"path", path}}}}.dump();
  }
  absl::StatusOr<bool> Tell(uint64_t client, uint64_t clock, std::string_view state) {
    return awareness_.Apply(Payload({{client, clock, state}}), now_);
  }

  RoomAwareness::TimePoint now_{std::chrono::hours(1)};
  RoomAwareness awareness_{5};
};

TEST_F(RoomAwarenessTest, KnowsWhereAPeerIs) {
  EXPECT_EQ(awareness_.PathOf("host"), "");
  EXPECT_THAT(Tell(9, 1, State("host", "demo/x")), IsOkAndHolds(true));
  EXPECT_EQ(awareness_.PathOf("host"), "demo/x");
  EXPECT_THAT(Tell(9, 1, State("host", "demo/y")), IsOkAndHolds(false)) << "an echo";
  EXPECT_EQ(awareness_.PathOf("host"), "demo/x");
  EXPECT_THAT(Tell(9, 2, "[]"), IsOkAndHolds(true));
  EXPECT_EQ(awareness_.PathOf("host"), "");
  EXPECT_THAT(Tell(9, 3, State("host", "demo/y")), IsOkAndHolds(true));
  now_ += yjs::AwarenessStates::kForgetAfter;
  awareness_.OnDeadline(now_);
  EXPECT_EQ(awareness_.PathOf("host"), "");
}

TEST_F(RoomAwarenessTest, BelievesWhoSaidItFirst) {
  EXPECT_THAT(Tell(9, 1, State("host", "demo/x")), IsOkAndHolds(true));
  EXPECT_EQ(awareness_.PathOf("host"), "demo/x");
  EXPECT_THAT(Tell(7, 1, State("host", "demo/forged")), IsOkAndHolds(true));
  EXPECT_THAT(Tell(11, 1, State("host", "demo/forged")), IsOkAndHolds(true));
  EXPECT_EQ(awareness_.PathOf("host"), "demo/x");
  // After a restart of the host, say.
  EXPECT_THAT(Tell(9, 2, "null"), IsOkAndHolds(true));
  EXPECT_EQ(awareness_.PathOf("host"), "demo/forged");
}

TEST_F(RoomAwarenessTest, RefusesWhatDoesNotFollowTheFormat) {
  const std::string good = Payload({{9, 1, "{}"}});
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(awareness_.Apply(good.substr(0, size), now_),
                StatusIs(StatusCode::kInvalidArgument))
        << size;
  }
  EXPECT_THAT(awareness_.Apply(good + "x", now_), StatusIs(StatusCode::kInvalidArgument));
  std::vector<AwarenessEntry> many(yjs::kMaxAwarenessClients + 1,
                                   {.client = 9, .clock = 1, .state = "{}"});
  EXPECT_THAT(awareness_.Apply(Payload(many), now_), StatusIs(StatusCode::kResourceExhausted));
}

TEST_F(RoomAwarenessTest, SendsNotMoreOftenThanItMust) {
  EXPECT_TRUE(awareness_.SetOwn("1"));
  EXPECT_FALSE(awareness_.SetOwn("1"));
  EXPECT_TRUE(awareness_.TakeUpdate(now_));
  EXPECT_EQ(awareness_.TakeUpdate(now_), std::nullopt);
  EXPECT_EQ(awareness_.deadline(), now_ + yjs::AwarenessStates::kSendAgainAfter);
  EXPECT_TRUE(awareness_.SetOwn("2"));
  EXPECT_EQ(awareness_.TakeUpdate(now_), std::nullopt);
  EXPECT_TRUE(awareness_.SetOwn("3"));
  EXPECT_EQ(awareness_.TakeUpdate(now_ + milliseconds(99)), std::nullopt);
  EXPECT_EQ(awareness_.deadline(), now_ + RoomAwareness::kSendGap);
  const std::optional<std::string> update = awareness_.TakeUpdate(now_ + RoomAwareness::kSendGap);
  ASSERT_TRUE(update);
  EXPECT_EQ(Entries(*update)[0].state, "3");
  EXPECT_EQ(Entries(*update)[0].clock, 3u);
  awareness_.Leave();
  EXPECT_TRUE(awareness_.TakeLastUpdate(now_ + RoomAwareness::kSendGap));
}

TEST_F(RoomAwarenessTest, GoesOnUnderAnotherClient) {
  EXPECT_TRUE(awareness_.SetOwn("{}"));
  EXPECT_TRUE(awareness_.TakeUpdate(now_));
  EXPECT_THAT(Tell(9, 4, State("host", "demo/x")), IsOkAndHolds(true));
  EXPECT_THAT(Tell(6, 4, State("other", "demo/y")), IsOkAndHolds(true));
  awareness_.SetClient(6, now_);
  const std::string all = awareness_.All();
  const std::vector<AwarenessEntry> entries = Entries(all);
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0], (AwarenessEntry{6, 1, "{}"}));
  EXPECT_EQ(entries[1].client, 9u);
  EXPECT_EQ(awareness_.PathOf("host"), "demo/x");
  EXPECT_EQ(awareness_.PathOf("other"), "");
  EXPECT_THAT(Tell(9, 4, "{}"), IsOkAndHolds(false)) << "clocks are kept";
  EXPECT_TRUE(awareness_.TakeUpdate(now_ + RoomAwareness::kSendGap));
}

TEST_F(RoomAwarenessTest, AnswersWithABound) {
  EXPECT_TRUE(awareness_.SetOwn(R"({"peer":"us"})"));
  const std::string large = "\"" + std::string(yjs::kMaxAwarenessStateBytes - 2, 'x') + "\"";
  for (uint64_t client = 10; client < 40; ++client) {
    EXPECT_THAT(Tell(client, 1, large), IsOkAndHolds(true));
  }
  EXPECT_THAT(Tell(50, 1, "{}"), IsOkAndHolds(true));
  const std::string all = awareness_.All();
  EXPECT_LE(all.size(), kMaxAwarenessAnswerBytes);
  const std::vector<AwarenessEntry> entries = Entries(all);
  EXPECT_EQ(entries.front().client, 5u);
  EXPECT_EQ(entries.back().client, 50u);
}

}  // namespace
}  // namespace cursorwire::oct
