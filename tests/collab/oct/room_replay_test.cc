#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/oct/envelope.h"
#include "collab/oct/oct_goldens.h"
#include "collab/oct/room_session.h"
#include "collab/oct/socket_io.h"
#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using cursorwire::test::IsOk;
using cursorwire::test::OctGoldenFrame;
using cursorwire::test::OctGoldens;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kReplayedPath = "demo/src/add.js";
constexpr std::string_view kReplayedText =
    "function add(a, b) {\n    return a + b;\n}\n"
    "function sub(a, b) {\n    return a - b; // \xf0\x9f\x98\x80\n}\n";

// The server and the host of the recording, with us in the place of its guest.
class RoomReplayTest : public ::testing::Test {
 protected:
  // The frames of the server up to its next one with encrypted content, or to the end.
  void HearNext() {
    while (next_ < goldens_.frames.size()) {
      const OctGoldenFrame& frame = goldens_.frames[next_++];
      if (!frame.is_from_server) continue;
      socket_.OnFrame(frame.is_text ? SocketFrameKind::kText : SocketFrameKind::kBinary,
                      frame.bytes, now_);
      Pump();
      if (!frame.json.empty()) return;
    }
  }
  void Pump() {
    while (const std::optional<SocketEvent> event = socket_.TakeEvent()) {
      if (std::holds_alternative<SocketConnected>(*event)) {
        session_.OnConnected(now_, socket_.max_message_bytes());
      } else if (const auto* const message = std::get_if<SocketMessage>(&*event)) {
        session_.OnMessage(message->bytes, now_);
      } else {
        closed_ = std::get<SocketClosed>(*event);
      }
    }
    while (const std::optional<std::string> message = session_.TakeMessage()) {
      sent_.push_back(*ReadEnvelope(*message));
      if (socket_.is_connected()) {
        EXPECT_THAT(socket_.Send(*message), IsOk());
      }
    }
    while (std::optional<RoomEvent> event = session_.TakeEvent()) {
      events_.push_back(event->index());
      if (const auto* const active = std::get_if<ActiveFile>(&*event)) path_ = active->path;
      if (const auto* const joined = std::get_if<Joined>(&*event)) joined_ = *joined;
    }
  }
  template <typename Event>
  static size_t IndexOf() {
    return RoomEvent(Event()).index();
  }
  std::vector<size_t> TakeEvents() { return std::exchange(events_, {}); }
  std::vector<Envelope> TakeSent() { return std::exchange(sent_, {}); }

  RoomSession::TimePoint now_{std::chrono::hours(1)};
  const OctGoldens goldens_ = cursorwire::test::ReadOctGoldens();
  std::unique_ptr<RoomCipher> cipher_ = *RoomCipher::FromPem(goldens_.private_key_pem);
  yjs::Document document_{2002, [] { return uint64_t{3003}; }};
  SocketIoSession socket_;
  RoomSession session_{document_, *cipher_, {.host_id = goldens_.host}};
  size_t next_ = 0;
  std::vector<size_t> events_;
  std::vector<Envelope> sent_;
  std::string path_;
  Joined joined_;
  std::optional<SocketClosed> closed_;
};

TEST_F(RoomReplayTest, TakesThePartOfTheRecordedGuest) {
  socket_.OnOpened(now_);
  HearNext();  // up to peer/init
  EXPECT_THAT(TakeEvents(), ElementsAre(IndexOf<Joined>()));
  EXPECT_EQ(joined_.peer_id, goldens_.guest);
  EXPECT_EQ(joined_.name, "agent");
  EXPECT_EQ(joined_.host_id, goldens_.host);
  EXPECT_EQ(joined_.host_name, "Hanna");
  const std::vector<Envelope> announced = TakeSent();
  ASSERT_EQ(announced.size(), 3u);
  for (const Envelope& envelope : announced) {
    EXPECT_EQ(envelope.kind, EnvelopeKind::kBroadcast);
    ASSERT_EQ(envelope.keys.size(), 1u);
    EXPECT_EQ(envelope.keys[0].target, goldens_.host);
  }

  HearNext();  // an empty step 2
  EXPECT_THAT(TakeEvents(), IsEmpty());
  HearNext();  // the awareness of the host
  EXPECT_THAT(TakeEvents(), ElementsAre(IndexOf<ActiveFile>()));
  EXPECT_EQ(path_, kReplayedPath);
  const std::vector<Envelope> open = TakeSent();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].kind, EnvelopeKind::kNotification);
  EXPECT_EQ(open[0].target, goldens_.host);

  HearNext();  // the text
  EXPECT_THAT(TakeEvents(), ElementsAre(IndexOf<DocumentChanged>(), IndexOf<Synced>()));
  EXPECT_EQ(document_.Text(kReplayedPath), kReplayedText.substr(0, 41));
  for (int i = 0; i < 2; ++i) {  // a person types
    HearNext();
    EXPECT_THAT(TakeEvents(), ElementsAre(IndexOf<DocumentChanged>()));
  }
  EXPECT_THAT(document_.Text(kReplayedPath), ::testing::EndsWith("// @agent subtract as well\n"));
  // The host has sent on what the recorded guest wrote; for us it is news, but nobody else's.
  HearNext();
  EXPECT_THAT(TakeEvents(), ElementsAre(IndexOf<DocumentChanged>()));
  EXPECT_EQ(document_.Text(kReplayedPath), kReplayedText);
  HearNext();  // and its awareness, of the client id that was ours
  EXPECT_THAT(TakeEvents(), IsEmpty());
  HearNext();
  ASSERT_TRUE(closed_);
  EXPECT_THAT(closed_->status, IsOk());
}

}  // namespace
}  // namespace cursorwire::oct
