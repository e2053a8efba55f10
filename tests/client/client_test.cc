#include "cursorwire/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/interceptor.h"
#include "cursorwire/local_upstream.h"
#include "support/chat_outcome.h"
#include "support/scratch_home.h"
#include "support/status_matchers.h"
#include "support/test_server.h"
#include "support/thread_signals.h"

namespace cursorwire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Client, NeedsAToken) {
  const ScratchHome home;
  const auto client = Client::Create({.endpoint = "https://localhost:1"});
  EXPECT_THAT(client,
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("CURSOR_ACCESS_TOKEN")));
}

TEST(Client, TakesTheTokenOfTheEnvironment) {
  const ScratchHome home;
  home.Set("CURSOR_ACCESS_TOKEN", "from-the-environment");
  EXPECT_TRUE(Client::Create({.endpoint = "https://localhost:1"}).ok());
}

TEST(Client, LooksForALoginWhereItIsTold) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson(TokenOf("ann", std::chrono::hours(1))));
  ClientOptions options{.endpoint = "https://localhost:1"};
  EXPECT_TRUE(Client::Create(options).ok());
  options.token_places = {CredentialPlace::kEnvironment};
  EXPECT_THAT(Client::Create(options), StatusIs(absl::StatusCode::kUnauthenticated));
  options.token_places = {};
  EXPECT_THAT(Client::Create(options),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("token_places")));
  options.token = "of-the-caller";
  EXPECT_TRUE(Client::Create(options).ok());
}

// What a program needs that includes client.h alone.
TEST(Client, MakesAConversation) {
  const auto client = Client::Create({.endpoint = "https://localhost:1", .token = "t"});
  ASSERT_TRUE(client.ok()) << client.status();
  Conversation talk = client->NewConversation();
  EXPECT_TRUE(talk.history().empty());
}

TEST(Client, RefusesATokenThatIsNoHeaderValueAndDoesNotQuoteIt) {
  const auto client = Client::Create({.endpoint = "https://localhost:1", .token = "secret\nx: y"});
  EXPECT_THAT(client, StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))));
}

TEST(Client, RefusesAClientVersionThatIsNoHeaderValue) {
  EXPECT_THAT(
      Client::Create(
          {.endpoint = "https://localhost:1", .token = "t", .client_version = "cli-1\nx: y"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("the client version must be 1 to 100 visible ASCII")));
}

// Keeps what each call says that the client is.
class VersionReader final : public connect::Interceptor {
 public:
  absl::Status OnRequest(const connect::CallRecord&, connect::Headers& headers) override {
    for (const auto& [name, value] : headers) {
      if (name == "x-cursor-client-version") versions.insert(std::string(value));
    }
    return absl::OkStatus();
  }
  std::set<std::string> versions{};  // used while no call is under way
};

TEST(Client, TellsItsVersionOrThatOfTheEnvironment) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  ::setenv("CURSORWIRE_CLIENT_VERSION", "cli-2026.11.11-abcdef0", 1);
  for (const std::string named : {"", "cli-2026.12.12-fedcba9"}) {
    const auto reader = std::make_shared<VersionReader>();
    const auto client =
        Client::Create({.endpoint = upstream.url(),
                        .token = "t",
                        .channel = {.tls = {.ca_pem = upstream.ca_pem()}, .interceptors = {reader}},
                        .client_version = named});
    ASSERT_THAT(client, IsOk());
    EXPECT_THAT(client->Chat({.prompt = "hi"}).Collect(), IsOk());
    EXPECT_THAT(reader->versions, ElementsAre(named.empty() ? "cli-2026.11.11-abcdef0" : named));
  }
  ::unsetenv("CURSORWIRE_CLIENT_VERSION");
}

TEST(Client, RefusesNegativeTimes) {
  ClientOptions options{.endpoint = "https://localhost:1", .token = "t"};
  options.heartbeat_interval = std::chrono::milliseconds(-1);
  EXPECT_THAT(Client::Create(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr("heartbeat_interval must not be")));
  options.heartbeat_interval = {};
  options.channel.http2.connect_timeout = std::chrono::milliseconds(-1);
  EXPECT_THAT(Client::Create(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr("connect_timeout must not be")));
}

TEST(Client, RefusesBrokenCertificates) {
  EXPECT_THAT(
      Client::Create(
          {.endpoint = "https://localhost:1", .token = "t", .channel = {.tls = {.ca_pem = "x"}}}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("certificate")));
}

TEST(Client, TellsOfARefusedConnection) {
  // A port that was free a moment ago, and that nobody listens on.
  const std::string url = LocalUpstream::Start()->url();
  auto client = Client::Create({.endpoint = url, .token = "t"});
  ASSERT_TRUE(client.ok());
  ChatStream stream = client->Chat({.prompt = "hi"});
  const auto element = stream.Next();
  ASSERT_TRUE(element.has_value());
  EXPECT_THAT(*element, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connection refused")));
  EXPECT_TRUE(connect::GetErrorInfo(element->status())->replay_safe);
  EXPECT_FALSE(stream.Next().has_value());
}

TEST(Client, TrustsNoCertificateOfAStranger) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  const LocalUpstream other = *LocalUpstream::Start();
  auto client = Client::Create({.endpoint = upstream.url(),
                                .token = "secret-token",
                                .channel = {.tls = {.ca_pem = other.ca_pem()}}});
  ASSERT_TRUE(client.ok());
  const auto element = client->Chat({.prompt = "hi"}).Next();
  ASSERT_TRUE(element.has_value());
  EXPECT_THAT(*element, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("not trusted")));
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST(Client, AndLocalUpstreamLeaveSignalsToTheThreadsOfTheProgram) {
  const std::set<int> before = test::Threads();
  const LocalUpstream upstream = *LocalUpstream::Start();
  auto client = Client::Create({.endpoint = upstream.url(),
                                .token = "t",
                                .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(test::ExpectNoSignalsFor(before, 2), 2);
}

TEST(Client, ReconnectsForTheNextTurn) {
  std::optional<LocalUpstream> upstream = *LocalUpstream::Start();
  auto client = Client::Create({.endpoint = upstream->url(),
                                .token = "t",
                                .channel = {.tls = {.ca_pem = upstream->ca_pem()}}});
  ASSERT_TRUE(client.ok());
  for (int i = 0; i < 2; ++i) {
    ChatOutcome outcome;
    ChatStream stream = client->Chat({.prompt = "hi"});
    while (const auto element = stream.Next()) outcome.Add(*element);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  }
}

TEST(ChatStream, IsARangeWhoseLastElementIsTheError) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  auto client = Client::Create({.endpoint = upstream.url(),
                                .token = "t",
                                .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_TRUE(client.ok());
  std::string text;
  for (const auto& event : client->Chat({.prompt = "as a range"})) {
    ASSERT_TRUE(event.ok()) << event.status();
    if (const auto* delta = event->As<TextDelta>()) text += delta->text;
  }
  EXPECT_THAT(text, HasSubstr("as a range"));
}

enum class GivenUp { kStreamThenClient, kDeadline, kSilence, kCancelThenClient };

// False if the turn ended before the service had said anything: it may not have begun it.
bool GiveUp(GivenUp way, std::chrono::milliseconds patience) {
  LocalUpstreamOptions options;
  options.scripts = {Script().Text("a").ExpectCancel().ExpectHalfClose()};
  const LocalUpstream upstream = *LocalUpstream::Start(options);
  std::optional<Client> client =
      *Client::Create({.endpoint = upstream.url(),
                       .token = "t",
                       .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ChatRequest request{.prompt = "hi"};
  if (way == GivenUp::kDeadline) request.timeout = patience;
  if (way == GivenUp::kSilence) request.idle_timeout = patience;
  {
    ChatStream stream = client->Chat(request);
    const auto first = stream.Next();
    if (!first || !first->ok()) return false;
    if (way == GivenUp::kCancelThenClient) stream.Cancel();
    while (way == GivenUp::kDeadline || way == GivenUp::kSilence) {
      if (!stream.Next().has_value()) break;
    }
  }
  client.reset();
  EXPECT_TRUE(upstream.WaitForRuns(1, std::chrono::seconds(30)));
  EXPECT_THAT(upstream.violations(), IsEmpty());
  return true;
}

// Each way of giving up tells the service, also where the client itself is gone a moment later.
TEST(ChatStream, TellsTheServiceHoweverItIsGivenUp) {
  for (const GivenUp way : {GivenUp::kStreamThenClient, GivenUp::kDeadline, GivenUp::kSilence,
                            GivenUp::kCancelThenClient}) {
    auto patience = std::chrono::milliseconds(200);
    for (int i = 0; i < 10; ++i) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(way) << ", " << i);
      while (!GiveUp(way, patience)) {
        ASSERT_LT(patience, std::chrono::minutes(1));
        patience *= 2;
      }
    }
  }
}

TEST(ChatStream, CancelEndsABlockedReaderFromAnotherThread) {
  // So slow that the first word is said and the second never.
  const LocalUpstream upstream = *LocalUpstream::Start({.word_interval = std::chrono::hours(1)});
  auto client = Client::Create({.endpoint = upstream.url(),
                                .token = "t",
                                .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_TRUE(client.ok());
  ChatStream stream = client->Chat({.prompt = "hi"});
  std::thread canceller;
  absl::Status last;
  while (const auto element = stream.Next()) {
    last = element->status();
    if (element->ok() && (*element)->As<TextDelta>() != nullptr && !canceller.joinable()) {
      canceller = std::thread([&stream] { stream.Cancel(); });
    }
  }
  ASSERT_TRUE(canceller.joinable());
  canceller.join();
  EXPECT_EQ(last.code(), absl::StatusCode::kCancelled) << last;
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

// More is unsent than is sent on after: the reset must not wait for that.
TEST(ChatStream, CancelEndsATurnWhoseServerReadsNothing) {
  const TestServer server({.paused = true});
  auto client = Client::Create({.endpoint = server.url(), .token = "t"});
  ASSERT_TRUE(client.ok()) << client.status();
  ChatStream stream = client->Chat({.prompt = std::string(3'000'000, 'x')});
  stream.Cancel();
  const auto last = stream.Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->status().code(), absl::StatusCode::kCancelled) << last->status();
  EXPECT_FALSE(stream.Next().has_value());
}

TEST(ChatStream, MayBeDroppedInTheMiddleAndOutliveItsClient) {
  const LocalUpstream upstream = *LocalUpstream::Start({.word_interval = std::chrono::hours(1)});
  std::optional<ChatStream> survivor;
  {
    auto client = Client::Create({.endpoint = upstream.url(),
                                  .token = "t",
                                  .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
    ASSERT_TRUE(client.ok());
    { ChatStream dropped = client->Chat({.prompt = "dropped"}); }
    survivor = client->Chat({.prompt = "survivor"});
    ASSERT_TRUE(survivor->Next().has_value());
  }
  absl::Status last;
  while (const auto element = survivor->Next()) last = element->status();
  EXPECT_EQ(last.code(), absl::StatusCode::kCancelled) << last;
}

TEST(Client, ServesManyTurnsAtOnceFromManyThreads) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  auto client = Client::Create({.endpoint = upstream.url(),
                                .token = "t",
                                .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_TRUE(client.ok());
  std::vector<std::thread> threads;
  std::vector<std::string> texts(8);
  for (size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([&, i] {
      for (const auto& event : client->Chat({.prompt = "thread " + std::to_string(i)})) {
        if (!event.ok()) texts[i] = event.status().ToString();
        if (!event.ok()) return;
        if (const auto* delta = event->As<TextDelta>()) texts[i] += delta->text;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_THAT(texts[i], HasSubstr("\"thread " + std::to_string(i) + "\""));
  }
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::test
