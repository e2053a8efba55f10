#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/oct/room_fixture.h"
#include "collab/oct/room_path.h"

namespace cursorwire::oct::room_test {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;
using yjs::SyncKind;

// Deeper than any reader goes.
json Deep(size_t depth) {
  json value = "bottom";
  for (size_t i = 0; i < depth; ++i) value = json::array({std::move(value)});
  return value;
}

// What stands where something else belongs.
std::vector<json> OddValues() {
  return {nullptr,
          true,
          -1,
          1.5,
          "",
          "text",
          std::string(20000, 'x'),
          "control \x1b[31m\n\r",
          json::array(),
          json::array({1, 2, 3}),
          json::object(),
          json{{"id", 5}, {"name", json::array()}, {"metadata", 7}},
          json{{"id", std::string(20000, 'i')}},
          json{{"host", nullptr}, {"guests", "x"}},
          Deep(20),
          json(std::vector<int>(1000, 7)),
          Bytes(""),
          Bytes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
          Bytes(std::string(3, '\0')),
          Bytes("\x02\xff\xff\xff\x0f")};
}

class RoomSessionHostileTest : public RoomFixture {
 protected:
  static std::vector<std::string> Methods() {
    std::vector<std::string> methods = {"", "unknown", std::string(10000, 'm')};
    for (const auto& [method, name] : kRoomMethods) methods.emplace_back(name);
    return methods;
  }
  // All is as it was, and goes on.
  void ExpectUnharmed() {
    (void)TakeSent();
    (void)TakeEvents();
    HearUpdate(host_, HostTypes("goes on\n"));
    EXPECT_THAT(TakeEventNames(), ElementsAre("changed"));
    EXPECT_THAT(document_.Text(kRoomPath), ::testing::EndsWith("goes on\n"));
  }
};

TEST_F(RoomSessionHostileTest, OddParamsOfPeersInEachMethod) {
  Join();
  for (const std::string& method : Methods()) {
    for (const json& odd : OddValues()) {
      for (const json& params : {odd, json::array({odd}), json::array({odd, odd})}) {
        Hear(host_.Say(method, params));
        Hear(host_.Say(method, params, EnvelopeKind::kNotification));
      }
    }
    (void)TakeSent();
  }
  EXPECT_LE(TakeEvents().size(), 50u);
  ExpectUnharmed();
}

TEST_F(RoomSessionHostileTest, OddParamsOfTheServerInEachMethod) {
  Join();
  for (const std::string& method : Methods()) {
    if (method == "room/closed") continue;  // which needs none
    for (const json& odd : OddValues()) {
      for (const json& params : {odd, json::array({odd})}) {
        HearServer(method, params);
        HearServer(method, params, host_.id());
        Hear(ClearMessage(EnvelopeKind::kNotification, CallJson(method, params), "", kOwnId));
        Hear(ClearMessage(EnvelopeKind::kRequest, CallJson(method, params)));
      }
    }
  }
  ExpectUnharmed();
}

TEST_F(RoomSessionHostileTest, OddContents) {
  Join();
  for (const json& odd : OddValues()) {
    Hear(host_.SayContent(WriteMsgpack(odd)));
    Hear(host_.SayContent(WriteMsgpack({{"method", odd}, {"params", odd}})));
    Hear(host_.SayContent(WriteMsgpack({{"params", odd}})));
    if (!odd.is_object()) continue;
    for (const EnvelopeKind kind : {EnvelopeKind::kBroadcast, EnvelopeKind::kRequest,
                                    EnvelopeKind::kResponse, EnvelopeKind::kError}) {
      Hear(ClearMessage(kind, odd));
    }
  }
  for (const std::string& bytes :
       {std::string(), std::string("\xc1"), std::string("\xdf\xff\xff\xff\xff"),
        std::string(1000, '\x91'), std::string("\xc6\xff\xff\xff\xff", 5)}) {
    Hear(host_.SayContent(bytes));
    Hear(bytes);
  }
  EXPECT_LE(TakeEvents().size(), 30u);
  ExpectUnharmed();
}

TEST_F(RoomSessionHostileTest, OddMembersOfPeerInit) {
  Connect();
  for (const char* const member : {"host", "guests", "protocol", "permissions", "workspace"}) {
    for (const json& odd : OddValues()) {
      // A text where the version belongs is another version.
      if (std::string_view(member) == "protocol" && odd.is_string() && odd != "") continue;
      json param = InitParam();
      param[member] = odd;
      HearInit(param);
      param.erase(member);
      HearInit(param);
    }
  }
  const std::vector<std::string> names = TakeEventNames();
  EXPECT_EQ(std::count(names.begin(), names.end(), "joined"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "failed"), 0);
  EXPECT_FALSE(session_.read_only());
  ExpectUnharmed();
}

TEST_F(RoomSessionHostileTest, HugeListsOfPeersAreBounded) {
  Connect();
  json guests = json::array();
  for (int i = 0; i < 3000; ++i) guests.push_back({{"id", "guest " + std::to_string(i)}});
  HearInit(InitParam(guests));
  for (int i = 0; i < 3000; ++i) {
    HearServer("room/joined", {PeerJson("late " + std::to_string(i), "L", "no key")});
    HearServer("room/left", {PeerJson("early " + std::to_string(i), "E", "no key")});
  }
  const std::vector<RoomEvent> events = TakeEvents();
  size_t refused = 0;
  size_t joined = 0;
  for (const RoomEvent& event : events) {
    refused += std::holds_alternative<MessageRefused>(event) ? 1 : 0;
    joined += std::holds_alternative<PeerJoined>(event) ? 1 : 0;
  }
  EXPECT_LE(refused, 15u);
  EXPECT_LE(joined, kMaxRoomPeers);
  ExpectUnharmed();
}

TEST_F(RoomSessionHostileTest, OddAwarenessStates) {
  Join();
  uint64_t clock = 1;
  std::vector<std::string> states = {"",
                                     "{",
                                     "\xff",
                                     std::string(yjs::kMaxAwarenessStateBytes, '['),
                                     LooksAt(host_.id(), ""),
                                     LooksAt(host_.id(), std::string(kMaxRoomPathBytes + 1, 'p')),
                                     LooksAt(host_.id(), "demo/\x1b]0;title\x07"),
                                     LooksAt(host_.id(), "demo/\xe2\x80\xa8 \xc2\x85")};
  for (const json& odd : OddValues()) {
    if (odd.is_binary()) continue;
    states.push_back(odd.dump());
    states.push_back(json{{"peer", odd}, {"selection", odd}}.dump());
    states.push_back(json{{"peer", host_.id()}, {"selection", odd}}.dump());
    if (odd == "text") continue;  // which is a path
    const bool is_path = odd.is_string() && IsRoomPath(odd.get<std::string>());
    if (!is_path) {
      states.push_back(json{{"peer", host_.id()}, {"selection", {{"path", odd}}}}.dump());
    }
  }
  for (const std::string& state : states) HearState(host_, kHostClient, ++clock, state);
  EXPECT_EQ(session_.active_path(), "");
  EXPECT_THAT(TakeEvents(), IsEmpty());
  ExpectUnharmed();
}

TEST_F(RoomSessionHostileTest, ManyAwarenessClientsAreBounded) {
  Join();
  uint64_t client = 10000;
  for (int round = 0; round < 5; ++round) {
    std::vector<yjs::AwarenessEntry> entries;
    for (int i = 0; i < 1000; ++i) entries.push_back({client++, 1, R"({"peer":"x"})"});
    Hear(host_.Say("sync/awarenessUpdate", {AwarenessParam(entries)}));
  }
  Hear(host_.Say("sync/awarenessQuery", json::array()));
  const std::vector<std::string> sent = TakeSent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_LE(sent[0].size(), kMaxAwarenessAnswerBytes + 10000);
}

TEST_F(RoomSessionHostileTest, PathsThatNeverEndAreBounded) {
  Join();
  for (uint64_t i = 1; i <= RoomSession::kMaxFollowedPaths + 50; ++i) {
    HostLooksAt("demo/" + std::to_string(i), i);
    if (i % 100 == 0) (void)TakeSent();
  }
  EXPECT_THAT(TakeEventsOf<ActiveFile>(), SizeIs(RoomSession::kMaxFollowedPaths));
  HostLooksAt("demo/7", 1000000);
  EXPECT_EQ(session_.active_path(), "demo/7") << "which it knows";
}

TEST_F(RoomSessionHostileTest, QuestionsThatNeverEndAreAnsweredWithABound) {
  Join();
  HearUpdate(host_, HostTypes(std::string(200000, 't')));
  (void)TakeSent();
  const std::vector<std::string> questions = {
      host_.Say("sync/dataUpdate", {SyncParam(SyncKind::kStep1, std::string(1, '\0'))}),
      host_.Say("sync/awarenessQuery", json::array()),
      host_.Say("fileSystem/stat", {"x"}, EnvelopeKind::kRequest)};
  for (int i = 0; i < 200; ++i) {
    for (const std::string& question : questions) Hear(question);
  }
  EXPECT_THAT(TakeSent(), SizeIs(kMaxAnswersToPeer));
  now_ += AnswerBudget::kWindow;
  Hear(questions[0]);
  EXPECT_THAT(TakeSent(), SizeIs(1));
}

TEST_F(RoomSessionHostileTest, QuestionsOfTheServerAreAnsweredWithABound) {
  Join();
  for (int i = 0; i < 2000; ++i) Hear(ClearMessage(EnvelopeKind::kRequest, CallJson("x", {})));
  EXPECT_THAT(TakeSent(), SizeIs(RoomSession::kMaxAnswers));
  Envelope request{.kind = EnvelopeKind::kRequest, .content = CallJson("x", json::array())};
  request.id = std::string(RoomSession::kMaxRequestIdBytes + 1, 'i');
  now_ += AnswerBudget::kWindow;
  Hear(WriteEnvelope(request));
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionHostileTest, ClientIdsThatAreTakenAgainAndAgain) {
  uint64_t next = 5000;
  yjs::Document document(4999, [&next] { return next++; });
  RoomSession session(document, *cipher_, {});
  session.OnConnected(now_);
  session.OnMessage(
      ClearMessage(EnvelopeKind::kNotification,
                   CallJson("peer/info", {PeerJson(kOwnId, "agent", "")}), "", kOwnId),
      now_);
  session.OnMessage(host_.Say("peer/init", {InitParam()}, EnvelopeKind::kNotification), now_);
  for (uint64_t client = 4999; client < 5099; ++client) {
    yjs::Document other(client, [] { return uint64_t{9}; });
    const std::string update = *other.Splice(kRoomPath, crdt::Unit::kBytes, 0, 0, "x");
    session.OnMessage(host_.Say("sync/dataUpdate", {SyncParam(SyncKind::kUpdate, update)}), now_);
  }
  EXPECT_EQ(document.client(), 5099u);
  std::vector<size_t> sizes;
  while (const std::optional<std::string> message = session.TakeMessage()) {
    sizes.push_back(message->size());
  }
  EXPECT_THAT(sizes, SizeIs(3)) << "the own state is not sent for each of them";
  EXPECT_THAT(sizes, Each(Le(5000u)));
}

TEST_F(RoomSessionHostileTest, UpdatesThatAreTooLarge) {
  yjs::Document small(kOwnClient, [] { return kNextClient; }, {.max_bytes = 1000, .max_items = 10});
  RoomSession session(small, *cipher_, {});
  session.OnConnected(now_);
  session.OnMessage(
      ClearMessage(EnvelopeKind::kNotification,
                   CallJson("peer/info", {PeerJson(kOwnId, "agent", "")}), "", kOwnId),
      now_);
  for (int i = 0; i < 100; ++i) {
    const std::string update = HostTypes(std::string(100, 'u'));
    session.OnMessage(host_.Say("sync/dataUpdate", {SyncParam(SyncKind::kUpdate, update)}), now_);
  }
  size_t refused = 0;
  while (const std::optional<RoomEvent> event = session.TakeEvent()) {
    refused += std::holds_alternative<MessageRefused>(*event) ? 1 : 0;
  }
  EXPECT_EQ(refused, RefusalCounts::kToldSingly);
  EXPECT_LE(small.size(kRoomPath).bytes, 1000u);
}

// Each byte of each message that was cut or changed.
TEST_F(RoomSessionHostileTest, DamagedMessages) {
  std::mt19937 random(1);
  std::vector<std::string> messages = {
      ClearMessage(EnvelopeKind::kNotification,
                   CallJson("peer/info", {PeerJson(kOwnId, "agent", cipher_->public_key())}), "",
                   kOwnId),
      host_.Say("peer/init", {InitParam({guest_.json()})}, EnvelopeKind::kNotification),
      ClearMessage(EnvelopeKind::kBroadcast, CallJson("room/joined", {guest_.json()}), guest_.id()),
      host_.Say("sync/awarenessUpdate",
                {AwarenessParam({{kHostClient, 1, LooksAt(host_.id(), kRoomPath)}})}),
      host_.Say("sync/dataUpdate", {SyncParam(SyncKind::kUpdate, HostTypes("text"))})};
  session_.OnConnected(now_);
  for (const std::string& message : messages) {
    for (int i = 0; i < 150; ++i) {
      std::string damaged = message;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      Hear(damaged);
      Hear(message.substr(0, random() % message.size()));
    }
    Hear(message);
    (void)TakeSent();
  }
  (void)TakeEvents();
}

// The same within what is encrypted, of which nothing shows that it was changed.
TEST_F(RoomSessionHostileTest, DamagedContents) {
  std::mt19937 random(1);
  Join();
  const std::vector<std::string> contents = {
      WriteMsgpack(CallJson("peer/init", {InitParam({guest_.json()})})),
      WriteMsgpack(CallJson("sync/awarenessUpdate",
                            {AwarenessParam({{kHostClient, 1, LooksAt(host_.id(), kRoomPath)}})})),
      WriteMsgpack(CallJson("sync/dataUpdate", {SyncParam(SyncKind::kUpdate, HostTypes("text"))})),
      WriteMsgpack(
          CallJson("sync/dataUpdate", {SyncParam(SyncKind::kStep1, std::string("\1\5\7"))}))};
  for (const std::string& content : contents) {
    for (int i = 0; i < 300; ++i) {
      std::string damaged = content;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      Hear(host_.SayContent(damaged));
      Hear(host_.SayContent(content.substr(0, random() % content.size())));
    }
    (void)TakeSent();
  }
  (void)TakeEvents();
}

TEST_F(RoomSessionHostileTest, NothingBeforeItKnowsItself) {
  session_.OnConnected(now_);
  HearGuestJoin();
  HearUpdate(host_, HostTypes("x"));
  HearInit(InitParam());
  Hear(host_.Say("fileSystem/stat", {"x"}, EnvelopeKind::kRequest));
  EXPECT_THAT(TakeSent(), IsEmpty());
  EXPECT_THAT(TakeEventNames(), ElementsAre("peer joined"));
  RoomSession unconnected(document_, *cipher_, {});
  unconnected.OnMessage(host_.Say("x", json::array()), now_);
  unconnected.OnDeadline(now_);
  EXPECT_EQ(unconnected.TakeEvent(), std::nullopt);
}

}  // namespace
}  // namespace cursorwire::oct::room_test
