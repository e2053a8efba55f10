#include <arpa/inet.h>
#include <cursorwire/local_upstream.h>
#include <cursorwire/script.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/gateway/chat_client.h"
#include "apps/gateway/gateway_process.h"
#include "apps/gateway/raw_client.h"
#include "running_gateway.h"
#include "support/scratch_folder.h"
#include "support/sweep.h"

namespace cursor_gateway {
namespace {

using cursorwire::LocalUpstream;
using cursorwire::Script;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kDrainTime{20};
// A stop that takes longer hangs.
constexpr seconds kPatience = kDrainTime + kLastAnswers + kLastWrites + seconds(10);
constexpr char kFields[] = "Authorization: Bearer a-key-of-a-test\r\n";
constexpr int kMaxYields = 400;

enum class Turn { kPlain, kLate, kParked, kApproval, kEndless };
enum class Moment { kAsked, kBegun, kAnswered, kLeft };
constexpr size_t kMoments = 4;
constexpr std::array kTurns = {Turn::kPlain, Turn::kLate, Turn::kParked, Turn::kApproval,
                               Turn::kEndless};

std::string Prompt(Turn turn) {
  switch (turn) {
    case Turn::kPlain:
      return "plain";
    case Turn::kLate:
      return "late";
    case Turn::kParked:
      return "parked";
    case Turn::kApproval:
      return "approval";
    case Turn::kEndless:
      return "endless";
  }
  return "";
}

std::vector<Script> Scripts() {
  const auto when = [](Turn turn) { return Script().WhenPrompt("\"" + Prompt(turn) + "\""); };
  return {when(Turn::kPlain).Text("one ").Text("two").TurnEnded(),
          when(Turn::kLate).Text("a").TurnEnded().Wait(milliseconds(400)).Checkpoint("{}"),
          when(Turn::kParked).Text("let me see").CallTool("get_weather").Text("done").TurnEnded(),
          when(Turn::kApproval)
              .Text("I write")
              .Exec(R"({"write_args": {"path": "a.txt", "file_text": "new", "tool_call_id": "w"}})")
              .Text("ok")
              .TurnEnded(),
          when(Turn::kEndless).Text("more").Stall()};
}

struct Round {
  Turn turn = Turn::kPlain;
  Moment moment = Moment::kAsked;
  int yields = 0;
};

// Of any twenty in a row, each has another turn or another moment; chance says what follows that.
// An endless turn is only stopped by its client: otherwise it would take the whole drain time.
Round Draw(size_t number, std::mt19937& random) {
  Round round{.turn = kTurns[number % kTurns.size()],
              .moment = static_cast<Moment>(number / kTurns.size() % kMoments),
              .yields = static_cast<int>(random() % kMaxYields)};
  if (round.turn == Turn::kEndless) round.moment = Moment::kLeft;
  if (round.turn == Turn::kApproval && round.moment == Moment::kAnswered) {
    round.moment = Moment::kBegun;  // nobody answers the question
  }
  return round;
}

std::string RequestOf(Turn turn) {
  json more = json::object({{"stream", true}});
  if (turn == Turn::kApproval) {
    more["tools"] = json::object({{"write", json::object({{"requireApproval", true}})}});
    return Post("/api/v1/chat/completions",
                ChatBody(json::array({UserSays(Prompt(turn))}), more).dump(), kFields);
  }
  if (turn == Turn::kParked) more["tools"] = json::array({Function("get_weather")});
  return Post("/v1/chat/completions", ChatBody(json::array({UserSays(Prompt(turn))}), more).dump(),
              kFields);
}

// Returns at the moment of the round. The client stays until it is destroyed, or has left.
void Play(const Round& round, RawClient& client) {
  client.Send(RequestOf(round.turn));
  switch (round.moment) {
    case Moment::kAsked:
      break;
    case Moment::kBegun:
      client.ReadUntil(round.turn == Turn::kApproval ? "approval_required" : "data:");
      break;
    case Moment::kAnswered:
      client.ReadUntil("[DONE]");
      break;
    case Moment::kLeft:
      client.ReadUntil("data:");
      client.Close();
      break;
  }
  for (int i = 0; i < round.yields; ++i) std::this_thread::yield();
}

std::ostream& operator<<(std::ostream& out, const Round& round) {
  return out << Prompt(round.turn) << ", moment " << static_cast<int>(round.moment) << ", "
             << round.yields << " yields";
}

class StopTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = LocalUpstream::Start(
        {.security = cursorwire::connect::Security::kPlaintext, .scripts = Scripts()});
    ASSERT_TRUE(started.ok()) << started.status();
    upstream_ = *std::move(started);
  }

  RunningGateway::Parts PartsOf(milliseconds drain_time) const {
    const cursorwire::ClientOptions client_options{
        .endpoint = upstream_->url(), .api_endpoint = upstream_->url(), .token = "any"};
    auto client = cursorwire::Client::Create(client_options);
    EXPECT_TRUE(client.ok()) << client.status();
    RunningGateway::Parts parts{.client = *std::move(client), .drain_time = drain_time};
    parts.options.documents.workspace = folder_.path();
    parts.options.documents.allow = {.write = true};
    parts.options.documents.make_client = [client_options](auto actions) {
      cursorwire::ClientOptions with_handlers = client_options;
      with_handlers.exec_handler = std::move(actions);
      return cursorwire::Client::Create(std::move(with_handlers));
    };
    return parts;
  }

  // Serves in a thread of its own until it is told to drain.
  class Serving {
   public:
    explicit Serving(RunningGateway::Parts parts) {
      std::promise<RunningGateway*> started;
      thread_ = std::thread([this, &started, &parts] {
        {
          RunningGateway running;
          const absl::Status status = running.Start(std::move(parts));
          EXPECT_TRUE(status.ok()) << status;
          started.set_value(&running);
          running.Run();
        }
        ended_.set_value();
      });
      running_ = started.get_future().get();
    }
    ~Serving() { thread_.join(); }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

    uint16_t port() const { return running_->port(); }
    // The client reads the rest of its answer, and leaves. False: the gateway hangs.
    bool Stop(RawClient& client) {
      running_->loop().Post([this] { running_->Drain(); });
      rest_ = client.ReadToEnd();
      client.Close();
      return HasEnded();
    }
    // The client stays and does not read.
    bool StopBefore() {
      running_->loop().Post([this] { running_->Drain(); });
      return HasEnded();
    }
    const std::string& rest() const { return rest_; }

   private:
    bool HasEnded() { return ended_.get_future().wait_for(kPatience) == std::future_status::ready; }

    std::string rest_;
    std::promise<void> ended_;
    RunningGateway* running_ = nullptr;  // until it has ended
    std::thread thread_;
  };

  cursorwire::test::ScratchFolder folder_;
  std::optional<LocalUpstream> upstream_;
};

// A thousand stops, in parts, or a slice of them.
class StopPartTest : public StopTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Parts, StopPartTest, ::testing::Range(0, 4));

TEST_P(StopPartTest, EndsAtRandomMomentsOfATurn) {
  constexpr unsigned kThreads = 4;
  const size_t rounds = 64 / cursorwire::test::SweepStride(4);  // of each thread
  const unsigned part = static_cast<unsigned>(GetParam()) * kThreads;
  const unsigned seed = cursorwire::test::SweepSeed();
  std::cout << "seed " << seed << std::endl;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, rounds, seed, number = part + i] {
      std::mt19937 random(seed + number);
      for (size_t n = 0; n < rounds; ++n) {
        const Round round = Draw(number * rounds + n, random);
        Serving serving(PartsOf(kDrainTime));
        RawClient client(serving.port());
        Play(round, client);
        if (serving.Stop(client)) continue;
        ADD_FAILURE() << "seed " << seed << ", thread " << number << ", round " << n << ": "
                      << round;
        std::abort();  // the thread of the gateway would be waited for forever
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(StopTest, EndsAsAProcessAtRandomMomentsOfATurn) {
  const size_t rounds = 40 / cursorwire::test::SweepStride(2);
  const unsigned seed = cursorwire::test::SweepSeed();
  std::cout << "seed " << seed << std::endl;
  std::mt19937 random(seed);
  const std::string keys = folder_.path() + "/keys";
  std::ofstream(keys) << "a-key-of-a-test\n";
  for (size_t n = 0; n < rounds; ++n) {
    const Round round = Draw(n, random);
    std::vector<std::string> options = {
        "--endpoint", upstream_->url(), "--workspace", folder_.path(),
        "--allow",    "write",          "--key-file",  keys};
    if (random() % 3 == 0) {
      options.emplace_back("--state");
      options.push_back(folder_.path() + "/.state");
    }
    GatewayProcess process(options);
    RawClient client(process.port());
    Play(round, client);
    std::thread reader([&client] {
      client.ReadToEnd();
      client.Close();
    });
    EXPECT_EQ(process.End(random() % 2 == 0 ? SIGTERM : SIGINT), 0)
        << "round " << n << ": " << round;
    reader.join();
  }
}

TEST_F(StopTest, EndsTurnsAtTheEndOfTheDrainTime) {
  Serving serving(PartsOf(milliseconds(1)));
  RawClient client(serving.port());
  client.Send(RequestOf(Turn::kEndless));
  client.ReadUntil("data:");
  EXPECT_TRUE(serving.Stop(client));
  EXPECT_NE(serving.rest().find("shutting_down"), std::string::npos);
}

TEST_F(StopTest, EndsDocumentsWithTheSameError) {
  Serving serving(PartsOf(milliseconds(1)));
  RawClient client(serving.port());
  client.Send(
      Post("/api/v1/chat/completions",
           ChatBody(json::array({UserSays(Prompt(Turn::kEndless))}), {{"stream", true}}).dump()));
  client.ReadUntil("data:");
  EXPECT_TRUE(serving.Stop(client));
  EXPECT_NE(serving.rest().find(R"("errorCode":"shutting_down")"), std::string::npos)
      << serving.rest();
}

// A port that takes connections, in the kernel, and says nothing.
class SilentPort {
 public:
  SilentPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, generic, size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, generic, &size), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentPort() { ::close(socket_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  const std::string& url() const { return url_; }

 private:
  const int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string url_;
};

TEST_F(StopTest, EndsRequestsThatWaitForTheModels) {
  const SilentPort silent;
  RunningGateway::Parts parts = PartsOf(milliseconds(1));
  auto client =
      cursorwire::Client::Create({.endpoint = silent.url(), .api_endpoint = "", .token = "any"});
  ASSERT_TRUE(client.ok()) << client.status();
  parts.client = *std::move(client);
  Serving serving(std::move(parts));
  RawClient lists(serving.port());
  lists.Send(Get("/v1/models"));
  RawClient asks(serving.port());
  json body = ChatBody(json::array({UserSays("hi")}), {{"reasoning_effort", "high"}});
  asks.Send(Post("/v1/chat/completions", body.dump()));
  // Both have come once one after them has its answer.
  RawClient healthy(serving.port());
  healthy.Send(Get("/healthz"));
  EXPECT_NE(healthy.ReadResponse().find("200 OK"), std::string::npos);
  healthy.Close();
  EXPECT_TRUE(serving.StopBefore());
  for (RawClient* waiting : {&lists, &asks}) {
    EXPECT_NE(waiting->ReadToEnd().find("shutting_down"), std::string::npos);
  }
}

TEST_F(StopTest, DeniesOpenQuestionsWithAReason) {
  upstream_.reset();
  auto started = LocalUpstream::Start(
      Script()
          .Exec(R"({"write_args": {"path": "a.txt", "file_text": "new", "tool_call_id": "w"}})")
          .Expect(
              R"({"write_result": {"rejected": {"reason": {"$contains": "gateway is ending"}}}})")
          .Text("I would write")
          .TurnEnded(),
      {.security = cursorwire::connect::Security::kPlaintext});
  ASSERT_TRUE(started.ok()) << started.status();
  upstream_ = *std::move(started);
  Serving serving(PartsOf(kDrainTime));
  RawClient client(serving.port());
  client.Send(RequestOf(Turn::kApproval));
  client.ReadUntil("approval_required");
  EXPECT_TRUE(serving.Stop(client));
  EXPECT_NE(serving.rest().find("I would write"), std::string::npos);
  EXPECT_TRUE(upstream_->violations().empty()) << upstream_->violations().front();
}

TEST_F(StopTest, IsNotHeldByAClientThatDoesNotRead) {
  constexpr size_t kMiB = size_t{1} << 20;
  const std::string text(kMiB, 'x');
  Script script;
  for (int i = 0; i < 16; ++i) script.Text(text);  // more than the sockets take
  upstream_.reset();
  auto started = LocalUpstream::Start(script.TurnEnded(),
                                      {.security = cursorwire::connect::Security::kPlaintext});
  ASSERT_TRUE(started.ok()) << started.status();
  upstream_ = *std::move(started);
  Serving serving(PartsOf(milliseconds(1)));
  RawClient client(serving.port());
  client.Send(RequestOf(Turn::kPlain));
  EXPECT_NE(client.ReadUntil("\"content\"").find("200 OK"), std::string::npos);
  EXPECT_TRUE(serving.StopBefore());
}

}  // namespace
}  // namespace cursor_gateway
