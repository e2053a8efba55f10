#ifndef CURSORWIRE_TESTS_COLLAB_OCT_ROOM_FIXTURE_H_
#define CURSORWIRE_TESTS_COLLAB_OCT_ROOM_FIXTURE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/oct/room_session.h"
#include "collab/oct/test_peer.h"
#include "crdt/bytes/byte_writer.h"
#include "crdt/yjs/awareness.h"
#include "crdt/yjs/document.h"
#include "crdt/yjs/sync_message.h"

namespace cursorwire::oct::room_test {

constexpr const char* kOwnId = "us-us-us-us-us-us-us-us-";
constexpr const char* kRoomPath = "demo/src/add.js";
constexpr uint64_t kOwnClient = 2002;
constexpr uint64_t kNextClient = 3003;
constexpr uint64_t kHostClient = 1001;

inline nlohmann::json SyncParam(yjs::SyncKind kind, std::string_view payload) {
  return Bytes(yjs::WriteSyncMessage({.kind = kind, .payload = payload}));
}

// In its one more buffer.
inline nlohmann::json AwarenessParam(std::vector<yjs::AwarenessEntry> entries) {
  std::string payload;
  crdt::AppendString(payload, yjs::WriteAwareness(entries));
  return Bytes(payload);
}

inline std::string LooksAt(std::string_view peer, std::string_view path) {
  return nlohmann::json{{"peer", peer}, {"selection", {{"path", path}}}}.dump();
}

// A session in a room with a host, and a guest who may come.
class RoomFixture : public ::testing::Test {
 protected:
  using TimePoint = RoomSession::TimePoint;

  RoomFixture() {
    for (TestPeer* const peer : {&host_, &guest_}) peer->Knows(kOwnId, cipher_->public_key());
  }

  // --- what the server and peers say
  void Hear(const std::string& message) { session_.OnMessage(message, now_); }
  void HearServer(std::string_view method, RoomParams params, const std::string& origin = "") {
    Hear(ClearMessage(EnvelopeKind::kBroadcast, CallJson(method, std::move(params)), origin));
  }
  void HearInfo() {
    Hear(ClearMessage(EnvelopeKind::kNotification,
                      CallJson("peer/info", {PeerJson(kOwnId, "agent", cipher_->public_key())}), "",
                      kOwnId));
  }
  nlohmann::json InitParam(nlohmann::json guests = nlohmann::json::array()) {
    return {{"protocol", "0.3.1"},
            {"host", host_.json()},
            {"guests", std::move(guests)},
            {"permissions", {{"readonly", false}}},
            {"capabilities", nlohmann::json::object()},
            {"workspace", {{"name", "demo"}, {"folders", {"demo"}}}}};
  }
  void HearInit(nlohmann::json param) {
    Hear(host_.Say("peer/init", {std::move(param)}, EnvelopeKind::kNotification));
  }
  void Connect() {
    session_.OnConnected(now_);
    HearInfo();
  }
  // With the host alone; what was sent and has happened until then is taken.
  void Join() {
    Connect();
    HearInit(InitParam());
    (void)TakeSent();
    (void)TakeEvents();
  }
  // The guest comes.
  void HearGuestJoin() { HearServer("room/joined", {guest_.json()}, guest_.id()); }
  void HearUpdate(TestPeer& peer, std::string_view update) {
    Hear(peer.Say("sync/dataUpdate", {SyncParam(yjs::SyncKind::kUpdate, update)}));
  }
  void HearState(TestPeer& peer, uint64_t client, uint64_t clock, const std::string& state) {
    Hear(peer.Say("sync/awarenessUpdate", {AwarenessParam({{client, clock, state}})}));
  }
  void HostLooksAt(std::string_view path, uint64_t clock = 1) {
    HearState(host_, kHostClient, clock, LooksAt(host_.id(), path));
  }
  // In the host's document.
  std::string HostTypes(std::string_view text, std::string_view path = kRoomPath) {
    const auto size = host_document_.size(path).bytes;
    return *host_document_.Splice(path, crdt::Unit::kBytes, size, 0, text);
  }

  // --- what the session says
  std::vector<std::string> TakeSent() {
    std::vector<std::string> sent;
    while (std::optional<std::string> message = session_.TakeMessage()) {
      sent.push_back(*std::move(message));
    }
    return sent;
  }
  std::vector<ReadCall> TakeSentTo(TestPeer& peer) { return ReadAll(peer, TakeSent()); }
  static std::vector<ReadCall> ReadAll(TestPeer& peer, const std::vector<std::string>& messages) {
    std::vector<ReadCall> calls;
    for (const std::string& message : messages) {
      if (std::optional<ReadCall> call = peer.Read(message)) calls.push_back(*std::move(call));
    }
    return calls;
  }
  static std::vector<std::string> MethodsOf(const std::vector<ReadCall>& calls) {
    std::vector<std::string> methods;
    for (const ReadCall& call : calls) methods.push_back(call.method());
    return methods;
  }
  std::vector<RoomEvent> TakeEvents() {
    std::vector<RoomEvent> events;
    while (std::optional<RoomEvent> event = session_.TakeEvent()) {
      events.push_back(*std::move(event));
    }
    return events;
  }
  template <typename Event>
  std::vector<Event> TakeEventsOf() {
    std::vector<Event> wanted;
    for (RoomEvent& event : TakeEvents()) {
      if (auto* const found = std::get_if<Event>(&event)) wanted.push_back(std::move(*found));
    }
    return wanted;
  }
  // The names of what has happened, in order.
  std::vector<std::string> TakeEventNames() {
    static constexpr const char* kNames[] = {"joined",      "changed",     "synced",    "active",
                                             "permissions", "peer joined", "peer left", "closed",
                                             "refused",     "failed"};
    std::vector<std::string> names;
    for (const RoomEvent& event : TakeEvents()) names.emplace_back(kNames[event.index()]);
    return names;
  }
  void Wait(std::chrono::milliseconds time) {
    now_ += time;
    session_.OnDeadline(now_);
  }

  TimePoint now_{std::chrono::hours(1)};
  TestPeer host_{"host-host-host-host-host", "Hanna", 1};
  TestPeer guest_{"guest-guest-guest-guest-", "Gus", 2};
  std::unique_ptr<RoomCipher> cipher_ = TestCipher(0);
  yjs::Document document_{kOwnClient, [] { return kNextClient; }};
  yjs::Document host_document_{kHostClient, [] { return uint64_t{1}; }};
  RoomSession session_{document_, *cipher_, {}};
};

}  // namespace cursorwire::oct::room_test

#endif  // CURSORWIRE_TESTS_COLLAB_OCT_ROOM_FIXTURE_H_
