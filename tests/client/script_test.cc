#include "cursorwire/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "support/chat_outcome.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Scripts over sockets and TLS, with a client of the library.
class Scripted {
 public:
  explicit Scripted(LocalUpstreamOptions options) : upstream_(*LocalUpstream::Start(options)) {}
  explicit Scripted(const Script& script) : upstream_(*LocalUpstream::Start(script)) {}

  ChatOutcome Ask(const ChatRequest& request = {.prompt = "hi"}) {
    auto client = Client::Create({.endpoint = upstream_.url(),
                                  .token = "t",
                                  .channel = {.tls = {.ca_pem = upstream_.ca_pem()}},
                                  .retry = {.max_retries = 0}});
    EXPECT_TRUE(client.ok()) << client.status();
    ChatOutcome outcome;
    ChatStream stream = client->Chat(request);
    while (const auto element = stream.Next()) outcome.Add(*element);
    return outcome;
  }
  LocalUpstream& upstream() { return upstream_; }

 private:
  LocalUpstream upstream_;
};

TEST(ScriptOverLoopback, PlaysAnAnswer) {
  Scripted scripted(Script().Text("Hel").Text("lo").TurnEnded(R"({"output_tokens":2})"));
  const ChatOutcome outcome = scripted.Ask();
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "Hello");
  EXPECT_EQ(outcome.usage->output_tokens, 2);
  EXPECT_TRUE(scripted.upstream().WaitForRuns(1, kPatience));
  EXPECT_EQ(scripted.upstream().runs_ended(), 1u);
  EXPECT_THAT(scripted.upstream().violations(), IsEmpty());
}

TEST(ScriptOverLoopback, EndsInEveryWay) {
  using Code = absl::StatusCode;
  struct Case {
    const char* name;
    Script script;
    Code code;
    const char* message;
  };
  const Script half = Script().Text("Half");
  const Case cases[] = {
      {"error",
       Script(half).Error("not_found", "Error",
                          {{.error = "ERROR_BAD_MODEL_NAME", .title = "No model", .detail = "x"}}),
       Code::kNotFound, "No model: x"},
      {"HTTP status", Script().HttpStatus(503, "down"), Code::kUnavailable, "503: down"},
      {"another content type", Script().ResponseHeaders(R"({"content-type":"text/html"})").Finish(),
       Code::kUnknown, ""},
      {"no turn_ended", Script(half).EndStream().Finish(), Code::kUnavailable, "complete"},
      {"no end-stream", Script(half).Finish(), Code::kUnavailable, "lost before the end"},
      {"drop", Script(half).Drop(), Code::kUnavailable, ""},
      {"drop by reset", Script(half).DropReset(), Code::kUnavailable, ""},
      {"RST_STREAM", Script(half).Reset("ENHANCE_YOUR_CALM"), Code::kResourceExhausted,
       "ENHANCE_YOUR_CALM"},
      {"GOAWAY", Script().GoAwayBefore().ExpectDisconnect(), Code::kUnavailable, "did not process"},
      {"compressed", Script(half).Text("x").Gzip().Stall(), Code::kInternal, "compress"},
      {"a body of no envelopes", Script().RawBody("<html>").Finish(), Code::kResourceExhausted,
       "over the limit"},
      {"a body that ends in an envelope", Script().RawBody("abc").Finish(), Code::kInternal, ""},
      {"long envelope", Script().Envelope(0, "x", 0xFFFFFFFF).Stall(), Code::kResourceExhausted,
       "over the limit"},
      {"broken frame", Script(half).RawConnection(std::string("\0\0\1\3\0\0\0\0\0x", 10)).Stall(),
       Code::kInternal, "HTTP/2"},
      {"bytes after the end", Script().EndStream().Text("late"), Code::kInternal, "after"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Scripted scripted(c.script);
    const ChatOutcome outcome = scripted.Ask();
    EXPECT_THAT(outcome.status, StatusIs(c.code, HasSubstr(c.message)));
    EXPECT_TRUE(scripted.upstream().WaitForRuns(1, kPatience));
    EXPECT_THAT(scripted.upstream().violations(), IsEmpty());
  }
}

TEST(ScriptOverLoopback, StallsUntilTheClientGivesUp) {
  Scripted scripted(Script().Text("Half").Stall());
  const ChatOutcome outcome = scripted.Ask({.prompt = "hi", .idle_timeout = milliseconds(1000)});
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(outcome.text, "Half");
  EXPECT_TRUE(scripted.upstream().WaitForRuns(1, kPatience));
  EXPECT_THAT(scripted.upstream().violations(), IsEmpty());
}

TEST(ScriptOverLoopback, GoesOnBehindAGoAwayThatAllowsIt) {
  Scripted scripted(Script().Text("a").GoAway().Text("b").TurnEnded());
  const ChatOutcome outcome = scripted.Ask();
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "ab");
}

TEST(ScriptOverLoopback, SendsInPieces) {
  const std::string long_text(20'000, 'x');
  constexpr size_t kSizes[] = {1, 3, 16'384, 100'000};
  for (const size_t bytes : kSizes) {
    SCOPED_TRACE(bytes);
    Scripted scripted(
        Script().Text("a").Split(bytes).Text(long_text).Split(0).Text("b").TurnEnded());
    const ChatOutcome outcome = scripted.Ask();
    EXPECT_THAT(outcome.status, IsOk());
    EXPECT_EQ(outcome.text, "a" + long_text + "b");
  }
}

TEST(ScriptOverLoopback, PlaysTheNthScriptAndTheLastAgain) {
  Scripted scripted(LocalUpstreamOptions{
      .scripts = {Script().Text("one").TurnEnded(),
                  Script().WhenPrompt(R"({"$contains":"weather"})").Text("rain").TurnEnded(),
                  Script().HttpStatus(503), Script().Text("three").TurnEnded()}});
  EXPECT_EQ(scripted.Ask().text, "one");
  EXPECT_EQ(scripted.Ask({.prompt = "What is the weather?"}).text, "rain");
  EXPECT_THAT(scripted.Ask().status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(scripted.Ask().text, "three");
  EXPECT_EQ(scripted.Ask().text, "three");
}

TEST(ScriptOverLoopback, RefusesAPromptThatNoScriptIsFor) {
  Scripted scripted(Script().WhenPrompt("\"other\"").Text("a"));
  EXPECT_THAT(scripted.Ask().status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(scripted.upstream().violations(), ElementsAre("no script is for this prompt"));
}

TEST(ScriptOverLoopback, FailsLoudly) {
  Scripted scripted(Script().ExpectRequest(
      R"({"action":{"user_message_action":{"user_message":{"text":"other"}}}})"));
  EXPECT_THAT(scripted.Ask().status,
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("step 1 (expect_request)")));
  EXPECT_THAT(scripted.upstream().violations(),
              ElementsAre(HasSubstr("user_message.text: expected \"other\", got \"hi\"")));
}

TEST(ScriptOverLoopback, SeesTheCancelOfTheClient) {
  Scripted scripted(Script().Text("a").ExpectCancel().ExpectHalfClose());
  auto client = Client::Create({.endpoint = scripted.upstream().url(),
                                .token = "t",
                                .channel = {.tls = {.ca_pem = scripted.upstream().ca_pem()}}});
  ASSERT_TRUE(client.ok());
  ChatStream stream = client->Chat({.prompt = "hi"});
  ASSERT_TRUE(stream.Next().has_value());
  stream.Cancel();
  const auto last = stream.Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(*last, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_TRUE(scripted.upstream().WaitForRuns(1, kPatience));
  EXPECT_THAT(scripted.upstream().violations(), IsEmpty());
}

TEST(LocalUpstream, RefusesABadScript) {
  EXPECT_THAT(LocalUpstream::Start(Script().Text("a").Exec(R"({"reed_args":{}})")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("step 2 (exec)")));
}

TEST(LocalUpstream, SaysThatAPortIsInUse) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  const std::string url = upstream.url();
  const auto port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  EXPECT_THAT(LocalUpstream::Start({.port = port}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("address already in use")));
}

TEST(LocalUpstream, WaitsNoLongerThanItIsTold) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  EXPECT_FALSE(upstream.WaitForRuns(1, milliseconds(1)));
  EXPECT_TRUE(upstream.WaitForRuns(0, milliseconds(0)));
}

}  // namespace
}  // namespace cursorwire::test
