// Whole turns of the agent through the bridge: the parent is the test, the server the program
// local-upstream.
#include <cursorwire/id_source.h>
#include <cursorwire/run.h>
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>

#include "process_support.h"
#include "wire/envelope.h"

namespace h2_bridge {
namespace {

using cursorwire::Run;
using cursorwire::TextDelta;
using cursorwire::connect::CallEvent;
using cursorwire::connect::MessageView;
using Clock = std::chrono::steady_clock;

// The turn as a parent does it: envelopes are its own affair.
std::string Turn(Child& bridge, const std::string& prompt) {
  const auto ids = cursorwire::RandomIds();
  Run run({.prompt = prompt}, {.token = kToken}, *ids, Clock::now());
  cursorwire::wire::EnvelopeDecoder decoder;
  std::string text;
  run.On(CallEvent(cursorwire::connect::ResponseHead{.http_status = 200}), Clock::now());
  bool ended = false;
  while (!run.finished()) {
    while (const auto output = run.PollOutput()) {
      if (const auto* send = std::get_if<cursorwire::SendMessage>(&*output)) {
        std::string envelope;
        EXPECT_TRUE(cursorwire::wire::AppendEnvelope(0, send->message, envelope).ok());
        bridge.Send(envelope);
      } else if (std::holds_alternative<cursorwire::CloseSend>(*output)) {
        bridge.Send("");
      }
    }
    while (const auto event = run.PollEvent()) {
      EXPECT_TRUE(event->ok()) << event->status();
      if (!event->ok()) return text;
      if (const auto* delta = (*event)->As<TextDelta>()) text += delta->text;
    }
    if (run.finished()) break;
    if (ended) {
      ADD_FAILURE() << "the run wants more than the response has";
      return text;
    }
    const std::optional<std::string> bytes = bridge.Read();
    if (!bytes) {
      ADD_FAILURE() << "the bridge ended: " << bridge.ReadErrors();
      return text;
    }
    decoder.Feed(*bytes);
    for (;;) {
      const auto envelope = decoder.Next();
      EXPECT_TRUE(envelope.ok()) << envelope.status();
      if (!envelope.ok() || !envelope->has_value()) break;
      if (((*envelope)->flags & cursorwire::wire::kEnvelopeEndStream) != 0) {
        EXPECT_EQ((*envelope)->payload, "{}");
        run.On(CallEvent(cursorwire::connect::CallEnd{}), Clock::now());
        ended = true;
      } else {
        run.On(CallEvent(MessageView{.bytes = (*envelope)->payload}), Clock::now());
      }
    }
  }
  return text;
}

class BridgeAgentTurn : public testing::Test {
 protected:
  BridgeAgentTurn() {
    const std::string line = upstream_.ReadLine();
    EXPECT_TRUE(line.starts_with("listening on http://")) << line;
    url_ = line.substr(std::string("listening on ").size());
  }

  Child upstream_{LOCAL_UPSTREAM, {.arguments = {"--plaintext", "--word-interval", "0"}}};
  std::string url_;
};

TEST_F(BridgeAgentTurn, OfAnOlderParent) {
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(url_, "/agent.v1.AgentService/Run"));
  EXPECT_THAT(Turn(bridge, "Hello, bridge"), testing::HasSubstr("You said: \"Hello, bridge\""));
  bridge.Send("");
  bridge.CloseInput();
  EXPECT_EQ(bridge.Wait(), 0);
  EXPECT_EQ(bridge.ReadErrors(), "");
}

TEST_F(BridgeAgentTurn, OfASessionTwice) {
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(url_, "/agent.v1.AgentService/Run", kPersistent));
  EXPECT_THAT(Turn(bridge, "first"), testing::HasSubstr("You said: \"first\""));
  bridge.Send("");
  while (bridge.Read() != kDone) {
  }
  bridge.Send(kOpen);
  EXPECT_THAT(Turn(bridge, "second"), testing::HasSubstr("You said: \"second\""));
  bridge.Send("");
  bridge.CloseInput();
  EXPECT_EQ(bridge.Wait(), 0);
}

}  // namespace
}  // namespace h2_bridge
