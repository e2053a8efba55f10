// Chat completions over HTTP/2: what becomes of turns when streams are not read, reset, or end.

#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/frame_client.h"
#include "apps/gateway/gateway_fixture.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using cursorwire::test::Frame;
using cursorwire::test::FrameScript;
using cursorwire::test::FrameType;
using cursorwire::test::kFlagEndStream;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Http2ChatTest : public GatewayFixture {
 protected:
  static void Say(FrameClient& client, int32_t id, const std::string& text) {
    client.Ask(id, "/v1/chat/completions", "POST", 0);
    client.Send(FrameScript::Data(
        id, ChatBody(json::array({UserSays(text)}), {{"stream", true}}).dump(), kFlagEndStream));
  }
  // The value of a counter without labels.
  std::string Metric(const std::string& name) {
    RawClient client(port_);
    client.Send(Get("/metrics"));
    const std::string text = client.ReadResponse();
    const size_t at = text.find("\ncursor_gateway_" + name + " ");
    if (at == std::string::npos) return "";
    const size_t value = text.find(' ', at) + 1;
    return text.substr(value, text.find('\n', value) - value);
  }
};

TEST_F(Http2ChatTest, HoldsBackTheTurnOfASlowStreamAlone) {
  Script script;
  const std::string piece(size_t{256} * 1024, 'x');
  for (int i = 0; i < 64; ++i) script.Text(piece);  // 16 MiB
  Start({script.TurnEnded(), Script().Text("quick").TurnEnded()});
  FrameClient client(port_);
  client.Send(FrameScript::WindowUpdate(0, 0x40000000));
  Say(client, 1, "much");
  client.ReadTo(FrameType::kHeaders, 1);
  for (int32_t id = 3; id < 43; id += 2) {
    Say(client, id, "hi");
    EXPECT_THAT(client.ReadBody(id), HasSubstr("quick"));
  }
  EXPECT_TRUE(upstream_->WaitForRuns(20, seconds(10)));
  EXPECT_EQ(upstream_->runs_ended(), 20U);  // not the slow one
  client.Send(FrameScript::WindowUpdate(1, 0x40000000));
  const std::string body = client.ReadBody(1);
  EXPECT_GT(body.size(), 16'000'000U);  // but for what its first window had let through
  EXPECT_THAT(body.substr(body.size() - 14), HasSubstr("data: [DONE]\n\n"));
}

TEST_F(Http2ChatTest, CancelsTheTurnsOfStreamsThatAreResetAndOfAConnectionThatEnds) {
  Start({Script().Text("one").ExpectCancel().Within(seconds(5))});
  {
    FrameClient client(port_);
    for (const int32_t id : {1, 3, 5}) Say(client, id, "hi");
    for (int begun = 0; begun < 3 && !HasFailure();) {
      if (client.Read().payload.find("one") != std::string::npos) ++begun;
    }
    client.Send(FrameScript::RstStream(3, 8));
    EXPECT_TRUE(upstream_->WaitForRuns(1, seconds(10)));
    EXPECT_EQ(Metric("cancelled_total"), "1");
  }
  EXPECT_TRUE(upstream_->WaitForRuns(3, seconds(10)));
  EXPECT_THAT(upstream_->violations(), IsEmpty());
  EXPECT_EQ(Metric("cancelled_total"), "3");
}

TEST_F(Http2ChatTest, RefusesAStrangeOriginAndHostOnTheirStreamsAlone) {
  Start();
  FrameClient client(port_);
  auto strange = FrameClient::RequestOf("/healthz", "GET");
  strange.Add("origin", "http://elsewhere.example");
  client.Send(client.script().Headers(1, strange, kFlagEndStream));
  EXPECT_EQ(client.ReadTo(FrameType::kHeaders, 1).headers.Get(":status"), "403");
  client.Send(client.script().Headers(3,
                                      {{":method", "GET"},
                                       {":scheme", "http"},
                                       {":authority", "elsewhere.example"},
                                       {":path", "/healthz"}},
                                      kFlagEndStream));
  EXPECT_EQ(client.ReadTo(FrameType::kHeaders, 3).headers.Get(":status"), "403");
  client.Ask(5, "/healthz");
  EXPECT_EQ(client.ReadTo(FrameType::kHeaders, 5).headers.Get(":status"), "200");
  EXPECT_THAT(Log(), HasSubstr("GET /healthz 403"));
}

TEST_F(Http2ChatTest, DrainsBehindTheStreamsUnderWay) {
  Start({Script().Text("one").Text("two").TurnEnded()});
  FrameClient client(port_);
  Say(client, 1, "hi");
  client.ReadTo(FrameType::kHeaders, 1);
  std::promise<void> drained;
  thread_.Do([&] {
    gateway_->Drain();
    server_->Drain([&] { drained.set_value(); });
  });
  EXPECT_EQ(client.ReadTo(FrameType::kGoAway, 0).first_word(), 1U);
  client.raw().ReadToEnd();
  client.raw().Close();
  EXPECT_EQ(drained.get_future().wait_for(seconds(10)), std::future_status::ready);
}

TEST_F(Http2ChatTest, BeginsNoTurnForBodiesThatAreCompleteBehindTheDrain) {
  Start({Script().Text("one").TurnEnded()});
  FrameClient client(port_);
  client.Ask(1, "/v1/chat/completions", "POST", 0);
  client.Send(FrameScript::Data(1, "{"));
  client.Ask(3, "/healthz");
  client.ReadBody(3);  // so that the request before it was read
  RawClient old(port_);
  const std::string request = Post("/v1/chat/completions", "{}", "Expect: 100-continue\r\n");
  old.Send(request.substr(0, request.size() - 2));
  old.ReadUntil("100 Continue\r\n\r\n");
  std::promise<void> drained;
  thread_.Do([&] {
    gateway_->Drain();
    server_->Drain([&] { drained.set_value(); });
  });
  EXPECT_EQ(client.ReadTo(FrameType::kHeaders, 1).headers.Get(":status"), "503");
  EXPECT_THAT(client.ReadBody(1), HasSubstr("shutting_down"));
  EXPECT_THAT(old.ReadToEnd(), HasSubstr("shutting_down"));
  client.Send(FrameScript::Data(1, "}", kFlagEndStream));
  client.raw().ReadToEnd();
  client.raw().Close();
  old.Close();
  EXPECT_EQ(drained.get_future().wait_for(seconds(10)), std::future_status::ready);
  EXPECT_EQ(upstream_->runs_ended(), 0U);
}

TEST_F(Http2ChatTest, RefusesABodyThatIsCompleteBeforeTheServerDrains) {
  Start({Script().Text("one").TurnEnded()});
  FrameClient client(port_);
  client.Ask(1, "/v1/chat/completions", "POST", 0);
  client.Ask(3, "/healthz");
  client.ReadBody(3);
  thread_.Do([&] { gateway_->Drain(); });
  client.Send(FrameScript::Data(1, "{}", kFlagEndStream));
  EXPECT_THAT(client.ReadBody(1), HasSubstr("shutting_down"));
}

}  // namespace
}  // namespace cursor_gateway
