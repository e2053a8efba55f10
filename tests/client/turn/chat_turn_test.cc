// Turns that lose their connection and go on, over loopback sockets.
#include "client/turn/chat_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "client/resumable_agent.h"
#include "cursorwire/client.h"
#include "cursorwire/connect/interceptor.h"
#include "cursorwire/conversation.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "support/chat_outcome.h"
#include "support/patience.h"
#include "support/status_matchers.h"
#include "support/sweep.h"
#include "support/test_server.h"

namespace cursorwire::test {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr RetryPolicy kAtOnce{.max_retries = 3, .first_delay = milliseconds(0)};

// Plays scripts to a client that tries again at once.
class Retried {
 public:
  explicit Retried(std::vector<Script> scripts, RetryPolicy retry = kAtOnce)
      : upstream_(*LocalUpstream::Start({.scripts = std::move(scripts)})),
        client_(std::make_unique<Client>(
            *Client::Create({.endpoint = upstream_.url(),
                             .token = "any",
                             .channel = {.tls = {.ca_pem = upstream_.ca_pem()}},
                             .environment = Environment{},
                             .retry = retry}))) {}

  Client& client() { return *client_; }
  LocalUpstream& upstream() { return upstream_; }
  void DestroyClient() { client_.reset(); }
  ChatOutcome Ask(const ChatRequest& request = {.prompt = "p"}) {
    ChatOutcome outcome;
    ChatStream stream = client_->Chat(request);
    while (const auto event = stream.Next()) outcome.Add(*event);
    return outcome;
  }

 private:
  LocalUpstream upstream_;
  std::unique_ptr<Client> client_;
};

TEST(ChatTurn, RepeatsARequestOfWhichNothingCame) {
  Retried turn({Script().Thinking("hm").Drop(),
                Script()
                    .ExpectRequest(R"({"action": {"user_message_action": {"user_message":
                        {"text": "p"}}}})")
                    .Text("a")
                    .TurnEnded()});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "a");
  EXPECT_THAT(outcome.retries, ElementsAre(RetryKind::kRepeat));
  EXPECT_THAT(turn.upstream().violations(), IsEmpty());
}

TEST(ChatTurn, ResumesFromTheCheckpointOfTheAttempt) {
  Retried turn({Script().Text("Hello ").CheckpointBytes("\x50\x01").Drop(),
                Script()
                    .ExpectRequest(R"({"action": {"resume_action": {}},
                                       "conversation_state": {"$hex": "5001"}})")
                    .Text("world")
                    .TurnEnded()});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "Hello world");
  EXPECT_THAT(outcome.retries, ElementsAre(RetryKind::kResume));
  EXPECT_THAT(turn.upstream().violations(), IsEmpty());
}

TEST(ChatTurn, LeavesOutTextThatComesAgain) {
  Retried turn({Script().Text("Hello ").CheckpointBytes("\x50\x01").Text("wor").Drop(),
                Script().Text("wo").DropReset(),
                Script().Text("w").Text("orld").Text("!").TurnEnded()});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "Hello world!");
  EXPECT_THAT(outcome.retries, ElementsAre(RetryKind::kResume, RetryKind::kResume));
}

TEST(ChatTurn, EndsWhereTheAnswerGoesOnDifferently) {
  Retried turn({Script().Text("Hello ").CheckpointBytes("\x50\x01").Text("world").Drop(),
                Script().Text("you").ExpectCancel()});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("other words")));
  EXPECT_EQ(outcome.text, "Hello world");
  EXPECT_EQ(outcome.terminal_elements, 1);
}

// A call between two texts is shown again, too: it does not hide that the text after it is.
TEST(ChatTurn, LeavesOutTextAroundACallThatComesAgain) {
  constexpr char kStarted[] = R"({"call_id": "c", "tool_call": {"mcp_tool_call": {}}})";
  const auto lost = [&kStarted](Script script) {
    return script.Text("A ").ToolCallStarted(kStarted).Text("B ");
  };
  Retried turn(
      {lost(Script().CheckpointBytes("\x50\x01")).Drop(), lost(Script()).Text("C").TurnEnded()});
  EXPECT_EQ(turn.Ask().text, "A B C");
  Retried before({Script().ToolCallStarted(kStarted).CheckpointBytes("\x50\x01").Text("AB").Drop(),
                  Script().ToolCallStarted(kStarted).Text("AB").Text("C").TurnEnded()});
  EXPECT_EQ(before.Ask().text, "ABC");
}

TEST(ChatTurn, EndsWhereACallTakesThePlaceOfTheText) {
  Retried turn({Script().CheckpointBytes("\x50\x01").Text("Hello").Drop(),
                Script()
                    .ToolCallStarted(R"({"call_id": "c", "tool_call": {"mcp_tool_call": {}}})")
                    .ExpectCancel()});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("other words")));
  EXPECT_EQ(outcome.text, "Hello");
}

// Refuses calls from the n-th on, as one whose token cannot be had.
class Refuser final : public connect::Interceptor {
 public:
  explicit Refuser(int from) : from_(from) {}
  absl::Status OnRequest(const connect::CallRecord&, connect::Headers&) override {
    return ++calls_ < from_ ? absl::OkStatus() : TransportError("no token", Replay::kUnsafe);
  }

 private:
  const int from_;
  std::atomic<int> calls_ = 0;
};

TEST(ChatTurn, EndsWhereAnInterceptorRefusesItsCalls) {
  const LocalUpstream upstream = *LocalUpstream::Start(Script().Error("unavailable", "busy"));
  for (const int from : {1, 2, 3}) {
    SCOPED_TRACE(from);
    const Client client =
        *Client::Create({.endpoint = upstream.url(),
                         .token = "any",
                         .channel = {.tls = {.ca_pem = upstream.ca_pem()},
                                     .interceptors = {std::make_shared<Refuser>(from)}},
                         .retry = kAtOnce});
    EXPECT_THAT(client.Chat({.prompt = "p"}).Collect(),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no token")));
  }
}

TEST(ChatTurn, KeepsTextThatNoCheckpointHolds) {
  Retried turn({Script().Text("Hello").Drop(), Script().Text("again").TurnEnded()});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(outcome.text, "Hello");
  EXPECT_THAT(outcome.retries, IsEmpty());
}

// docs/protocol.md, traps, 12.
TEST(ChatTurn, IsCompleteWhateverFollowsItsEnd) {
  const auto ended = [] { return Script().Text("a").TurnEnded(); };
  for (const Script& script :
       {ended().Drop(), ended().DropReset(), ended().Reset("INTERNAL_ERROR"),
        ended().GoAway().Drop(), ended().Error("unavailable", "Error"), ended().Finish()}) {
    Retried turn({script});
    const ChatOutcome outcome = turn.Ask();
    EXPECT_THAT(outcome.status, IsOk());
    EXPECT_THAT(outcome.retries, IsEmpty());
  }
}

TEST(ChatTurn, IsLostWhereTheStreamEndsWell) {
  Retried turn({Script().EndStream(), Script().Text("a").TurnEnded()});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_THAT(outcome.retries, SizeIs(1));
}

class Counter {
 public:
  // Waits until `go`, if there is one.
  ToolRegistry tools(std::shared_future<void> go = {}) {
    ToolRegistry tools;
    tools.Add({.name = "look"}, [this, go](const ToolCall& call) {
      const int count = ++calls_;
      if (go.valid()) WaitFor(go);
      if (call.stop.stop_requested()) stopped_ = true;
      return ToolResult::Text("r" + std::to_string(count));
    });
    return tools;
  }
  int calls() const { return calls_; }
  bool stopped() const { return stopped_; }

 private:
  std::atomic<int> calls_ = 0;
  std::atomic<bool> stopped_ = false;
};

// Nothing is done in its place, and nothing that was shown is lost where the turn seems to be over.
TEST(ChatTurn, EndsWhereAnythingElseTakesThePlaceOfTheText) {
  constexpr char kCall[] = R"({"call_id": "c", "tool_call": {"mcp_tool_call": {}}})";
  constexpr char kExec[] = R"({"mcp_args": {"name": "look", "tool_call_id": "c"}})";
  const auto shown = [&kCall] {
    return Script().CheckpointBytes("\x50\x01").ToolCallStarted(kCall).Text("Hello");
  };
  const struct {
    const char* name;
    Script second;
  } cases[] = {
      {"an action", Script().Exec(kExec).NoAwait().ExpectCancel()},
      {"the action of a call that is shown again",
       Script().ToolCallStarted(kCall).Text("He").Exec(kExec).NoAwait().ExpectCancel()},
      {"the end of a call that is shown again",
       Script().ToolCallStarted(kCall).ToolCallCompleted(kCall).ExpectCancel()},
      {"the end of the turn", Script().ToolCallStarted(kCall).Text("Hell").TurnEnded()},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Counter counter;
    Retried turn({shown().Drop(), c.second});
    Conversation talk = turn.client().NewConversation();
    ChatOutcome outcome;
    for (const auto& event : talk.Chat({.prompt = "p", .tools = counter.tools()})) {
      outcome.Add(event);
    }
    EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("other words")));
    EXPECT_EQ(outcome.text, "Hello");
    EXPECT_EQ(outcome.terminal_elements, 1);
    EXPECT_EQ(counter.calls(), 0);
    EXPECT_THAT(talk.history(), ElementsAre(HistoryTurn{.prompt = "p",
                                                        .items = {HistoryText{"Hello"}},
                                                        .ending = TurnEnding::kInterrupted}));
    EXPECT_THAT(turn.upstream().violations(), IsEmpty());
  }
}

constexpr char kTold[] = R"({"action": {"user_message_action": {"user_message":
    {"text": {"$contains": "Continue exactly where you left off"}}}},
    "conversation_state": {"$as": {"ConversationStateStructure":
        {"root_prompt_messages_json": {"$size": 4}, "turns": {"$size": 0}}}}})";

TEST(ChatTurn, TellsTheResultOfAToolThatNoCheckpointHolds) {
  Counter counter;
  Retried turn({Script().Text("I look. ").CallTool("look").ExpectToolResult().Drop(),
                Script()
                    .ExpectRequest(kTold)
                    .GetRootPromptBlob(1)
                    .Expect(R"({"blob_data": {"$text": {"$contains": "<user_query>\\np\\n"}}})")
                    .GetRootPromptBlob(2)
                    .Expect(R"({"blob_data": {"$text": {"$contains": "I look. "}}})")
                    .GetRootPromptBlob(3)
                    .Expect(R"({"blob_data": {"$text": {"$contains": "\"result\":\"r1\""}}})")
                    .Text("It is r1.")
                    .TurnEnded()});
  const ChatOutcome outcome = turn.Ask({.prompt = "p", .tools = counter.tools()});
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "I look. It is r1.");
  EXPECT_THAT(outcome.retries, ElementsAre(RetryKind::kContinue));
  EXPECT_EQ(counter.calls(), 1);
  EXPECT_THAT(turn.upstream().violations(), IsEmpty());
}

TEST(ChatTurn, WaitsForAToolThatRunsAsTheConnectionIsLost) {
  Counter counter;
  std::promise<void> go;
  Retried turn({Script().CallTool("look").NoAwait().Wait(milliseconds(20)).Drop(),
                Script()
                    .GetRootPromptBlob(3)
                    .Expect(R"({"blob_data": {"$text": {"$contains": "\"result\":\"r1\""}}})")
                    .Text("It is r1.")
                    .TurnEnded()});
  ChatStream stream =
      turn.client().Chat({.prompt = "p", .tools = counter.tools(go.get_future().share())});
  ChatOutcome outcome;
  while (outcome.retries.empty()) {
    const auto event = stream.Next();
    ASSERT_TRUE(event.has_value());
    outcome.Add(*event);
  }
  go.set_value();
  while (const auto event = stream.Next()) outcome.Add(*event);
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "It is r1.");
  EXPECT_EQ(counter.calls(), 1);
  EXPECT_FALSE(counter.stopped());
  EXPECT_THAT(turn.upstream().violations(), IsEmpty());
}

TEST(ChatTurn, AnswersAToolCallThatIsAskedForAgainWithoutUsingItAgain) {
  Counter counter;
  constexpr char kCall[] = R"({"mcp_args": {"name": "look", "tool_call_id": "c"}})";
  // The checkpoint holds the call, and its result is on the way.
  Retried turn({Script().Exec(kCall).CheckpointBytes("\x50\x01").Drop(),
                Script()
                    .ExpectRequest(R"({"action": {"resume_action": {}}})")
                    .Exec(kCall)
                    .Expect(R"({"mcp_result": {"success": {"content":
                        [{"text": {"text": "r1"}}]}}})")
                    .Text("It is r1.")
                    .TurnEnded()});
  EXPECT_EQ(turn.Ask({.prompt = "p", .tools = counter.tools()}).text, "It is r1.");
  EXPECT_EQ(counter.calls(), 1);
  EXPECT_THAT(turn.upstream().violations(), IsEmpty());
}

TEST(ChatTurn, KeepsTextBehindAToolThatNoCheckpointHolds) {
  Counter counter;
  Retried turn({Script().CallTool("look").ExpectToolResult().Text("It").Drop(),
                Script().Text("again").TurnEnded()});
  const ChatOutcome outcome = turn.Ask({.prompt = "p", .tools = counter.tools()});
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(outcome.text, "It");
}

TEST(ChatTurn, ShowsAToolCallOnce) {
  constexpr char kStarted[] = R"({"call_id": "c", "tool_call": {"mcp_tool_call": {}}})";
  Retried turn({Script().ToolCallStarted(kStarted).CheckpointBytes("\x50\x01").Drop(),
                Script().ToolCallStarted(kStarted).ToolCallCompleted(kStarted).TurnEnded()});
  ChatStream stream = turn.client().Chat({.prompt = "p"});
  int started = 0;
  int completed = 0;
  for (const auto& event : stream) {
    ASSERT_THAT(event, IsOk());
    started += event->As<ToolCallStarted>() != nullptr;
    completed += event->As<ToolCallCompleted>() != nullptr;
  }
  EXPECT_EQ(started, 1);
  EXPECT_EQ(completed, 1);
}

TEST(ChatTurn, GivesUpBehindItsLastRetry) {
  Retried turn({Script().Error("unavailable", "busy")});
  const ChatOutcome outcome = turn.Ask();
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("busy")));
  EXPECT_THAT(outcome.retries, SizeIs(3));
  EXPECT_EQ(outcome.terminal_elements, 1);
}

TEST(ChatTurn, TriesNothingAgainThatIsNotTemporary) {
  for (const char* code : {"invalid_argument", "unauthenticated", "permission_denied", "not_found",
                           "failed_precondition", "resource_exhausted", "internal"}) {
    SCOPED_TRACE(code);
    Retried turn({Script().Error(code, "no"), Script().Text("a").TurnEnded()});
    EXPECT_THAT(turn.Ask().retries, IsEmpty());
  }
}

TEST(ChatTurn, HonoursRetryAfter) {
  for (const Script& limited : {Script().Step("http_status", R"({"status": 429, "text": "slow down",
            "headers": {"retry-after": "0"}})"),
                                Script().EndStreamRaw(R"({"metadata": {"retry-after": ["0"]},
            "error": {"code": "resource_exhausted", "message": "slow down"}})")}) {
    Retried turn({limited, Script().Text("a").TurnEnded()});
    EXPECT_EQ(turn.Ask().text, "a");
  }
  Retried too_long({Script().Step("http_status", R"({"status": 429, "text": "slow down",
                        "headers": {"retry-after": "3600"}})"),
                    Script().Text("a").TurnEnded()});
  const ChatOutcome outcome = too_long.Ask();
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("slow down")));
  EXPECT_THAT(outcome.retries, IsEmpty());
}

TEST(ChatTurn, IsCancelledInThePauseToo) {
  Retried turn({Script().Error("unavailable", "busy")}, {.max_retries = 3,
                                                         .first_delay = std::chrono::hours(10),
                                                         .max_delay = std::chrono::hours(10)});
  ChatStream stream = turn.client().Chat({.prompt = "p"});
  ChatOutcome outcome;
  while (outcome.retries.empty()) {
    const auto event = stream.Next();
    ASSERT_TRUE(event.has_value());
    outcome.Add(*event);
  }
  stream.Cancel();
  while (const auto event = stream.Next()) outcome.Add(*event);
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kCancelled));
}

TEST(ChatTurn, EndsWithItsClientInThePauseToo) {
  Retried turn({Script().Error("unavailable", "busy")}, {.max_retries = 3,
                                                         .first_delay = std::chrono::hours(10),
                                                         .max_delay = std::chrono::hours(10)});
  ChatStream stream = turn.client().Chat({.prompt = "p"});
  ASSERT_TRUE(stream.Next().has_value());
  turn.DestroyClient();
  ChatOutcome outcome;
  while (const auto event = stream.Next()) outcome.Add(*event);
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kCancelled));
}

TEST(ChatTurn, ItsTimeoutIsForAllAttempts) {
  Retried turn({Script().Error("unavailable", "busy")},
               {.max_retries = 1000, .first_delay = milliseconds(2), .max_delay = milliseconds(2)});
  const ChatOutcome outcome = turn.Ask({.prompt = "p", .timeout = milliseconds(200)});
  EXPECT_FALSE(outcome.status.ok());
  EXPECT_LT(outcome.retries.size(), 999u);
}

// In callbacks, too: the retry is an event as others, and the end comes once.
TEST(ChatTurn, GoesOnForAnObserver) {
  class Recorder final : public ChatObserver {
   public:
    void OnEvent(ChatEvent event, connect::CreditHold) override { outcome.Add(std::move(event)); }
    void OnEnd(absl::Status status) override { done.set_value(std::move(status)); }
    ChatOutcome outcome;
    std::promise<absl::Status> done;
  };
  Retried turn({Script().Text("Hello ").CheckpointBytes("\x50\x01").Drop(),
                Script().Text("world").TurnEnded()});
  const auto recorder = std::make_shared<Recorder>();
  turn.client().Chat({.prompt = "p"}, recorder);
  EXPECT_THAT(WaitFor(recorder->done.get_future()), IsOk());
  EXPECT_EQ(recorder->outcome.text, "Hello world");
}

// The tool can only be stopped by the thread that destroys the client: it must not wait for it.
TEST(ChatTurn, SurvivesThatItsClientIsDestroyedInItsCallback) {
  class Destroyer final : public ChatObserver {
   public:
    explicit Destroyer(Retried& turn) : turn_(turn) {}
    void OnEvent(ChatEvent event, connect::CreditHold) override {
      if (event.As<TextDelta>() != nullptr) turn_.DestroyClient();
    }
    void OnEnd(absl::Status status) override { end.set_value(std::move(status)); }
    std::promise<absl::Status> end;

   private:
    Retried& turn_;
  };
  std::promise<void> begun;
  std::promise<void> stopped;
  ToolRegistry tools;
  tools.Add({.name = "look"}, [&](const ToolCall& call) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    begun.set_value();
    changed.wait(lock, call.stop, [] { return false; });
    stopped.set_value();
    return ToolResult::Text("late");
  });
  tools.Add({.name = "await"}, [&](const ToolCall&) {
    WaitFor(begun.get_future());
    return ToolResult::Text("begun");
  });
  Retried turn({Script().CallTool("look").NoAwait().CallTool("await").Text("a").Stall()});
  const auto destroyer = std::make_shared<Destroyer>(turn);
  auto end = destroyer->end.get_future();
  turn.client().Chat({.prompt = "p", .tools = tools}, destroyer);
  EXPECT_THAT(WaitFor(end), StatusIs(absl::StatusCode::kCancelled));
  WaitFor(stopped.get_future());
}

// An observer that asks a bad request again in OnEnd() must not run out of stack.
TEST(ChatTurn, RefusesABadRequestAgainAndAgain) {
  class Stubborn final : public ChatObserver, public std::enable_shared_from_this<Stubborn> {
   public:
    explicit Stubborn(const Client& client) : client_(client) {}
    void OnEvent(ChatEvent, connect::CreditHold) override {}
    void OnEnd(absl::Status) override {
      ++depth_;
      EXPECT_EQ(depth_, 1);
      if (++ends < 10'000) client_.Chat({.prompt = ""}, shared_from_this());
      --depth_;
    }
    int ends = 0;

   private:
    const Client& client_;
    int depth_ = 0;
  };
  Retried turn({Script().TurnEnded()});
  const auto stubborn = std::make_shared<Stubborn>(turn.client());
  turn.client().Chat({.prompt = ""}, stubborn);
  EXPECT_EQ(stubborn->ends, 10'000);
}

// --- cut anywhere

struct CutOutcome {
  ChatOutcome outcome;
  int calls = 0;
  std::vector<HistoryTurn> history;
};

// The turn, whose connections are lost after so many bytes of the server, one after the other.
CutOutcome PlayCut(std::vector<size_t> cuts) {
  ResumableAgent agent;
  const TestServer server({.routes = {{"/agent.v1.AgentService/Run", agent.behaviour()}},
                           .close_nth_after_bytes = std::move(cuts)});
  Counter counter;
  const Client client = *Client::Create(
      {.endpoint = server.url(),
       .token = "any",
       .environment = Environment{},
       .retry = {
           .max_retries = 5, .first_delay = milliseconds(0), .retry_first_connection = true}});
  Conversation talk = client.NewConversation();
  CutOutcome result;
  ChatStream stream = talk.Chat({.prompt = "Look.", .tools = counter.tools()});
  while (const auto event = stream.Next()) result.outcome.Add(*event);
  result.calls = counter.calls();
  result.history = talk.history();
  return result;
}

std::string TextOf(const HistoryTurn& turn) {
  std::string text;
  for (const HistoryItem& item : turn.items) {
    if (const auto* part = std::get_if<HistoryText>(&item)) text += part->text;
  }
  return text;
}

void CheckCut(const CutOutcome& cut) {
  EXPECT_EQ(cut.outcome.terminal_elements, cut.outcome.status.ok() ? 0 : 1);
  EXPECT_LE(cut.calls, 2);
  if (cut.outcome.status.ok()) {
    EXPECT_EQ(cut.outcome.text, ResumableAgent::kText);
    EXPECT_EQ(cut.calls, 2);
    ASSERT_THAT(cut.history, SizeIs(1));
    EXPECT_EQ(TextOf(cut.history[0]), ResumableAgent::kText);
  } else {
    EXPECT_THAT(cut.outcome.status, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_THAT(std::string(ResumableAgent::kText), ::testing::StartsWith(cut.outcome.text));
    // What was shown is kept, word for word.
    const bool came = !cut.outcome.text.empty() || cut.calls > 0;
    ASSERT_THAT(cut.history, SizeIs(came ? 1 : 0));
    if (!came) return;
    EXPECT_EQ(TextOf(cut.history[0]), cut.outcome.text);
    EXPECT_EQ(cut.history[0].ending, TurnEnding::kInterrupted);
  }
}

size_t ServerBytes() {
  ResumableAgent agent;
  const TestServer server({.routes = {{"/agent.v1.AgentService/Run", agent.behaviour()}}});
  Counter counter;
  const Client client = *Client::Create({.endpoint = server.url(), .token = "any"});
  const auto answer = client.Chat({.prompt = "Look.", .tools = counter.tools()}).Collect();
  EXPECT_THAT(answer, IsOk());
  EXPECT_EQ(answer->text, ResumableAgent::kText);
  EXPECT_TRUE(server.Await(Gone(1)));  // all of it is counted then
  return server.stats().sent_bytes;
}

TEST(CutAtEveryByte, ARecoveredTurnSaysAllOnceAndUsesEachToolOnce) {
  const size_t bytes = ServerBytes();
  ASSERT_GT(bytes, 300u);
  int whole = 0;
  int lost = 0;
  for (size_t cut = 0; cut < bytes; ++cut) {
    SCOPED_TRACE("cut after byte " + std::to_string(cut));
    const CutOutcome outcome = PlayCut({cut});
    CheckCut(outcome);
    ++(outcome.outcome.status.ok() ? whole : lost);
    if (::testing::Test::HasFailure()) return;
  }
  // Only text that no checkpoint holds is lost with its connection.
  EXPECT_GT(whole, lost);
}

TEST(CutAtEveryByte, ATurnThatIsLostTwiceIsRecoveredToo) {
  const size_t bytes = ServerBytes();
  const size_t stride = SweepStride(61);
  for (size_t first = 60; first < bytes; first += stride) {
    for (size_t second = 60; second < bytes; second += stride) {
      SCOPED_TRACE("cut after bytes " + std::to_string(first) + " and " + std::to_string(second));
      CheckCut(PlayCut({first, second}));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace cursorwire::test
