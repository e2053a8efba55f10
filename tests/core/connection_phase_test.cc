#include "core/connection_phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "support/scripted.h"
#include "support/status_matchers.h"

namespace cursorwire::core {
namespace {

using test::InfoOf;
using test::StatusIs;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

absl::Status Lost() { return TransportError("the network is gone", Replay::kUnsafe); }

// The phases, by what is seen of them.
struct Stage {
  std::string_view name;
  std::function<void(ConnectionPhase&)> reach;
  bool up = false;
  bool leaving = false;
  bool down = false;
  bool closed = false;
  bool accepts_calls = false;
};

const std::array<Stage, 5>& Stages() {
  static const std::array<Stage, 5> kCases = {{
      {.name = "connecting", .reach = [](ConnectionPhase&) {}, .accepts_calls = true},
      {.name = "up",
       .reach = [](ConnectionPhase& p) { p.OnSettings(); },
       .up = true,
       .accepts_calls = true},
      {.name = "leaving",
       .reach =
           [](ConnectionPhase& p) {
             p.OnSettings();
             p.OnGoAway(0);
           },
       .up = true,
       .leaving = true},
      {.name = "down", .reach = [](ConnectionPhase& p) { p.GoDown(Lost()); }, .down = true},
      {.name = "closed",
       .reach =
           [](ConnectionPhase& p) {
             p.GoDown(Lost());
             p.OnClosed();
           },
       .down = true,
       .closed = true},
  }};
  return kCases;
}

void ExpectIsAt(const ConnectionPhase& phase, const Stage& at) {
  EXPECT_EQ(phase.is_up(), at.up);
  EXPECT_EQ(phase.is_leaving(), at.leaving);
  EXPECT_EQ(phase.is_down(), at.down);
  EXPECT_EQ(phase.is_closed(), at.closed);
  EXPECT_EQ(phase.accepts_calls(), at.accepts_calls);
}

// What happens in a phase, and to which it leads from each: as indices of Stages().
struct StepCase {
  std::string_view name;
  std::function<void(ConnectionPhase&)> happens;
  std::array<size_t, 5> to;
};

TEST(ConnectionPhase, EachStepLeadsFromEachPhaseWhereTheTableSays) {
  const StepCase kSteps[] = {
      {"settings", [](ConnectionPhase& p) { p.OnSettings(); }, {1, 1, 2, 3, 4}},
      {"GOAWAY", [](ConnectionPhase& p) { p.OnGoAway(0); }, {2, 2, 2, 3, 4}},
      {"bytes", [](ConnectionPhase& p) { p.OnReceived("HTTP/1.1"); }, {0, 1, 2, 3, 4}},
      {"a request", [](ConnectionPhase& p) { p.OnRequestSent(); }, {0, 1, 2, 3, 4}},
      {"the end of the server's side",
       [](ConnectionPhase& p) { p.OnPeerClosed().IgnoreError(); },
       {0, 1, 2, 3, 4}},
      {"a failure", [](ConnectionPhase& p) { p.GoDown(Lost()); }, {3, 3, 3, 3, 4}},
      {"our last byte", [](ConnectionPhase& p) { p.OnClosed(); }, {0, 1, 2, 4, 4}},
  };
  for (const StepCase& step : kSteps) {
    for (size_t i = 0; i < Stages().size(); ++i) {
      SCOPED_TRACE(std::string(step.name) + " when " + std::string(Stages()[i].name));
      ConnectionPhase phase("host:1");
      Stages()[i].reach(phase);
      ExpectIsAt(phase, Stages()[i]);
      step.happens(phase);
      ExpectIsAt(phase, Stages()[step.to[i]]);
    }
  }
}

TEST(ConnectionPhase, IsUpWithTheFirstSettingsOnly) {
  ConnectionPhase phase("host:1");
  EXPECT_TRUE(phase.OnSettings());
  EXPECT_FALSE(phase.OnSettings());
}

TEST(ConnectionPhase, KeepsTheFirstReasonToGoDown) {
  ConnectionPhase phase("host:1");
  EXPECT_TRUE(phase.down_status().ok());
  EXPECT_TRUE(phase.GoDown(Lost()));
  EXPECT_FALSE(phase.GoDown(CancelledByCaller()));
  EXPECT_THAT(phase.down_status(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the network is gone")));
}

TEST(ConnectionPhase, SaysThatCallsMayBeMadeAgainUnlessARequestWasSent) {
  ConnectionPhase unused("host:1");
  unused.GoDown(Lost());
  EXPECT_TRUE(InfoOf(unused.down_status()).replay_safe);
  ConnectionPhase used("host:1");
  used.OnRequestSent();
  used.GoDown(Lost());
  EXPECT_FALSE(InfoOf(used.down_status()).replay_safe);
}

TEST(ConnectionPhase, SaysWhyACallIsRefusedAndThatItMayBeMadeAgain) {
  ConnectionPhase leaving("host:1");
  leaving.OnSettings();
  leaving.OnGoAway(0);
  EXPECT_THAT(leaving.RefusalStatus(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("GOAWAY")));
  EXPECT_TRUE(InfoOf(leaving.RefusalStatus()).replay_safe);
  ConnectionPhase refusing("host:1");
  refusing.OnSettings();
  refusing.OnGoAway(13);
  EXPECT_THAT(refusing.RefusalStatus(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("(GOAWAY with code 13)")));
  EXPECT_EQ(InfoOf(refusing.RefusalStatus()).http2_code, 13u);
  ConnectionPhase down("host:1");
  down.OnRequestSent();
  down.GoDown(Lost());
  EXPECT_THAT(down.RefusalStatus(), StatusIs(absl::StatusCode::kUnavailable,
                                             HasSubstr("no connection: the network is gone")));
  EXPECT_TRUE(InfoOf(down.RefusalStatus()).replay_safe);
}

TEST(ConnectionPhase, SaysInWhichPhaseTheServerClosed) {
  ConnectionPhase phase("host:1");
  EXPECT_FALSE(phase.peer_closed());
  EXPECT_THAT(phase.OnPeerClosed().message(), HasSubstr("before it was set up"));
  EXPECT_TRUE(phase.peer_closed());
  phase.OnSettings();
  EXPECT_THAT(phase.OnPeerClosed().message(), Eq("the server closed the connection"));
  phase.OnGoAway(2);
  const absl::Status status = phase.OnPeerClosed();
  EXPECT_THAT(status.message(), HasSubstr("after GOAWAY with code 2"));
  EXPECT_THAT(InfoOf(status).http2_code, Optional(2u));
}

TEST(ConnectionPhase, TellsAServerOfHttp1FromNoise) {
  struct Case {
    std::array<std::string_view, 2> received;
    std::string_view message;
  };
  const Case kCases[] = {
      {{"HTTP/1.1 400 Bad Request", "\r\n"}, "host:1 answers HTTP/1.1; HTTP/2 is required"},
      {{"HTT", "P/1.0 400 Bad Request"}, "host:1 answers HTTP/1.1; HTTP/2 is required"},
      {{"HTTP", ""}, "host:1 does not speak HTTP/2"},
      {{"SSH-2.0", " HTTP/1"}, "host:1 does not speak HTTP/2"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.received[0]);
    ConnectionPhase phase("host:1");
    for (const std::string_view bytes : c.received) phase.OnReceived(bytes);
    EXPECT_THAT(phase.BrokenStatus(ProtocolError("bad frame")),
                StatusIs(absl::StatusCode::kUnavailable, Eq(c.message)));
    phase.OnSettings();
    EXPECT_THAT(phase.BrokenStatus(ProtocolError("bad frame")),
                StatusIs(absl::StatusCode::kInternal, Eq("bad frame")));
  }
}

}  // namespace
}  // namespace cursorwire::core
