// The ways in which the events of a turn come: a stream, callbacks, a coroutine; and the
// whole answer at once. Each must tell the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cursorwire/async_chat.h"
#include "cursorwire/chat_observer.h"
#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "support/chat_outcome.h"
#include "support/patience.h"
#include "support/status_matchers.h"
#include "support/task.h"

namespace cursorwire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::TestParamInfo;

constexpr size_t kMiBytes = size_t{1} << 20;

Client MakeClient(const LocalUpstream& upstream) {
  return *Client::Create({.endpoint = upstream.url(),
                          .token = "t",
                          .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
}

// Keeps what a turn says until the test asks for it.
class Recorder final : public ChatObserver {
 public:
  void OnEvent(ChatEvent event, connect::CreditHold) override { outcome_.Add(std::move(event)); }
  void OnEnd(absl::Status status) override {
    if (!status.ok()) outcome_.Add(status);
    done_.set_value(std::move(outcome_));
  }
  ChatOutcome Wait() { return WaitFor(done_.get_future()); }

 private:
  ChatOutcome outcome_;
  std::promise<ChatOutcome> done_;
};

Task<ChatOutcome> Read(AsyncChat chat) {
  ChatOutcome outcome;
  while (const auto event = co_await chat.Next()) outcome.Add(*event);
  co_return outcome;
}

ChatOutcome AskByStream(const Client& client, const ChatRequest& request) {
  ChatOutcome outcome;
  for (const auto& event : client.Chat(request)) outcome.Add(event);
  return outcome;
}

ChatOutcome AskByObserver(const Client& client, const ChatRequest& request) {
  const auto recorder = std::make_shared<Recorder>();
  client.Chat(request, recorder);
  return recorder->Wait();
}

ChatOutcome AskByCoroutine(const Client& client, const ChatRequest& request) {
  return Read(client.ChatAsync(request)).Get();
}

struct Way {
  const char* name;
  ChatOutcome (*ask)(const Client& client, const ChatRequest& request);
};

class ChatWays : public ::testing::TestWithParam<Way> {
 protected:
  static ChatOutcome Ask(const Client& client, const ChatRequest& request) {
    return GetParam().ask(client, request);
  }
};

INSTANTIATE_TEST_SUITE_P(, ChatWays,
                         ::testing::Values(Way{"Stream", AskByStream},
                                           Way{"Observer", AskByObserver},
                                           Way{"Coroutine", AskByCoroutine}),
                         [](const TestParamInfo<Way>& way) { return way.param.name; });

TEST_P(ChatWays, TellsTheSameEvents) {
  const LocalUpstream upstream = *LocalUpstream::Start(
      Script().Thinking("hm").Text("a").Text("b").Checkpoint("{}").TurnEnded());
  const Client client = MakeClient(upstream);
  const ChatOutcome outcome = Ask(client, {.prompt = "hi"});
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "ab");
  EXPECT_EQ(outcome.thinking, "hm");
  EXPECT_THAT(outcome.kinds, ElementsAre("thinking", "text", "checkpoint", "turn_ended"));
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST_P(ChatWays, EndsWithTheErrorOfTheService) {
  const LocalUpstream upstream =
      *LocalUpstream::Start(Script().Text("a").Error("resource_exhausted", "too many"));
  const Client client = MakeClient(upstream);
  const ChatOutcome outcome = Ask(client, {.prompt = "hi"});
  EXPECT_EQ(outcome.text, "a");
  EXPECT_THAT(outcome.status,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too many")));
  EXPECT_EQ(outcome.terminal_elements, 1);
}

TEST_P(ChatWays, RefusesABadRequestBeforeAnythingIsSent) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  const Client client = MakeClient(upstream);
  EXPECT_THAT(Ask(client, {}).status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(upstream.runs_ended(), 0u);
}

// More than the window: it ends only if credit goes back.
TEST_P(ChatWays, ReturnsTheCreditOfWhatWasTaken) {
  Script script;
  for (int i = 0; i < 5; ++i) script.Text(std::string(kMiBytes, 'x'));
  const LocalUpstream upstream = *LocalUpstream::Start(script.TurnEnded());
  const Client client = MakeClient(upstream);
  const ChatOutcome outcome = Ask(client, {.prompt = "hi"});
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text.size(), 5 * kMiBytes);
}

// --- what only one of them can do

// Says one word, and the next in an hour.
class SlowUpstream : public ::testing::Test {
 protected:
  LocalUpstream upstream_ = *LocalUpstream::Start({.word_interval = std::chrono::hours(1)});
  std::optional<Client> client_ = MakeClient(upstream_);
};

using ChatCallTest = SlowUpstream;

TEST_F(ChatCallTest, IsCancelledFromAnyThread) {
  const auto recorder = std::make_shared<Recorder>();
  const ChatCall call = client_->Chat({.prompt = "hi"}, recorder);
  EXPECT_EQ(call.conversation_id().size(), 36u);
  call.Cancel();
  EXPECT_THAT(recorder->Wait().status, StatusIs(absl::StatusCode::kCancelled));
  call.Cancel();
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(ChatCallTest, EndsWithItsClient) {
  const auto recorder = std::make_shared<Recorder>();
  const ChatCall call = client_->Chat({.prompt = "hi"}, recorder);
  client_.reset();
  EXPECT_THAT(recorder->Wait().status, StatusIs(absl::StatusCode::kCancelled));
  call.Cancel();
}

TEST_F(ChatCallTest, HasNoEffectWithoutATurn) {
  const ChatCall none;
  none.Cancel();
  EXPECT_EQ(none.conversation_id(), "");
}

TEST_F(ChatCallTest, NeedsNoObserver) {
  client_->Chat({.prompt = "hi"}, nullptr).Cancel();
  EXPECT_TRUE(upstream_.WaitForRuns(1, kPatience));
}

// Keeps the credit of each event until it is told to let go.
class Hoarder final : public ChatObserver {
 public:
  void OnEvent(ChatEvent event, connect::CreditHold hold) override {
    if (const auto* text = event.As<TextDelta>()) text_ += text->text.size();
    if (let_go_) return;
    holds_.push_back(std::move(hold));
    if (text_ >= kMiBytes / 2) full_.set_value();
    if (text_ >= kMiBytes / 2) let_go_ = true;
  }
  void OnEnd(absl::Status status) override { done_.set_value(std::move(status)); }

  void WaitUntilFull() { WaitFor(full_.get_future()); }
  std::vector<connect::CreditHold> TakeHolds() { return std::move(holds_); }
  absl::Status Wait() { return WaitFor(done_.get_future()); }

 private:
  size_t text_ = 0;
  bool let_go_ = false;
  std::vector<connect::CreditHold> holds_;
  std::promise<void> full_;
  std::promise<absl::Status> done_;
};

TEST(ChatObserver, KeepsTheServiceWaitingWhileItHoldsCredit) {
  Script script;
  for (int i = 0; i < 40; ++i) script.Text(std::string(kMiBytes / 8, 'x'));
  const LocalUpstream upstream = *LocalUpstream::Start(script.TurnEnded());
  const Client client = MakeClient(upstream);
  const auto hoarder = std::make_shared<Hoarder>();
  client.Chat({.prompt = "hi"}, hoarder);
  hoarder->WaitUntilFull();
  hoarder->TakeHolds().clear();  // on this thread
  EXPECT_THAT(hoarder->Wait(), IsOk());
}

using AsyncChatTest = SlowUpstream;

// Takes events until the text came and on: the next one is an hour away.
Task<absl::Status> TakeEvents(AsyncChat& chat, bool& said) {
  while (const auto event = co_await chat.Next()) {
    if (!event->ok()) co_return event->status();
    if ((*event)->As<TextDelta>() != nullptr) said = true;
  }
  co_return absl::OkStatus();
}

// Runs the coroutine here, so that it waits for the event after the text when this returns.
void RunUntil(RunByHand& loop, const bool& said) {
  while (!said) ASSERT_TRUE(loop.RunOne());
}
void RunToEnd(RunByHand& loop, const Task<absl::Status>& task) {
  while (!task.is_done()) ASSERT_TRUE(loop.RunOne());
}

TEST_F(AsyncChatTest, EndsACoroutineThatWaitsWhenItIsCancelled) {
  RunByHand loop;
  AsyncChat chat = client_->ChatAsync({.prompt = "hi"}, loop.executor());
  EXPECT_EQ(chat.conversation_id().size(), 36u);
  bool said = false;
  Task<absl::Status> reader = TakeEvents(chat, said);
  RunUntil(loop, said);
  chat.Cancel();
  RunToEnd(loop, reader);
  EXPECT_THAT(reader.Get(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(AsyncChatTest, EndsACoroutineThatWaitsWhenItIsDestroyed) {
  RunByHand loop;
  std::optional<AsyncChat> chat = client_->ChatAsync({.prompt = "hi"}, loop.executor());
  bool said = false;
  Task<absl::Status> reader = TakeEvents(*chat, said);
  RunUntil(loop, said);
  AsyncChat other = *std::exchange(chat, std::nullopt);
  { const AsyncChat gone = std::move(other); }
  RunToEnd(loop, reader);
  EXPECT_THAT(reader.Get(), StatusIs(absl::StatusCode::kCancelled));
}

// As connect/coroutine.h promises: never within a function of its user, who may hold a lock.
TEST_F(AsyncChatTest, GoesOnOnTheChannelsThreadWhereverItIsCancelled) {
  std::promise<void> said;
  std::thread::id resumed_on;
  AsyncChat chat = client_->ChatAsync({.prompt = "hi"});
  const auto read = [&]() -> Task<absl::Status> {
    bool first = true;
    while (const auto event = co_await chat.Next()) {
      resumed_on = std::this_thread::get_id();
      if (!event->ok()) co_return event->status();
      if ((*event)->As<TextDelta>() != nullptr && std::exchange(first, false)) said.set_value();
    }
    co_return absl::OkStatus();
  };
  Task<absl::Status> reader = read();
  WaitFor(said.get_future());
  chat.Cancel();
  EXPECT_THAT(reader.Get(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_NE(resumed_on, std::this_thread::get_id());
}

TEST_F(AsyncChatTest, GoesOnWhereItsExecutorRunsIt) {
  RunByHand loop;
  const LocalUpstream upstream = *LocalUpstream::Start(Script().Text("a").TurnEnded());
  const Client client = MakeClient(upstream);
  Task<ChatOutcome> task = Read(client.ChatAsync({.prompt = "hi"}, loop.executor()));
  while (!task.is_done()) ASSERT_TRUE(loop.RunOne());
  EXPECT_EQ(task.Get().text, "a");
}

TEST_F(AsyncChatTest, LetsOneCoroutineWait) {
  RunByHand loop;
  AsyncChat chat = client_->ChatAsync({.prompt = "hi"}, loop.executor());
  bool said = false;
  Task<absl::Status> first = TakeEvents(chat, said);
  RunUntil(loop, said);
  bool never = false;
  Task<absl::Status> second = TakeEvents(chat, never);
  ASSERT_TRUE(second.is_done());
  EXPECT_THAT(second.Get(), StatusIs(absl::StatusCode::kFailedPrecondition));
  chat.Cancel();
  RunToEnd(loop, first);
  EXPECT_THAT(first.Get(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(Collect, GivesTheWholeAnswer) {
  const LocalUpstream upstream = *LocalUpstream::Start(
      Script()
          .Thinking("hm")
          .Text("a")
          .ToolCallCompleted(
              R"({"call_id":"c","tool_call":{"mcp_tool_call":{"args":{"name":"t"}}}})")
          .Text("b")
          .Checkpoint("{}")
          .TurnEnded());
  const Client client = MakeClient(upstream);
  const absl::StatusOr<ChatAnswer> answer = client.Chat({.prompt = "hi"}).Collect();
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->conversation_id.size(), 36u);
  EXPECT_EQ(answer->text, "ab");
  EXPECT_EQ(answer->thinking, "hm");
  ASSERT_EQ(answer->tool_calls.size(), 1u);
  EXPECT_EQ(answer->tool_calls[0].call_id, "c");
  EXPECT_TRUE(answer->checkpoint.has_value());
  EXPECT_FALSE(answer->state_lost);
}

TEST(Collect, GivesTheErrorOfTheTurn) {
  const LocalUpstream upstream =
      *LocalUpstream::Start(Script().Text("a").Error("resource_exhausted", "too many"));
  const Client client = MakeClient(upstream);
  EXPECT_THAT(client.Chat({.prompt = "hi"}).Collect(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too many")));
}

TEST(Collect, KeepsNoMoreThanItMay) {
  const LocalUpstream upstream = *LocalUpstream::Start(Script().Text("ab").Text("c").TurnEnded());
  const Client client = MakeClient(upstream);
  EXPECT_THAT(client.Chat({.prompt = "hi"}).Collect(3), IsOk());
  EXPECT_THAT(client.Chat({.prompt = "hi"}).Collect(2),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("larger than 2 bytes")));
}

}  // namespace
}  // namespace cursorwire::test
