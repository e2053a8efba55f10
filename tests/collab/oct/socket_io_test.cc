#include "collab/oct/socket_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/oct/oct_goldens.h"
#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const SocketIoSession::TimePoint kSocketStart{std::chrono::hours(1)};
constexpr std::string_view kOpenText =
    R"(0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000})";
constexpr std::string_view kMessageText = R"(451-["message",{"_placeholder":true,"num":0}])";
constexpr milliseconds kPingTime{45000};

SocketFrame SocketText(std::string_view text) {
  return {.kind = SocketFrameKind::kText, .bytes = std::string(text)};
}
SocketFrame SocketBinary(std::string_view bytes) {
  return {.kind = SocketFrameKind::kBinary, .bytes = std::string(bytes)};
}

// A session with all that it has said.
struct SocketPeer {
  SocketIoSession session{};
  std::vector<SocketFrame> frames{};
  bool connected = false;
  std::vector<std::string> messages{};
  std::optional<SocketClosed> closed{};

  void Collect() {
    while (std::optional<SocketFrame> frame = session.TakeFrame()) {
      frames.push_back(*std::move(frame));
    }
    while (const std::optional<SocketEvent> event = session.TakeEvent()) {
      EXPECT_FALSE(closed) << "an event after the last one";
      if (const auto* message = std::get_if<SocketMessage>(&*event)) {
        messages.push_back(message->bytes);
      } else if (const auto* last = std::get_if<SocketClosed>(&*event)) {
        closed = *last;
      } else {
        EXPECT_FALSE(connected) << "connected twice";
        connected = true;
      }
    }
  }
  void Text(std::string_view text, SocketIoSession::TimePoint now = kSocketStart) {
    session.OnFrame(SocketFrameKind::kText, std::string(text), now);
    Collect();
  }
  void Binary(std::string_view bytes) {
    session.OnFrame(SocketFrameKind::kBinary, std::string(bytes), kSocketStart);
    Collect();
  }
  void Deadline(SocketIoSession::TimePoint now) {
    session.OnDeadline(now);
    Collect();
  }
};

SocketPeer OpenedPeer() {
  SocketPeer peer;
  peer.session.OnOpened(kSocketStart);
  return peer;
}

SocketPeer ConnectedPeer() {
  SocketPeer peer = OpenedPeer();
  peer.Text(kOpenText);
  peer.Text(R"(40{"sid":"t"})");
  EXPECT_TRUE(peer.connected);
  peer.frames.clear();
  return peer;
}

TEST(SocketIoSession, ReplaysTheRecordedGuest) {
  const test::OctGoldens goldens = test::ReadOctGoldens();
  SocketPeer peer = OpenedPeer();
  std::vector<SocketFrame> out;
  std::vector<std::string> received;
  for (const test::OctGoldenFrame& frame : goldens.frames) {
    if (frame.is_from_server && frame.is_text) {
      peer.Text(frame.bytes);
    } else if (frame.is_from_server) {
      received.push_back(frame.bytes);
      peer.Binary(frame.bytes);
    } else {
      out.push_back(frame.is_text ? SocketText(frame.bytes) : SocketBinary(frame.bytes));
      if (!frame.is_text) {
        ASSERT_THAT(peer.session.Send(frame.bytes), IsOk());
      }
      peer.Collect();
    }
  }
  EXPECT_TRUE(peer.connected);
  EXPECT_EQ(peer.frames, out);
  EXPECT_EQ(peer.messages, received);
  ASSERT_TRUE(peer.closed);
  EXPECT_THAT(peer.closed->status, IsOk());
  EXPECT_TRUE(peer.closed->is_final);
}

TEST(SocketIoSession, AnswersPingsAtOnceAlsoBetweenAnEventAndItsAttachment) {
  SocketPeer peer = ConnectedPeer();
  peer.Text("2");
  peer.Text(kMessageText);
  peer.Text("2");
  peer.Binary("m");
  EXPECT_THAT(peer.frames, ElementsAre(SocketText("3"), SocketText("3")));
  EXPECT_THAT(peer.messages, ElementsAre("m"));
}

TEST(SocketIoSession, IsDeadWithoutAPing) {
  SocketPeer peer = ConnectedPeer();
  EXPECT_EQ(peer.session.deadline(), kSocketStart + kPingTime);
  peer.Text("2", kSocketStart + seconds(30));
  peer.Text("42[\"x\"]", kSocketStart + seconds(60));  // no ping
  EXPECT_EQ(peer.session.deadline(), kSocketStart + seconds(30) + kPingTime);
  peer.Deadline(kSocketStart + seconds(30) + kPingTime - milliseconds(1));
  EXPECT_FALSE(peer.closed);
  peer.Deadline(kSocketStart + seconds(30) + kPingTime);
  ASSERT_TRUE(peer.closed);
  EXPECT_THAT(peer.closed->status, StatusIs(StatusCode::kUnavailable, HasSubstr("45000 ms")));
  EXPECT_FALSE(peer.closed->is_final);
  EXPECT_FALSE(peer.session.deadline());
}

TEST(SocketIoSession, IsDeadIfTheServerDoesNotLetUsIn) {
  SocketPeer silent = OpenedPeer();
  EXPECT_EQ(silent.session.deadline(), kSocketStart + SocketIoSession::kConnectTimeout);
  SocketPeer opened = OpenedPeer();
  opened.Text(kOpenText);
  for (SocketPeer* peer : {&silent, &opened}) {
    peer->Deadline(kSocketStart + SocketIoSession::kConnectTimeout);
    ASSERT_TRUE(peer->closed);
    EXPECT_THAT(peer->closed->status, StatusIs(StatusCode::kUnavailable, HasSubstr("20 s")));
    EXPECT_FALSE(peer->closed->is_final);
  }
}

TEST(SocketIoSession, ConnectsAnewOnAnotherWebSocket) {
  SocketPeer peer = ConnectedPeer();
  peer.Text(kMessageText);
  ASSERT_THAT(peer.session.Send("unsent"), IsOk());
  peer.session.OnOpened(kSocketStart + seconds(5));
  EXPECT_FALSE(peer.session.is_connected());
  peer.connected = false;
  peer.Text(kOpenText, kSocketStart + seconds(5));
  peer.Text("40", kSocketStart + seconds(5));
  EXPECT_TRUE(peer.connected);
  EXPECT_THAT(peer.frames, ElementsAre(SocketText("40")));
  EXPECT_EQ(peer.session.deadline(), kSocketStart + seconds(5) + kPingTime);
}

TEST(SocketIoSession, IgnoresWhatRoomsDoNotUse) {
  for (const std::string_view text :
       {"1", "3", "5", "6", "42[\"message\",{}]", "42not json", "43[]", "431[]", "40{}",
        "40/other,{}", "41/other,", "44/other,{}", "450-[\"message\"]", "42"}) {
    SCOPED_TRACE(text);
    SocketPeer peer = ConnectedPeer();
    peer.Text(text);
    EXPECT_FALSE(peer.closed);
    peer.Text(kMessageText);
    peer.Binary("m");
    EXPECT_THAT(peer.messages, ElementsAre("m"));
    EXPECT_THAT(peer.frames, SizeIs(0));
  }
}

TEST(SocketIoSession, TakesTheAttachmentsOfOtherEventsAway) {
  struct Case {
    std::string_view text;
    int attachments;
  };
  for (const Case& c :
       {Case{.text = R"(451-["other",{"_placeholder":true,"num":0}])", .attachments = 1},
        Case{.text = R"(451-["message",{"num":0}])", .attachments = 1},
        Case{.text = R"(451-["message",{"_placeholder":true,"num":1}])", .attachments = 1},
        Case{.text = R"(451-["message"])", .attachments = 1},
        Case{.text = R"(451-{})", .attachments = 1},
        Case{.text = R"(451-/other,["message",{"_placeholder":true,"num":0}])", .attachments = 1},
        Case{.text = R"(461-7[{"_placeholder":true,"num":0}])", .attachments = 1},
        Case{.text = R"(452-["message",{"_placeholder":true,"num":0}])", .attachments = 2},
        Case{.text = R"(4564-[])", .attachments = 64}}) {
    SCOPED_TRACE(c.text);
    SocketPeer peer = ConnectedPeer();
    peer.Text(c.text);
    for (int i = 0; i < c.attachments; ++i) peer.Binary("other");
    EXPECT_THAT(peer.messages, SizeIs(0));
    peer.Text(kMessageText);
    peer.Binary("m");
    EXPECT_THAT(peer.messages, ElementsAre("m"));
    EXPECT_FALSE(peer.closed);
  }
}

TEST(SocketIoSession, TakesAMessageThatAsksForAnAck) {
  SocketPeer peer = ConnectedPeer();
  peer.Text(R"(451-12["message",{"_placeholder":true,"num":0},"more"])");
  peer.Binary(std::string("\0m", 2));
  EXPECT_THAT(peer.messages, ElementsAre(std::string("\0m", 2)));
}

TEST(SocketIoSession, RefusesWhatBreaksTheProtocol) {
  const std::string deep = "451-" + std::string(40, '[') + std::string(40, ']');
  const std::string long_json = "451-[\"" + std::string(70000, 'x') + "\"]";
  for (const std::string_view text :
       {std::string_view(""), std::string_view("x"), std::string_view("7"), std::string_view("4"),
        std::string_view("49"), std::string_view("0{}"), std::string_view("45"),
        std::string_view("45-[]"), std::string_view("451[]"), std::string_view("4565-[]"),
        std::string_view("4599999999999999999999-[]"), std::string_view("45-1-[]"),
        std::string_view("451-"), std::string_view("451-[\"message\""), std::string_view(deep),
        std::string_view(long_json)}) {
    SCOPED_TRACE(text.substr(0, 40));
    SocketPeer peer = ConnectedPeer();
    peer.Text(text);
    ASSERT_TRUE(peer.closed);
    EXPECT_THAT(peer.closed->status, StatusIs(StatusCode::kInternal));
    EXPECT_FALSE(peer.closed->is_final);
    peer.Text("2");  // ignored
    peer.Text(kOpenText);
    EXPECT_THAT(peer.frames, SizeIs(0));
  }
}

TEST(SocketIoSession, RefusesABinaryFrameThatWasNotAnnounced) {
  SocketPeer peer = ConnectedPeer();
  peer.Binary("m");
  ASSERT_TRUE(peer.closed);
  EXPECT_THAT(peer.closed->status, StatusIs(StatusCode::kInternal));
  SocketPeer second = ConnectedPeer();
  second.Text(kMessageText);
  second.Binary("m");
  second.Binary("m");
  EXPECT_TRUE(second.closed);
  SocketPeer first_frame = OpenedPeer();
  first_frame.Binary("m");
  EXPECT_TRUE(first_frame.closed);
}

TEST(SocketIoSession, RefusesTextInPlaceOfAnAttachment) {
  for (const std::string_view text :
       {kMessageText, std::string_view("42[]"), std::string_view("41"), std::string_view("x")}) {
    SCOPED_TRACE(text);
    SocketPeer peer = ConnectedPeer();
    peer.Text(kMessageText);
    peer.Text(text);
    ASSERT_TRUE(peer.closed);
    EXPECT_THAT(peer.closed->status, StatusIs(StatusCode::kInternal));
  }
}

TEST(SocketIoSession, RefusesAnotherBeginningForGood) {
  for (const std::string_view text :
       {"40", "2", "0", "0[]", "0{}", R"(0{"pingInterval":25000})",
        R"(0{"pingInterval":0,"pingTimeout":1})", R"(0{"pingInterval":-1,"pingTimeout":1})",
        R"(0{"pingInterval":1e300,"pingTimeout":1})", R"(0{"pingInterval":"1","pingTimeout":1})",
        R"(0{"pingInterval":1,"pingTimeout":3600001})",
        R"(0{"pingInterval":1,"pingTimeout":1,"maxPayload":0})",
        R"(0{"pingInterval":1,"pingTimeout":1,"maxPayload":"1"})"}) {
    SCOPED_TRACE(text);
    SocketPeer peer = OpenedPeer();
    peer.Text(text);
    ASSERT_TRUE(peer.closed);
    EXPECT_THAT(peer.closed->status, StatusIs(StatusCode::kInternal));
    EXPECT_TRUE(peer.closed->is_final);
  }
  SocketPeer early = OpenedPeer();
  early.Text(kOpenText);
  early.Text(kMessageText);
  EXPECT_TRUE(early.closed);
}

TEST(SocketIoSession, BoundsMaxPayload) {
  struct Case {
    std::string_view text;
    size_t bytes;
  };
  for (const Case& c :
       {Case{.text = R"(0{"pingInterval":1,"pingTimeout":1})",
       .bytes = SocketIoSession::kDefaultMaxPayloadBytes},
        Case{.text = R"(0{"pingInterval":1,"pingTimeout":1,"maxPayload":1e6})", .bytes = 1000000},
        Case{.text = R"(0{"pingInterval":1,"pingTimeout":1,"maxPayload":1e300})",
        .bytes = SocketIoSession::kMaxPayloadBytes}}) {
    SCOPED_TRACE(c.text);
    SocketPeer peer = OpenedPeer();
    peer.Text(c.text);
    EXPECT_EQ(peer.session.max_message_bytes(), c.bytes);
  }
}

TEST(SocketIoSession, RefusesAMessageOverMaxPayloadBeforeItIsSent) {
  SocketPeer peer = ConnectedPeer();
  EXPECT_THAT(peer.session.Send(std::string(1001, 'x')),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("1001 bytes is too large")));
  peer.Collect();
  EXPECT_THAT(peer.frames, SizeIs(0));
  EXPECT_FALSE(peer.closed);
  EXPECT_THAT(peer.session.Send(std::string(1000, 'x')), IsOk());
  peer.Collect();
  EXPECT_THAT(peer.frames,
              ElementsAre(SocketText(kMessageText), SocketBinary(std::string(1000, 'x'))));
}

TEST(SocketIoSession, SendsNothingUnlessConnected) {
  SocketPeer closed;
  SocketPeer opened = OpenedPeer();
  opened.Text(kOpenText);
  opened.frames.clear();
  SocketPeer ended = ConnectedPeer();
  ended.Text("41");
  for (SocketPeer* peer : {&closed, &opened, &ended}) {
    EXPECT_THAT(peer->session.Send("m"), StatusIs(StatusCode::kFailedPrecondition));
    peer->Collect();
    EXPECT_THAT(peer->frames, SizeIs(0));
  }
}

TEST(SocketIoSession, ShowsWhyItIsRefusedWithoutEscapeCodes) {
  SocketPeer peer = OpenedPeer();
  peer.Text(kOpenText);
  peer.Text(R"(44{"message":"no\u001b[31m \u202eentry\r\n\u00e9 )" + std::string(600, 'x') +
            R"(","data":{}})");
  ASSERT_TRUE(peer.closed);
  EXPECT_TRUE(peer.closed->is_final);
  const std::string reason = "no[31m entry\u00e9 ";  // 14 characters
  EXPECT_THAT(peer.closed->status,
              StatusIs(StatusCode::kPermissionDenied,
                       AllOf(EndsWith(": " + reason + std::string(500 - 14, 'x')),
                             Not(HasSubstr("\x1b")), Not(HasSubstr("\n")))));
}

TEST(SocketIoSession, IsRefusedWithoutAReason) {
  for (const std::string_view text : {"44", "44{}", "44\"no\"", "44{\"message\":7}", "44{"}) {
    SCOPED_TRACE(text);
    SocketPeer peer = OpenedPeer();
    peer.Text(kOpenText);
    peer.Text(text);
    ASSERT_TRUE(peer.closed);
    EXPECT_THAT(peer.closed->status, StatusIs(StatusCode::kPermissionDenied));
  }
}

TEST(SocketIoSession, DropsWhatIsUnsentWhenTheServerCloses) {
  SocketPeer peer = ConnectedPeer();
  ASSERT_THAT(peer.session.Send("m"), IsOk());
  peer.session.OnFrame(SocketFrameKind::kText, "41", kSocketStart);
  peer.Collect();
  EXPECT_THAT(peer.frames, SizeIs(0));
  ASSERT_TRUE(peer.closed);
  EXPECT_TRUE(peer.closed->is_final);
}

}  // namespace
}  // namespace cursorwire::oct
