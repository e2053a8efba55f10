// What the agent does on the user's machine, over loopback sockets.
#include <absl/strings/str_format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/client.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "support/blocked_work.h"
#include "support/chat_outcome.h"
#include "support/errors.h"
#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class Actions : public ::testing::Test {
 protected:
  Actions() : upstream_(*LocalUpstream::Start()) {}

  Client MakeClient(std::shared_ptr<ExecHandler> handler = nullptr) {
    return *Client::Create({.endpoint = upstream_.url(),
                            .token = "any",
                            .channel = {.tls = {.ca_pem = upstream_.ca_pem()}},
                            .environment = Environment{.workspace = "/shown"},
                            .exec_handler = std::move(handler)});
  }

  static ChatOutcome Ask(const Client& client, const ChatRequest& request) {
    ChatOutcome outcome;
    ChatStream stream = client.Chat(request);
    for (const auto& event : stream) outcome.Add(event);
    return outcome;
  }

  LocalUpstream upstream_;
};

TEST_F(Actions, RefusesActionsWithoutAHandler) {
  const ChatOutcome outcome = Ask(MakeClient(), {.prompt = "what is in this folder?"});
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_THAT(outcome.text, HasSubstr("your client said no: This client does not allow"));
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

// Serves Ls() by a function.
class LsHandler final : public ExecHandler {
 public:
  using Function = std::function<absl::StatusOr<LsOutput>(const LsArgs&, const ActionContext&)>;
  explicit LsHandler(Function function) : function_(std::move(function)) {}
  absl::StatusOr<LsOutput> Ls(const LsArgs& args, const ActionContext& context) override {
    return function_(args, context);
  }

 private:
  const Function function_;
};

TEST_F(Actions, HandsActionsToTheHandler) {
  const auto handler = std::make_shared<LsHandler>([](const LsArgs& args, const ActionContext&) {
    return LsOutput{.root = {.path = args.path, .files = {"a.txt"}, .listed = true}};
  });
  const ChatOutcome outcome = Ask(MakeClient(handler), {.prompt = "what is in this folder?"});
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "/shown holds 0 folders and 1 file:\n- a.txt\n");
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

// Notes what it is told of attachments.
class NotingHandler final : public ExecHandler {
 public:
  void OnAttached(const AttachedFile& file) override {
    noted_.push_back(file.path + ": " + file.content);
  }
  const std::vector<std::string>& noted() const { return noted_; }

 private:
  std::vector<std::string> noted_;
};

TEST_F(Actions, TellsTheHandlerWhatIsAttached) {
  const auto handler = std::make_shared<NotingHandler>();
  const Client client = MakeClient(handler);
  const AttachedFile file{.path = "/shown/a.txt", .relative_path = "a.txt", .content = "one"};
  const AttachedFolder folder{.tree = {.path = "/shown/b", .listed = true}};
  EXPECT_THAT(Ask(client, {.prompt = "hi", .attachments = {file, folder}}).status, IsOk());
  Conversation conversation = client.NewConversation();
  EXPECT_THAT(conversation.Chat({.prompt = "hi", .attachments = {file}}).Collect().status(),
              IsOk());
  EXPECT_THAT(handler->noted(), ElementsAre("/shown/a.txt: one", "/shown/a.txt: one"));
}

TEST_F(Actions, GoesOnBeyondAHandlerThatThrows) {
  const auto handler = std::make_shared<LsHandler>(
      [](const LsArgs&, const ActionContext&) -> absl::StatusOr<LsOutput> {
        throw std::runtime_error("out of paper");
      });
  const ChatOutcome outcome = Ask(MakeClient(handler), {.prompt = "what is in this folder?"});
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_THAT(outcome.text, HasSubstr("out of paper"));
}

// A handler that works until it is told to stop.
class Blocked : public BlockedWork {
 public:
  std::shared_ptr<ExecHandler> handler() {
    return std::make_shared<LsHandler>([this](const LsArgs&, const ActionContext& context) {
      Run(context.stop);
      return LsOutput{};
    });
  }
};

TEST_F(Actions, StopsTheHandlerWhenTheTurnIsCancelled) {
  Blocked blocked;
  const Client client = MakeClient(blocked.handler());
  ChatStream stream = client.Chat({.prompt = "what is in this folder?"});
  blocked.WaitUntilStarted();
  stream.Cancel();
  blocked.WaitUntilStopped();
  ChatOutcome outcome;
  for (const auto& event : stream) outcome.Add(event);
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kCancelled));
}

TEST_F(Actions, StopsTheHandlerWhenTheStreamIsDestroyed) {
  Blocked blocked;
  const Client client = MakeClient(blocked.handler());
  {
    const ChatStream stream = client.Chat({.prompt = "what is in this folder?"});
    blocked.WaitUntilStarted();
  }
  blocked.WaitUntilStopped();
}

TEST_F(Actions, StopsTheHandlerWhenTheClientIsDestroyed) {
  Blocked blocked;
  auto client = std::make_unique<Client>(MakeClient(blocked.handler()));
  ChatStream stream = client->Chat({.prompt = "what is in this folder?"});
  blocked.WaitUntilStarted();
  client.reset();
  blocked.WaitUntilStopped();
  ChatOutcome outcome;
  for (const auto& event : stream) outcome.Add(event);
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kCancelled));
}

// Serves a folder, and only says so.
class DescribedHandler final : public ExecHandler {
 public:
  void Describe(Environment& environment) const override { environment.workspace = "/served"; }
};

TEST_F(Actions, TellsTheAgentOfTheFolderThatIsServed) {
  const LocalUpstream upstream = *LocalUpstream::Start(
      Script()
          .Exec(R"({"request_context_args":{}})")
          .Expect(
              R"({"request_context_result":{"success":{"request_context":{"env":{"workspace_paths":["/served"]}}}}})")
          .TurnEnded());
  const Client client = *Client::Create({.endpoint = upstream.url(),
                                         .token = "any",
                                         .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                                         .exec_handler = std::make_shared<DescribedHandler>()});
  EXPECT_THAT(Ask(client, {.prompt = "p"}).status, IsOk());
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

// A turn that asks for `asks` at once, and says so.
Script AsksFor(const std::vector<std::string>& folders) {
  Script script;
  for (const std::string& folder : folders) {
    script.Exec(R"({"ls_args":{"path":")" + folder + R"("}})").NoAwait();
  }
  return script.Text("asked").AwaitAll().TurnEnded();
}

TEST_F(Actions, ServesActionsOfAllTurnsAtTheSameTime) {
  const LocalUpstream upstream =
      *LocalUpstream::Start({.scripts = {AsksFor({"a1", "a2", "a3"}), AsksFor({"b1"})}});
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> served;
  // Each waits for all.
  const auto handler = std::make_shared<LsHandler>([&](const LsArgs& args, const ActionContext&) {
    std::unique_lock lock(mutex);
    served.push_back(args.path);
    changed.notify_all();
    EXPECT_TRUE(changed.wait_for(lock, kPatience, [&] { return served.size() == 4; }));
    return LsOutput{};
  });
  const Client client = *Client::Create({.endpoint = upstream.url(),
                                         .token = "any",
                                         .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                                         .exec_handler = handler});
  ChatStream first = client.Chat({.prompt = "a"});
  ChatStream second = client.Chat({.prompt = "b"});
  for (ChatStream* stream : {&first, &second}) {
    for (const auto& event : *stream) EXPECT_THAT(event, IsOk());
  }
  EXPECT_THAT(served, UnorderedElementsAre("a1", "a2", "a3", "b1"));
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST_F(Actions, StopsTheHandlerForAnActionThatTheServerGivesUp) {
  const LocalUpstream upstream = *LocalUpstream::Start(
      Script()
          .Exec(R"({"id":1,"ls_args":{"path":"old"}})")
          .NoAwait()
          .Exec(R"({"id":2,"ls_args":{"path":"probe"}})")
          .Message(R"({"exec_server_control_message":{"abort":{"id":1}}})")
          .Exec(R"({"id":3,"ls_args":{"path":"new"}})")
          .Expect(R"({"ls_result":{"success":{"directory_tree_root":{"abs_path":"new"}}}})")
          .TurnEnded());
  std::mutex mutex;
  std::condition_variable_any changed;
  bool started = false;
  bool stopped = false;
  // The old one is given up once it runs; the new one waits until it has seen that.
  const auto handler =
      std::make_shared<LsHandler>([&](const LsArgs& args, const ActionContext& context) {
        std::unique_lock lock(mutex);
        if (args.path == "old") {
          started = true;
          changed.notify_all();
          changed.wait_for(lock, context.stop, kPatience, [] { return false; });
          stopped = context.stop.stop_requested();
          changed.notify_all();
        } else {
          const bool& awaited = args.path == "new" ? stopped : started;
          EXPECT_TRUE(changed.wait_for(lock, kPatience, [&awaited] { return awaited; }));
        }
        return LsOutput{.root = {.path = args.path}};
      });
  const Client client = *Client::Create({.endpoint = upstream.url(),
                                         .token = "any",
                                         .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                                         .exec_handler = handler});
  EXPECT_THAT(Ask(client, {.prompt = "p"}).status, IsOk());
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST_F(Actions, KeepsNothingOfActionsThatTheServerGivesUpBeforeTheyWereBegun) {
  constexpr int kThreads = 8;
  constexpr int kGivenUp = 500;
  Script script;
  for (int id = 1; id <= kThreads; ++id) {
    script.Exec(absl::StrFormat(R"({"id":%d,"ls_args":{"path":"busy"}})", id)).NoAwait();
  }
  for (int id = kThreads + 1; id <= kThreads + kGivenUp; ++id) {
    script.Exec(absl::StrFormat(R"({"id":%d,"ls_args":{"path":"waits"}})", id)).NoAwait();
    script.Message(absl::StrFormat(R"({"exec_server_control_message":{"abort":{"id":%d}}})", id));
  }
  const LocalUpstream upstream =
      *LocalUpstream::Start(script.Text("all given up").AwaitAll().TurnEnded());
  std::promise<void> go;
  const std::shared_future<void> may_end = go.get_future().share();
  std::atomic<int> begun = 0;
  const auto handler =
      std::make_shared<LsHandler>([&, may_end](const LsArgs&, const ActionContext&) {
        ++begun;
        WaitFor(may_end);
        return LsOutput{};
      });
  const Client client = *Client::Create({.endpoint = upstream.url(),
                                         .token = "any",
                                         .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                                         .exec_handler = handler});
  ChatStream stream = client.Chat({.prompt = "p"});
  for (bool said = false; !said;) {
    const auto event = stream.Next();
    ASSERT_TRUE(event && event->ok());
    said = (*event)->As<TextDelta>() != nullptr;
  }
  // What waits for a thread shares the handler.
  EXPECT_LT(handler.use_count(), kThreads + 10);
  go.set_value();
  while (const auto event = stream.Next()) EXPECT_THAT(*event, IsOk());
  EXPECT_EQ(begun, kThreads);
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST_F(Actions, EndsWhenTheRequestIsTooLargeToBeSent) {
  const ChatOutcome outcome =
      Ask(MakeClient(), {.prompt = "p", .model = std::string(size_t{65} << 20, 'x')});
  EXPECT_THAT(outcome.status,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too large")));
  EXPECT_EQ(outcome.terminal_elements, 1);
}

}  // namespace
}  // namespace cursorwire::test
