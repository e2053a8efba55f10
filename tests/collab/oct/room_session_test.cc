#include "collab/oct/room_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "collab/oct/room_fixture.h"
#include "crdt/bytes/byte_reader.h"
#include "crdt/yjs/update.h"
#include "support/status_matchers.h"

namespace cursorwire::oct::room_test {
namespace {

using absl::StatusCode;
using cursorwire::test::IsOk;
using cursorwire::test::StatusIs;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using yjs::SyncKind;

class RoomSessionTest : public RoomFixture {
 protected:
  // The payload of a sync message that was sent.
  static std::string PayloadOf(const ReadCall& call, SyncKind kind) {
    const std::string bytes = TextOfBytes(call.first());
    const absl::StatusOr<yjs::SyncMessage> message = yjs::ReadSyncMessage(bytes);
    EXPECT_THAT(message, IsOk());
    if (!message.ok()) return "";
    EXPECT_EQ(message->kind, kind);
    return std::string(message->payload);
  }
  // The own entries that were sent, as `client clock state`.
  static std::vector<std::string> EntriesOf(const ReadCall& call) {
    const std::string bytes = TextOfBytes(call.first());
    crdt::ByteReader reader(bytes);
    const auto entries = yjs::ReadAwareness(reader.TakeString());
    EXPECT_THAT(entries, IsOk());
    std::vector<std::string> texts;
    for (const yjs::AwarenessEntry& entry : *entries) {
      texts.push_back(std::to_string(entry.client) + " " + std::to_string(entry.clock) + " " +
                      std::string(entry.state));
    }
    return texts;
  }
  std::string OwnEntry(uint64_t clock, uint64_t client = kOwnClient) {
    return std::to_string(client) + " " + std::to_string(clock) + R"( {"peer":")" + kOwnId +
           R"("})";
  }
  // Types into the own document, and tells of it.
  void Type(std::string_view text) {
    const std::string update = *document_.Splice(kRoomPath, crdt::Unit::kBytes, 0, 0, text);
    EXPECT_THAT(session_.SendUpdate(update, now_), IsOk());
  }
};

// --- joining

TEST_F(RoomSessionTest, JoinsWhenServerAndHostHaveSaidWhoIsWho) {
  session_.OnConnected(now_);
  EXPECT_THAT(TakeSent(), IsEmpty());
  HearInfo();
  EXPECT_THAT(TakeSent(), IsEmpty());
  EXPECT_THAT(TakeEvents(), IsEmpty());
  HearInit(InitParam());

  const std::vector<Joined> joined = TakeEventsOf<Joined>();
  ASSERT_THAT(joined, SizeIs(1));
  EXPECT_EQ(joined[0].peer_id, kOwnId);
  EXPECT_EQ(joined[0].name, "agent");
  EXPECT_EQ(joined[0].host_id, host_.id());
  EXPECT_EQ(joined[0].host_name, "Hanna");
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent),
              ElementsAre("sync/dataUpdate", "sync/awarenessQuery", "sync/awarenessUpdate"));
  for (const ReadCall& call : sent) EXPECT_EQ(call.kind, EnvelopeKind::kBroadcast);
  EXPECT_EQ(PayloadOf(sent[0], SyncKind::kStep1), std::string(1, '\0'));
  EXPECT_THAT(EntriesOf(sent[2]), ElementsAre(OwnEntry(1)));

  HearInit(InitParam());  // once more, as after a reconnect of the host
  EXPECT_THAT(TakeEvents(), IsEmpty());
}

TEST_F(RoomSessionTest, TakesNobodyElseForTheHost) {
  Connect();
  json param = InitParam();
  Hear(guest_.Say("peer/init", {param}, EnvelopeKind::kNotification));
  EXPECT_THAT(TakeEventNames(), ElementsAre("refused"));
  HearInit(param);
  EXPECT_THAT(TakeEventNames(), ElementsAre("joined"));
  param["host"] = guest_.json();
  Hear(guest_.Say("peer/init", {param}, EnvelopeKind::kNotification));
  EXPECT_THAT(TakeEventNames(), ElementsAre("refused"));

  // Where the login has told who it is, nobody else can be first.
  RoomSession session(document_, *cipher_, {.host_id = host_.id()});
  session.OnConnected(now_);
  session.OnMessage(
      ClearMessage(EnvelopeKind::kNotification,
                   CallJson("peer/info", {PeerJson(kOwnId, "agent", "")}), "", kOwnId),
      now_);
  session.OnMessage(guest_.Say("peer/init", {param}, EnvelopeKind::kNotification), now_);
  ASSERT_TRUE(std::holds_alternative<MessageRefused>(*session.TakeEvent()));
  session.OnMessage(host_.Say("peer/init", {InitParam()}, EnvelopeKind::kNotification), now_);
  EXPECT_TRUE(std::holds_alternative<Joined>(*session.TakeEvent()));
}

TEST_F(RoomSessionTest, FailsIfTheHostSpeaksAnotherVersion) {
  Connect();
  json param = InitParam();
  param["protocol"] = "0.4.0";
  HearInit(param);
  const std::vector<Failed> failed = TakeEventsOf<Failed>();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_THAT(failed[0].status, StatusIs(StatusCode::kFailedPrecondition, HasSubstr("0.4.0")));
  EXPECT_EQ(session_.deadline(), std::nullopt);
  HearInit(InitParam());
  EXPECT_THAT(TakeEvents(), IsEmpty());
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionTest, FailsOnceIfNothingCanBeEncrypted) {
  bool has_secrets = true;
  const auto cipher = RoomCipher::FromPem(TestKeyPem(0), [&](std::span<uint8_t> bytes) {
    return has_secrets && FillFromOpenSsl(bytes);
  });
  RoomSession session(document_, **cipher, {});
  session.OnConnected(now_);
  session.OnMessage(
      ClearMessage(EnvelopeKind::kNotification,
                   CallJson("peer/info", {PeerJson(kOwnId, "agent", "")}), "", kOwnId),
      now_);
  has_secrets = false;
  json param = InitParam();
  param["permissions"]["readonly"] = true;
  session.OnMessage(host_.Say("peer/init", {param}, EnvelopeKind::kNotification), now_);
  EXPECT_TRUE(std::holds_alternative<Joined>(*session.TakeEvent()));
  const std::optional<RoomEvent> event = session.TakeEvent();
  ASSERT_TRUE(event && std::holds_alternative<Failed>(*event));
  EXPECT_THAT(std::get<Failed>(*event).status, StatusIs(StatusCode::kInternal));
  EXPECT_THAT(session.SendChat("text"), IsOk());
  EXPECT_EQ(session.TakeEvent(), std::nullopt) << "nothing follows it";
  EXPECT_EQ(session.TakeMessage(), std::nullopt);
  EXPECT_EQ(session.deadline(), std::nullopt);
}

TEST_F(RoomSessionTest, DoesNotWaitForeverForTheHost) {
  Connect();
  EXPECT_EQ(session_.deadline(), now_ + RoomSession::kJoinTimeout);
  Wait(RoomSession::kJoinTimeout - milliseconds(1));
  EXPECT_THAT(TakeEvents(), IsEmpty());
  Wait(milliseconds(1));
  const std::vector<Failed> failed = TakeEventsOf<Failed>();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_THAT(failed[0].status, StatusIs(StatusCode::kUnavailable));
}

TEST_F(RoomSessionTest, TellsOfPermissions) {
  Connect();
  json param = InitParam();
  param["permissions"]["readonly"] = true;
  HearInit(param);
  EXPECT_THAT(TakeEventNames(), ElementsAre("joined", "permissions"));
  EXPECT_TRUE(session_.read_only());
  HearGuestJoin();
  (void)TakeEvents();
  const json writable = {{"readonly", false}};
  Hear(guest_.Say("room/permissionsUpdated", {writable}));
  EXPECT_THAT(TakeEvents(), IsEmpty()) << "a guest has no say in it";
  Hear(host_.Say("room/permissionsUpdated", {writable}));
  const std::vector<PermissionsChanged> changed = TakeEventsOf<PermissionsChanged>();
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_FALSE(changed[0].read_only);
  Hear(host_.Say("room/permissionsUpdated", {writable}));
  EXPECT_THAT(TakeEvents(), IsEmpty());
}

// --- who gets what

TEST_F(RoomSessionTest, GuestThatJoinsDuringARunGetsWhatIsBroadcast) {
  Join();
  Type("one");
  EXPECT_THAT(TakeSentTo(guest_), IsEmpty());
  HearGuestJoin();
  const std::vector<PeerJoined> joined = TakeEventsOf<PeerJoined>();
  ASSERT_THAT(joined, SizeIs(1));
  EXPECT_EQ(joined[0].id, guest_.id());
  EXPECT_EQ(joined[0].name, "Gus");
  HearGuestJoin();
  EXPECT_THAT(TakeEvents(), IsEmpty());
  Type("two");
  const std::vector<std::string> sent = TakeSent();
  EXPECT_THAT(sent, SizeIs(1));
  EXPECT_THAT(MethodsOf(ReadAll(guest_, sent)), ElementsAre("sync/dataUpdate"));
  EXPECT_THAT(MethodsOf(ReadAll(host_, sent)), ElementsAre("sync/dataUpdate"));
}

TEST_F(RoomSessionTest, DoesNotSendWhereTheKeyListShrinksToNone) {
  Join();
  HearServer("room/left", {host_.json()}, host_.id());
  const std::vector<PeerLeft> left = TakeEventsOf<PeerLeft>();
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].name, "Hanna");
  Type("nobody reads it");
  EXPECT_THAT(session_.SendChat("hello?"), IsOk());
  session_.SetCaret({.path = kRoomPath}, now_);
  Wait(seconds(20));
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionTest, GuestThatHasLeftCannotReadWhatFollows) {
  Join();
  HearGuestJoin();
  Type("with the guest");
  const std::vector<std::string> before = TakeSent();
  ASSERT_THAT(ReadAll(guest_, before), SizeIs(1));
  HearServer("room/left", {guest_.json()}, guest_.id());
  Type("without");
  const std::vector<std::string> after = TakeSent();
  ASSERT_THAT(after, SizeIs(1));
  ASSERT_THAT(ReadAll(host_, after), SizeIs(1));
  // The AES key of before would open it, if it was still used.
  const Envelope old = *ReadEnvelope(before[0]);
  Envelope forged = *ReadEnvelope(after[0]);
  for (const KeyEntry& entry : old.keys) {
    if (entry.target != guest_.id()) continue;
    forged.keys.push_back(entry);
    forged.keys.back().iv = forged.keys.front().iv;
  }
  EXPECT_EQ(guest_.Read(WriteEnvelope(forged)), std::nullopt);
}

TEST_F(RoomSessionTest, PeerWithABadKeyGetsNothingAndOneWarning) {
  Join();
  for (int i = 0; i < 3; ++i) {
    HearServer("room/joined", {PeerJson(guest_.id(), "G\x1bus", "no key")}, guest_.id());
  }
  const std::vector<RoomEvent> events = TakeEvents();
  ASSERT_THAT(events, SizeIs(2));
  const auto* const refused = std::get_if<MessageRefused>(&events[0]);
  ASSERT_NE(refused, nullptr);
  EXPECT_THAT(refused->status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"G?us\"")));
  EXPECT_TRUE(std::holds_alternative<PeerJoined>(events[1]));
  Type("for the host");
  const std::vector<std::string> sent = TakeSent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(ReadEnvelope(sent[0])->keys, SizeIs(1));
  Hear(guest_.Say("sync/awarenessQuery", json::array()));
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionTest, GuestThatLeftBeforeTheHostNamedHimIsNotThere) {
  Connect();
  HearServer("room/left", {guest_.json()}, guest_.id());
  HearInit(InitParam({guest_.json()}));
  EXPECT_THAT(TakeEventNames(), ElementsAre("joined"));
  EXPECT_THAT(TakeSentTo(guest_), IsEmpty());
}

TEST_F(RoomSessionTest, GuestsOfTheHostsListGetWhatIsBroadcast) {
  Connect();
  json own = PeerJson(kOwnId, "agent", cipher_->public_key());
  HearInit(InitParam({guest_.json(), own, 5, nullptr, json::object()}));
  EXPECT_THAT(TakeEventNames(), ElementsAre("joined"));
  const std::vector<std::string> sent = TakeSent();
  EXPECT_THAT(ReadAll(guest_, sent), SizeIs(3));
  EXPECT_THAT(ReadEnvelope(sent[0])->keys, SizeIs(2)) << "none for ourselves";
}

// --- who may say what

TEST_F(RoomSessionTest, DropsClearMessagesOfPeers) {
  Join();
  const json update = SyncParam(SyncKind::kUpdate, HostTypes("x"));
  for (const std::string& origin : {std::string(), host_.id(), guest_.id()}) {
    HearServer("sync/dataUpdate", {update}, origin);
    HearServer("room/permissionsUpdated", {{{"readonly", true}}}, origin);
    HearServer("peer/init", {InitParam()}, origin);
  }
  // What the server says of a peer, it says in that peer's name or its own.
  HearServer("room/left", {host_.json()}, guest_.id());
  HearServer("room/joined", {guest_.json()}, host_.id());
  HearServer("room/closed", json::array(), guest_.id());
  EXPECT_THAT(TakeEvents(), IsEmpty());
  EXPECT_EQ(document_.Text(kRoomPath), "");
  HearServer("room/joined", {guest_.json()});
  HearServer("room/left", {guest_.json()});
  EXPECT_THAT(TakeEventNames(), ElementsAre("peer joined", "peer left"));
}

TEST_F(RoomSessionTest, DropsEncryptedMessagesThatAreTheServersToSay) {
  Join();
  for (const char* const method : {"peer/info", "room/joined", "room/left", "room/closed"}) {
    Hear(host_.Say(method, {host_.json()}));
  }
  EXPECT_THAT(TakeEvents(), IsEmpty());
}

TEST_F(RoomSessionTest, KeepsItsName) {
  Join();
  Hear(ClearMessage(EnvelopeKind::kNotification,
                    CallJson("peer/info", {PeerJson("another", "agent", "")}), "", kOwnId));
  EXPECT_THAT(TakeEventNames(), ElementsAre("refused"));
  HearInfo();
  EXPECT_THAT(TakeEvents(), IsEmpty());
}

TEST_F(RoomSessionTest, IgnoresWhatIsForSomebodyElse) {
  Join();
  const Envelope ours =
      *ReadEnvelope(host_.Say("sync/dataNotify", {SyncParam(SyncKind::kUpdate, HostTypes("x"))},
                              EnvelopeKind::kNotification));
  Envelope other = ours;
  other.target = guest_.id();
  Hear(WriteEnvelope(other));
  EXPECT_THAT(TakeEvents(), IsEmpty());
  Hear(WriteEnvelope(ours));
  EXPECT_THAT(TakeEventNames(), ElementsAre("changed"));
}

TEST_F(RoomSessionTest, AnswersRequestsWithNotSupported) {
  Join();
  Hear(host_.Say("fileSystem/readFile", {"demo/x"}, EnvelopeKind::kRequest));
  std::vector<std::string> sent = TakeSent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(std::get<std::string>(ReadEnvelope(sent[0])->id), "request 1");
  std::optional<ReadCall> answer = host_.Read(sent[0]);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, EnvelopeKind::kResponseError);
  EXPECT_EQ(answer->content["message"], "not supported");

  // The server asks hosts in clear.
  Hear(ClearMessage(EnvelopeKind::kRequest, CallJson("peer/join", {{{"name", "x"}}})));
  sent = TakeSent();
  ASSERT_THAT(sent, SizeIs(1));
  const Envelope clear = *ReadEnvelope(sent[0]);
  EXPECT_EQ(clear.kind, EnvelopeKind::kResponseError);
  EXPECT_EQ(std::get<json>(clear.content)["message"], "not supported");

  // Nobody reads an answer to these.
  Hear(guest_.Say("fileSystem/stat", {"x"}, EnvelopeKind::kRequest));
  Hear(ClearMessage(EnvelopeKind::kRequest, CallJson("fileSystem/stat", {"x"}), host_.id()));
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionTest, IgnoresAnswersAndWhatItDoesNotKnow) {
  Join();
  Hear(host_.Say("x", json::array(), EnvelopeKind::kResponse));
  Hear(host_.Say("x", json::array(), EnvelopeKind::kResponseError));
  Hear(ClearMessage(EnvelopeKind::kResponse, {{"response", 1}}));
  for (const char* const method :
       {"chat/message", "chat/directMessage", "chat/writing", "editor/createDiff", "editor/close",
        "editor/closeProposal", "fileSystem/change", "something/new", ""}) {
    Hear(host_.Say(method, {"text"}));
  }
  EXPECT_THAT(TakeEvents(), IsEmpty());
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionTest, PassesOnWhatTheServerComplainsAbout) {
  Join();
  Hear(ClearMessage(EnvelopeKind::kError, {{"message", "no\x1b[31m room"}}));
  const std::vector<MessageRefused> refused = TakeEventsOf<MessageRefused>();
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_THAT(refused[0].status, StatusIs(StatusCode::kInternal, HasSubstr("no?[31m room")));
}

TEST_F(RoomSessionTest, TellsOfUndecipherableMessagesAfterTen) {
  Join();
  Envelope broken = *ReadEnvelope(host_.Say("sync/awarenessQuery", json::array()));
  std::get<EncryptedContent>(broken.content).bytes = "no whole blocks of AES";
  for (int i = 0; i < 9; ++i) Hear(WriteEnvelope(broken));
  EXPECT_THAT(TakeEvents(), IsEmpty());
  Hear(host_.SayContent("\xc1 is not msgpack"));
  const std::vector<MessageRefused> refused = TakeEventsOf<MessageRefused>();
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_THAT(refused[0].status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("10 messages")));
  for (int i = 0; i < 89; ++i) Hear(WriteEnvelope(broken));
  EXPECT_THAT(TakeEvents(), IsEmpty());
  Hear(WriteEnvelope(broken));
  EXPECT_THAT(TakeEventNames(), ElementsAre("refused")) << "the hundredth";
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionTest, KeyEntriesForOthersOrTwoAreUndecipherable) {
  Join();
  const Envelope good = *ReadEnvelope(host_.Say("sync/awarenessQuery", json::array()));
  Envelope other = good;
  other.keys[0].target = guest_.id();
  Hear(WriteEnvelope(other));
  Envelope two = good;
  two.keys.push_back(two.keys[0]);
  Hear(WriteEnvelope(two));
  EXPECT_THAT(TakeSent(), IsEmpty());
  Hear(WriteEnvelope(good));
  EXPECT_THAT(TakeSent(), SizeIs(1));
}

// --- the document

TEST_F(RoomSessionTest, EmptyStep2ThenEditorOpenBringsTheText) {
  Join();
  Hear(host_.Say("sync/dataNotify", {SyncParam(SyncKind::kStep2, std::string(2, '\0'))},
                 EnvelopeKind::kNotification));
  EXPECT_THAT(TakeEvents(), IsEmpty()) << "it says nothing of files that are not open";
  HostLooksAt(kRoomPath);
  EXPECT_THAT(TakeEventNames(), ElementsAre("active"));
  EXPECT_EQ(session_.active_path(), kRoomPath);
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent), ElementsAre("editor/open"));
  EXPECT_EQ(sent[0].kind, EnvelopeKind::kNotification);
  EXPECT_EQ(sent[0].target, host_.id());
  EXPECT_EQ(sent[0].first(), kRoomPath);
  // The answer to a question of before.
  Hear(host_.Say("sync/dataNotify", {SyncParam(SyncKind::kStep2, std::string(2, '\0'))},
                 EnvelopeKind::kNotification));
  EXPECT_THAT(TakeEvents(), IsEmpty());
  HearUpdate(host_, HostTypes("text\n"));
  EXPECT_THAT(TakeEventNames(), ElementsAre("changed", "synced"));
  EXPECT_EQ(document_.Text(kRoomPath), "text\n");
  HearUpdate(host_, HostTypes("more\n"));
  EXPECT_THAT(TakeEventNames(), ElementsAre("changed"));
  EXPECT_THAT(TakeSent(), IsEmpty()) << "an update is not answered";
}

TEST_F(RoomSessionTest, TextThatIsHereAlreadyIsSyncedAtOnce) {
  Join();
  Hear(host_.Say("sync/dataNotify", {SyncParam(SyncKind::kStep2, HostTypes("here"))},
                 EnvelopeKind::kNotification));
  EXPECT_THAT(TakeEventNames(), ElementsAre("changed"));
  HostLooksAt(kRoomPath);
  EXPECT_THAT(TakeEventNames(), ElementsAre("active", "synced"));
}

TEST_F(RoomSessionTest, HostSwitchesFile) {
  Join();
  HostLooksAt(kRoomPath);
  HearUpdate(host_, HostTypes("one"));
  (void)TakeEvents();
  (void)TakeSent();
  HostLooksAt("demo/other.js", 2);
  std::vector<ActiveFile> active = TakeEventsOf<ActiveFile>();
  ASSERT_THAT(active, SizeIs(1));
  EXPECT_EQ(active[0].path, "demo/other.js");
  EXPECT_THAT(MethodsOf(TakeSentTo(host_)), ElementsAre("editor/open"));
  HearState(host_, kHostClient, 3, json{{"peer", host_.id()}}.dump());
  EXPECT_THAT(TakeEvents(), IsEmpty()) << "no file is not another file";
  HostLooksAt(kRoomPath, 4);
  EXPECT_THAT(TakeEventNames(), ElementsAre("active", "synced"));
}

TEST_F(RoomSessionTest, HostEchoChangesNothing) {
  Join();
  HearUpdate(host_, HostTypes("x"));
  const std::string update = *document_.Splice(kRoomPath, crdt::Unit::kBytes, 1, 0, "ours");
  ASSERT_THAT(session_.SendUpdate(update, now_), IsOk());
  session_.SetCaret({.path = kRoomPath}, now_);
  now_ += RoomAwareness::kSendGap;
  session_.OnDeadline(now_);
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  (void)TakeEvents();
  ASSERT_THAT(MethodsOf(sent), ElementsAre("sync/dataUpdate", "sync/awarenessUpdate"));
  for (const ReadCall& call : sent) Hear(host_.Say(call.method(), {call.first()}));
  EXPECT_THAT(TakeEvents(), IsEmpty());
  EXPECT_THAT(TakeSent(), IsEmpty());
  EXPECT_EQ(document_.Text(kRoomPath), "xours");
}

TEST_F(RoomSessionTest, AnswersStep1ToItsOriginAlone) {
  Join();
  HearGuestJoin();
  HearUpdate(host_, HostTypes("text"));
  Hear(guest_.Say("sync/dataUpdate", {SyncParam(SyncKind::kStep1, std::string(1, '\0'))}));
  const std::vector<std::string> sent = TakeSent();
  EXPECT_THAT(ReadAll(host_, sent), IsEmpty());
  const std::vector<ReadCall> calls = ReadAll(guest_, sent);
  ASSERT_THAT(MethodsOf(calls), ElementsAre("sync/dataNotify"));
  EXPECT_EQ(calls[0].kind, EnvelopeKind::kNotification);
  EXPECT_EQ(calls[0].target, guest_.id());
  yjs::Document other(7, [] { return uint64_t{8}; });
  EXPECT_THAT(other.Apply(PayloadOf(calls[0], SyncKind::kStep2)), IsOk());
  EXPECT_EQ(other.Text(kRoomPath), "text");
}

TEST_F(RoomSessionTest, DoesNotWriteAnswersThatTheServerWouldNotTake) {
  Join();
  for (int i = 0; i < 11; ++i) HearUpdate(host_, HostTypes(std::string(100'000, 'x')));
  (void)TakeSent();
  (void)TakeEvents();
  const auto ask = [this](const yjs::StateVector& clocks) {
    Hear(
        host_.Say("sync/dataUpdate", {SyncParam(SyncKind::kStep1, yjs::WriteStateVector(clocks))}));
  };
  ask({});
  EXPECT_THAT(TakeSent(), IsEmpty());
  EXPECT_THAT(TakeEventNames(), ElementsAre("refused"));
  // Each counts as a whole message.
  const size_t asked = kMaxAnswerBytesToPeer / SocketIoSession::kDefaultMaxPayloadBytes + 1;
  ASSERT_LT(asked, kMaxAnswersToPeer);
  for (size_t i = 1; i < asked; ++i) ask({});
  (void)TakeEvents();
  ask(document_.state_vector());
  EXPECT_THAT(TakeSent(), IsEmpty());
  now_ += AnswerBudget::kWindow;
  ask(document_.state_vector());
  EXPECT_THAT(TakeSent(), SizeIs(1));
}

TEST_F(RoomSessionTest, AsksForUpdatesEveryTenSeconds) {
  Join();
  // Without the own state, which is sent again as well.
  for (int i = 0; i < 3; ++i) {
    Wait(RoomSession::kResyncEvery - milliseconds(1));
    for (const ReadCall& call : TakeSentTo(host_)) EXPECT_EQ(call.method(), "sync/awarenessUpdate");
    Wait(milliseconds(1));
    const std::vector<ReadCall> sent = TakeSentTo(host_);
    ASSERT_THAT(MethodsOf(sent), ElementsAre("sync/dataUpdate"));
    (void)PayloadOf(sent[0], SyncKind::kStep1);
  }
}

TEST_F(RoomSessionTest, AsksSoonForWhatWasDroppedBecauseTooMuchWaited) {
  yjs::Document small(kOwnClient, [] { return kNextClient; }, {.pending = {.max_structs = 1}});
  RoomSession session(small, *cipher_, {});
  session.OnConnected(now_);
  session.OnMessage(
      ClearMessage(EnvelopeKind::kNotification,
                   CallJson("peer/info", {PeerJson(kOwnId, "agent", "")}), "", kOwnId),
      now_);
  session.OnMessage(host_.Say("peer/init", {InitParam()}, EnvelopeKind::kNotification), now_);
  const std::string lost = HostTypes("a");
  std::vector<std::string> updates;
  for (uint64_t client = 1; client < 4; ++client) {
    yjs::Document other(client, [] { return uint64_t{9}; });
    ASSERT_THAT(other.Apply(lost), IsOk());
    updates.push_back(*other.Splice(kRoomPath, crdt::Unit::kBytes, 1, 0, "b"));
  }
  while (session.TakeMessage()) {
  }
  for (const std::string& update : updates) {
    session.OnMessage(host_.Say("sync/dataUpdate", {SyncParam(SyncKind::kUpdate, update)}), now_);
  }
  ASSERT_TRUE(small.needs_sync());
  EXPECT_EQ(session.deadline(), now_ + RoomSession::kResyncSoon);
  session.OnDeadline(now_ + RoomSession::kResyncSoon);
  EXPECT_FALSE(small.needs_sync());
  EXPECT_EQ(host_.Read(*session.TakeMessage())->method(), "sync/dataUpdate");
}

TEST_F(RoomSessionTest, PathWithNonAscii) {
  const std::string path = "d\xc3\xa9mo/\xf0\x9f\x98\x80 \xe4\xb8\xad.js";
  Join();
  HostLooksAt(path);
  const std::vector<ActiveFile> active = TakeEventsOf<ActiveFile>();
  ASSERT_THAT(active, SizeIs(1));
  EXPECT_EQ(active[0].path, path);
  EXPECT_EQ(TakeSentTo(host_)[0].first(), path);
  HearUpdate(host_, HostTypes("x", path));
  EXPECT_THAT(TakeEventNames(), ElementsAre("changed", "synced"));
  now_ += RoomAwareness::kSendGap;
  session_.SetCaret({.path = path, .position = {.root_name = path}}, now_);
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(EntriesOf(sent[0]), ElementsAre(HasSubstr(path)));
}

TEST_F(RoomSessionTest, OwnClientIdOfAnotherMovesOurAwareness) {
  Join();
  yjs::Document other(kOwnClient, [] { return uint64_t{9}; });
  now_ += RoomAwareness::kSendGap;
  HearUpdate(host_, *other.Splice(kRoomPath, crdt::Unit::kBytes, 0, 0, "not ours"));
  EXPECT_EQ(document_.client(), kNextClient);
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent), ElementsAre("sync/awarenessUpdate"));
  EXPECT_THAT(EntriesOf(sent[0]), ElementsAre(OwnEntry(1, kNextClient)));
}

// --- awareness

TEST_F(RoomSessionTest, AwarenessBeforePeerInitIsLookedAtAgain) {
  Connect();
  HostLooksAt(kRoomPath);
  EXPECT_THAT(TakeEvents(), IsEmpty());
  HearInit(InitParam());
  EXPECT_THAT(TakeEventNames(), ElementsAre("joined", "active"));
  EXPECT_THAT(MethodsOf(TakeSentTo(host_)), ElementsAre("sync/dataUpdate", "sync/awarenessQuery",
                                                        "sync/awarenessUpdate", "editor/open"));
}

TEST_F(RoomSessionTest, AnswersTheAwarenessQueryToItsOriginAlone) {
  Join();
  HearGuestJoin();
  HostLooksAt(kRoomPath);
  (void)TakeSent();
  Hear(guest_.Say("sync/awarenessQuery", json::array()));
  const std::vector<std::string> sent = TakeSent();
  EXPECT_THAT(ReadAll(host_, sent), IsEmpty());
  const std::vector<ReadCall> calls = ReadAll(guest_, sent);
  ASSERT_THAT(MethodsOf(calls), ElementsAre("sync/awarenessNotify"));
  EXPECT_EQ(calls[0].target, guest_.id());
  EXPECT_THAT(EntriesOf(calls[0]), ElementsAre(OwnEntry(1), HasSubstr(kRoomPath)));
}

TEST_F(RoomSessionTest, ShowsItsCaret) {
  session_.SetCaret({.path = kRoomPath, .position = {.item = yjs::Id{1001, 3}}}, now_);
  Connect();
  HearInit(InitParam());
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(sent, SizeIs(3));
  EXPECT_THAT(
      EntriesOf(sent[2]),
      ElementsAre(HasSubstr(R"("item":{"client":1001,"clock":3},"tname":"demo/src/add.js")")));
  // The next ones wait, so that not each edit is a message.
  for (uint64_t clock = 4; clock < 10; ++clock) {
    session_.SetCaret({.path = kRoomPath, .position = {.item = yjs::Id{1001, clock}}}, now_);
  }
  EXPECT_THAT(TakeSent(), IsEmpty());
  EXPECT_EQ(session_.deadline(), now_ + RoomAwareness::kSendGap);
  Wait(RoomAwareness::kSendGap);
  const std::vector<ReadCall> later = TakeSentTo(host_);
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_THAT(EntriesOf(later[0]), ElementsAre(HasSubstr(R"("clock":9)")));
}

TEST_F(RoomSessionTest, OwnStateIsSentAgainAndTakenBack) {
  Join();
  Wait(yjs::AwarenessStates::kSendAgainAfter);
  std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent), ElementsAre("sync/dataUpdate", "sync/awarenessUpdate"));
  EXPECT_THAT(EntriesOf(sent[1]), ElementsAre(OwnEntry(2)));
  Wait(seconds(1));
  (void)TakeSent();
  HearState(host_, kOwnClient, 2, "null");
  sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent), ElementsAre("sync/awarenessUpdate"));
  EXPECT_THAT(EntriesOf(sent[0]), ElementsAre(OwnEntry(3)));
  // Whoever says so again and again does not make us talk as often.
  for (uint64_t clock = 3; clock < 50; ++clock) HearState(host_, kOwnClient, clock + 1, "null");
  EXPECT_THAT(TakeSent(), IsEmpty());
  Wait(RoomAwareness::kSendGap);
  EXPECT_THAT(TakeSent(), SizeIs(1));
}

// --- connections

TEST_F(RoomSessionTest, SaysAfterAReconnectWhatMayHaveBeenLost) {
  Join();
  HostLooksAt(kRoomPath);
  HearUpdate(host_, HostTypes("text"));
  (void)TakeSent();
  (void)TakeEvents();
  Type("lost ");
  session_.OnDisconnected();
  EXPECT_THAT(TakeSent(), IsEmpty());
  Type("unsent ");
  Hear(host_.Say("sync/awarenessQuery", json::array()));
  EXPECT_THAT(TakeSent(), IsEmpty());
  now_ += seconds(5);
  session_.OnConnected(now_);
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent),
              ElementsAre("sync/dataUpdate", "sync/dataUpdate", "sync/dataUpdate",
                          "sync/awarenessQuery", "sync/awarenessUpdate", "editor/open"));
  ASSERT_THAT(host_document_.Apply(PayloadOf(sent[0], SyncKind::kUpdate)), IsOk());
  ASSERT_THAT(host_document_.Apply(PayloadOf(sent[1], SyncKind::kUpdate)), IsOk());
  EXPECT_THAT(EntriesOf(sent[4]), ElementsAre(OwnEntry(2)));
  EXPECT_EQ(host_document_.Text(kRoomPath), "unsent lost text");
  EXPECT_THAT(TakeEvents(), IsEmpty()) << "it has joined before";
}

TEST_F(RoomSessionTest, MoreOwnWorkThanAMessageMayHaveDoesNotHoldUpWhatIsNew) {
  Join();
  HostLooksAt(kRoomPath);
  for (int i = 0; i < 40; ++i) {
    Type(std::string(30000, 'a'));  // together over the limit of the server
    for (const ReadCall& call : TakeSentTo(host_)) {
      if (call.content.value("method", "") != "sync/dataUpdate") continue;
      ASSERT_THAT(host_document_.Apply(PayloadOf(call, SyncKind::kUpdate)), IsOk());
    }
  }
  session_.OnDisconnected();
  Type("written meanwhile ");
  now_ += seconds(5);
  session_.OnConnected(now_);
  for (const ReadCall& call : TakeSentTo(host_)) {
    if (call.content.value("method", "") != "sync/dataUpdate") continue;
    const std::string bytes = TextOfBytes(call.content["params"][0]);
    const absl::StatusOr<yjs::SyncMessage> message = yjs::ReadSyncMessage(bytes);
    ASSERT_THAT(message, IsOk());
    if (message->kind != SyncKind::kUpdate) continue;
    ASSERT_THAT(host_document_.Apply(message->payload), IsOk());
  }
  EXPECT_EQ(host_document_.Text(kRoomPath), document_.Text(kRoomPath));
  // What is old has arrived, or never will.
  now_ += RoomSession::kKeepUpdates + seconds(1);
  session_.OnDisconnected();
  session_.OnConnected(now_);
  EXPECT_THAT(MethodsOf(TakeSentTo(host_)), ElementsAre("sync/dataUpdate", "sync/awarenessQuery",
                                                        "sync/awarenessUpdate", "editor/open"));
}

TEST_F(RoomSessionTest, AnAnswerOfTheHostProvesWhatWasSentBeforeTheQuestion) {
  Join();
  const auto answer = [this](TestPeer& peer) {
    Hear(peer.Say("sync/dataNotify", {SyncParam(SyncKind::kStep2, std::string(2, '\0'))},
                  EnvelopeKind::kNotification));
  };
  now_ += seconds(1);
  HostLooksAt(kRoomPath);
  Type("a");
  answer(host_);  // to the question of Join()
  EXPECT_TRUE(session_.may_lack_updates(now_));
  answer(host_);  // to none
  EXPECT_TRUE(session_.may_lack_updates(now_));
  Wait(RoomSession::kResyncEvery);
  HearGuestJoin();
  answer(guest_);
  EXPECT_TRUE(session_.may_lack_updates(now_));
  answer(host_);
  EXPECT_FALSE(session_.may_lack_updates(now_));
  Type("b");
  EXPECT_TRUE(session_.may_lack_updates(now_));
  // The connection is lost with the answer to a question.
  Wait(RoomSession::kResyncEvery);
  session_.OnDisconnected();
  Type("c");
  now_ += seconds(1);
  session_.OnConnected(now_);
  EXPECT_TRUE(session_.may_lack_updates(now_));
  answer(host_);  // to the question that was asked before
  EXPECT_TRUE(session_.may_lack_updates(now_));
  answer(host_);
  EXPECT_FALSE(session_.may_lack_updates(now_));
}

TEST_F(RoomSessionTest, WhatTheHostTellsAllIsNoAnswer) {
  Join();
  Hear(host_.Say("sync/dataNotify", {SyncParam(SyncKind::kStep2, std::string(2, '\0'))},
                 EnvelopeKind::kNotification));  // to the question of Join()
  now_ += seconds(1);
  HostLooksAt(kRoomPath);
  Type("a");
  Wait(RoomSession::kResyncEvery);
  Hear(host_.Say("sync/dataUpdate", {SyncParam(SyncKind::kStep2, std::string(2, '\0'))},
                 EnvelopeKind::kBroadcast));
  EXPECT_TRUE(session_.may_lack_updates(now_));
}

TEST_F(RoomSessionTest, QuestionsAreCountedHoweverManyThereAre) {
  Join();
  HostLooksAt(kRoomPath);
  for (size_t i = 0; i < 2 * RoomSession::kMaxOpenQuestions; ++i) Wait(RoomSession::kResyncEvery);
  now_ += seconds(1);
  Type("a");
  Wait(RoomSession::kResyncEvery);
  // Of Join(), and those before the edit.
  for (size_t i = 0; i < 2 * RoomSession::kMaxOpenQuestions + 1; ++i) {
    Hear(host_.Say("sync/dataNotify", {SyncParam(SyncKind::kStep2, std::string(2, '\0'))},
                   EnvelopeKind::kNotification));
    EXPECT_TRUE(session_.may_lack_updates(now_));
  }
}

TEST_F(RoomSessionTest, TellsThatTheRoomIsClosedAfterItsGoodBye) {
  Join();
  session_.Leave(now_);
  HearServer("room/closed", json::array());
  EXPECT_THAT(TakeEventNames(), ElementsAre("closed"));
}

TEST_F(RoomSessionTest, WithoutAConnectionNothingIsDue) {
  Join();
  session_.OnDisconnected();
  for (int i = 0; i < 10 && session_.deadline(); ++i) {
    now_ = *session_.deadline();
    session_.OnDeadline(now_);
  }
  EXPECT_EQ(session_.deadline(), std::nullopt);
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(RoomSessionTest, SaysWhenAMessageIsTooLong) {
  Connect();
  session_.OnConnected(now_, 4000);
  HearInit(InitParam());
  (void)TakeSent();
  (void)TakeEvents();
  EXPECT_THAT(session_.SendChat(std::string(4000, 'x')), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(TakeSent(), IsEmpty());
  EXPECT_THAT(TakeEventNames(), ElementsAre("refused"));
  EXPECT_THAT(session_.SendChat("short"), IsOk());
  EXPECT_THAT(TakeSent(), SizeIs(1));
}

TEST_F(RoomSessionTest, SpeaksInTheChat) {
  Join();
  EXPECT_THAT(session_.SendChat("agent: done, 3 edits \xff"), IsOk());
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent), ElementsAre("chat/message"));
  EXPECT_EQ(sent[0].kind, EnvelopeKind::kBroadcast);
  EXPECT_EQ(sent[0].content["params"], json::array({"agent: done, 3 edits \xef\xbf\xbd"}));
}

TEST_F(RoomSessionTest, SaysGoodByeAndNothingMore) {
  Join();
  session_.Leave(now_);
  const std::vector<std::string> sent = TakeSent();
  ASSERT_THAT(sent, SizeIs(2));
  const std::optional<ReadCall> gone = host_.Read(sent[0]);
  ASSERT_TRUE(gone);
  EXPECT_THAT(EntriesOf(*gone), ElementsAre(std::to_string(kOwnClient) + " 2 null"));
  const Envelope leave = *ReadEnvelope(sent[1]);
  EXPECT_EQ(leave.kind, EnvelopeKind::kNotification);
  EXPECT_EQ(leave.target, "");
  EXPECT_THAT(leave.keys, IsEmpty());
  EXPECT_EQ(std::get<json>(leave.content), CallJson("room/leave", json::array()));
  Type("");
  Type("late");
  session_.SetCaret({.path = kRoomPath}, now_);
  Hear(host_.Say("sync/awarenessQuery", json::array()));
  EXPECT_THAT(TakeSent(), IsEmpty());
  EXPECT_THAT(TakeEvents(), IsEmpty());
  EXPECT_EQ(session_.deadline(), std::nullopt);
}

TEST_F(RoomSessionTest, SaysAgainWhatMayBeLostWithItsGoodBye) {
  Join();
  HostLooksAt(kRoomPath);
  EXPECT_FALSE(session_.may_lack_updates(now_));
  Type("last words");
  EXPECT_TRUE(session_.may_lack_updates(now_));
  session_.Leave(now_);
  session_.OnDisconnected();
  (void)TakeSent();
  session_.OnConnected(now_);
  const std::vector<ReadCall> sent = TakeSentTo(host_);
  ASSERT_THAT(MethodsOf(sent),
              ElementsAre("sync/dataUpdate", "sync/dataUpdate", "sync/awarenessQuery",
                          "sync/awarenessUpdate", "editor/open"));
  ASSERT_THAT(host_document_.Apply(PayloadOf(sent[0], SyncKind::kUpdate)), IsOk());
  EXPECT_EQ(host_document_.Text(kRoomPath), "last words");
  session_.Leave(now_);
  EXPECT_THAT(TakeSent(), SizeIs(2));
  now_ += RoomSession::kKeepUpdates + seconds(1);
  EXPECT_FALSE(session_.may_lack_updates(now_));
}

TEST_F(RoomSessionTest, LeavesBeforeItHasJoined) {
  Connect();
  session_.Leave(now_);
  EXPECT_THAT(TakeSent(), SizeIs(1));
}

TEST_F(RoomSessionTest, RoomIsClosed) {
  for (const bool in_the_name_of_the_host : {false, true}) {
    RoomSession session(document_, *cipher_, {});
    session.OnConnected(now_);
    session.OnMessage(
        ClearMessage(EnvelopeKind::kNotification,
                     CallJson("peer/info", {PeerJson(kOwnId, "agent", "")}), "", kOwnId),
        now_);
    session.OnMessage(host_.Say("peer/init", {InitParam()}, EnvelopeKind::kNotification), now_);
    while (session.TakeEvent() || session.TakeMessage()) {
    }
    session.OnMessage(ClearMessage(EnvelopeKind::kBroadcast, CallJson("room/closed", json::array()),
                                   in_the_name_of_the_host ? host_.id() : ""),
                      now_);
    const std::optional<RoomEvent> event = session.TakeEvent();
    ASSERT_TRUE(event);
    ASSERT_TRUE(std::holds_alternative<RoomClosed>(*event));
    EXPECT_NE(std::get<RoomClosed>(*event).reason, "");
    EXPECT_THAT(session.SendChat("anybody?"), IsOk());
    EXPECT_EQ(session.TakeMessage(), std::nullopt);
    EXPECT_EQ(session.deadline(), std::nullopt);
  }
}

}  // namespace
}  // namespace cursorwire::oct::room_test
