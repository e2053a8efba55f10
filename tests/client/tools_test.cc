// Tools of the host, streamed commands and questions, over loopback sockets: handlers on threads of
// their own, and a script that checks what the server is told.
#include "cursorwire/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "cursorwire/client.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/query_handler.h"
#include "cursorwire/script.h"
#include "support/blocked_work.h"
#include "support/chat_outcome.h"
#include "support/patience.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

// A client of a script.
class ScriptedTurn {
 public:
  explicit ScriptedTurn(const Script& script, std::shared_ptr<ExecHandler> exec_handler = nullptr,
                        RetryPolicy retry = {},
                        std::shared_ptr<QueryHandler> query_handler = nullptr)
      : upstream_(*LocalUpstream::Start(script)),
        client_(std::make_unique<Client>(
            *Client::Create({.endpoint = upstream_.url(),
                             .token = "any",
                             .channel = {.tls = {.ca_pem = upstream_.ca_pem()}},
                             .exec_handler = std::move(exec_handler),
                             .query_handler = std::move(query_handler),
                             .retry = retry}))) {}

  ChatStream Start(const ToolRegistry& tools = {}) {
    ChatRequest request{.prompt = "p"};
    request.tools = tools;
    return client_->Chat(request);
  }
  ChatOutcome Ask(const ToolRegistry& tools = {}) {
    ChatOutcome outcome;
    ChatStream stream = Start(tools);
    while (const auto element = stream.Next()) outcome.Add(*element);
    return outcome;
  }
  // The run is over on both sides, and went as the script says.
  void ExpectDone() {
    EXPECT_TRUE(upstream_.WaitForRuns(1, kPatience));
    EXPECT_THAT(upstream_.violations(), IsEmpty());
  }
  Client& client() { return *client_; }
  void DestroyClient() { client_.reset(); }

 private:
  LocalUpstream upstream_;
  std::unique_ptr<Client> client_;
};

ToolRegistry OneTool(ToolRegistry::Handler handler) {
  ToolRegistry tools;
  tools.Add({.name = "look", .description = "Looks"}, std::move(handler));
  return tools;
}

constexpr char kSawRain[] = R"({"mcp_result":{"success":{"content":[{"text":{"text":"rain"}}]}}})";

TEST(Tools, AnswerTheAgent) {
  ScriptedTurn scripted(
      Script().CallTool("look", R"({"city":"Bern","days":3})").Expect(kSawRain).TurnEnded());
  std::string arguments;
  const std::thread::id here = std::this_thread::get_id();
  const ToolRegistry tools = OneTool([&](const ToolCall& call) {
    EXPECT_NE(std::this_thread::get_id(), here);
    arguments = call.arguments_json;
    return ToolResult::Text("rain");
  });
  EXPECT_THAT(scripted.Ask(tools).status, IsOk());
  EXPECT_EQ(arguments, R"({"city":"Bern","days":3})");
  scripted.ExpectDone();
}

class Library final : public ExecHandler {
 public:
  explicit Library(std::string name) : name_(std::move(name)) {}
  absl::StatusOr<ReadMcpResourceOutput> ReadMcpResource(const ReadMcpResourceArgs& args,
                                                        const ActionContext&) override {
    return ReadMcpResourceOutput{.content = name_ + " has " + args.uri};
  }

 private:
  const std::string name_;
};

TEST(Tools, ServeResourcesBeforeTheClientDoes) {
  const auto script = [](const char* who) {
    return Script()
        .Exec(R"({"read_mcp_resource_exec_args":{"server":"s","uri":"u:1"}})")
        .Expect(std::string(R"({"read_mcp_resource_exec_result":{"success":{"text":")") + who +
                R"( has u:1"}}})")
        .Exec(R"({"list_mcp_resources_exec_args":{}})")
        .Expect(R"({"list_mcp_resources_exec_result":{"rejected":{}}})")
        .TurnEnded();
  };
  ToolRegistry tools;
  tools.ServeResources(std::make_shared<Library>("registry"));
  ScriptedTurn both(script("registry"), std::make_shared<Library>("client"));
  EXPECT_THAT(both.Ask(tools).status, IsOk());
  both.ExpectDone();
  ScriptedTurn alone(script("registry"));
  EXPECT_THAT(alone.Ask(tools).status, IsOk());
  alone.ExpectDone();
  ScriptedTurn client(script("client"), std::make_shared<Library>("client"));
  EXPECT_THAT(client.Ask().status, IsOk());
  client.ExpectDone();
}

TEST(Tools, OutliveTheRegistryOfTheRequest) {
  ScriptedTurn scripted(Script().CallTool("look").Expect(kSawRain).TurnEnded());
  auto tools = std::make_unique<ToolRegistry>(
      OneTool([](const ToolCall&) { return ToolResult::Text("rain"); }));
  ChatStream stream = scripted.Start(*tools);
  tools.reset();
  for (const auto& event : stream) EXPECT_THAT(event, IsOk());
  scripted.ExpectDone();
}

TEST(Tools, ThatThrowAreErrorsOfTheTool) {
  ScriptedTurn scripted(
      Script()
          .CallTool("look")
          .Expect(
              R"({"mcp_result":{"success":{"is_error":true,"content":[{"text":{"text":{"$contains":"no paper"}}}]}}})")
          .TurnEnded());
  const ToolRegistry tools = OneTool(
      [](const ToolCall&) -> absl::StatusOr<ToolResult> { throw std::runtime_error("no paper"); });
  EXPECT_THAT(scripted.Ask(tools).status, IsOk());
  scripted.ExpectDone();
}

// Calls come in parallel; replies go out from many threads, the last call's first.
TEST(Tools, AnswerLaterFromAnyThreadAndInAnyOrder) {
  constexpr int kCalls = 20;
  Script calls;
  for (int i = 0; i < kCalls; ++i) {
    const std::string number = std::to_string(i);
    calls.CallTool("look", R"({"number":)" + number + "}")
        .Expect(R"({"mcp_result":{"success":{"content":[{"text":{"text":"{\"number\":)" + number +
                R"(}"}}]}}})");
  }
  ScriptedTurn scripted(Script().Parallel(calls).TurnEnded());
  std::mutex mutex;
  std::vector<std::pair<std::string, ToolReply>> waiting;
  std::vector<std::thread> threads;
  ToolRegistry tools;
  tools.AddLater({.name = "look"}, [&](const ToolCall& call, ToolReply reply) {
    const std::lock_guard lock(mutex);
    waiting.emplace_back(call.arguments_json, std::move(reply));
    if (waiting.size() < kCalls) return;
    for (; !waiting.empty(); waiting.pop_back()) {
      threads.emplace_back(
          [entry = waiting.back()] { entry.second.Send(ToolResult::Text(entry.first)); });
    }
  });
  EXPECT_THAT(scripted.Ask(tools).status, IsOk());
  scripted.DestroyClient();  // waits for the handler that starts the threads
  for (std::thread& thread : threads) thread.join();
  scripted.ExpectDone();
}

TEST(Tools, ThatDropTheirReplyAreErrorsOfTheTool) {
  ScriptedTurn scripted(Script()
                            .CallTool("look")
                            .Expect(R"({"mcp_result":{"success":{"is_error":true}}})")
                            .TurnEnded());
  ToolRegistry tools;
  tools.AddLater({.name = "look"}, [](const ToolCall&, const ToolReply&) {});
  EXPECT_THAT(scripted.Ask(tools).status, IsOk());
  scripted.ExpectDone();
}

// A tool that works until it is told to stop.
class Waiting : public BlockedWork {
 public:
  ToolRegistry tools() {
    return OneTool([this](const ToolCall& call) {
      Run(call.stop);
      return ToolResult::Text("late");
    });
  }
};

TEST(Tools, AreStoppedWhenTheTurnIsCancelled) {
  Waiting waiting;
  const ToolRegistry tools = waiting.tools();
  ScriptedTurn scripted(Script().CallTool("look").NoAwait().ExpectCancel().ExpectHalfClose());
  ChatStream stream = scripted.Start(tools);
  waiting.WaitUntilStarted();
  stream.Cancel();
  waiting.WaitUntilStopped();
  ChatOutcome outcome;
  for (const auto& event : stream) outcome.Add(event);
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(outcome.terminal_elements, 1);
}

TEST(Tools, AreStoppedWhenTheClientIsDestroyed) {
  Waiting waiting;
  const ToolRegistry tools = waiting.tools();
  ScriptedTurn scripted(Script().CallTool("look").TurnEnded());
  ChatStream stream = scripted.Start(tools);
  waiting.WaitUntilStarted();
  scripted.DestroyClient();  // waits for the tool
  EXPECT_TRUE(waiting.stopped());
}

TEST(Tools, AreStoppedWhenTheServerGivesTheCallUp) {
  Waiting waiting;
  ToolRegistry tools = waiting.tools();
  // It is given up once it runs, and the turn goes on until it has seen that.
  tools.Add({.name = "await_start"}, [&waiting](const ToolCall&) {
    waiting.WaitUntilStarted();
    return ToolResult::Text("rain");
  });
  tools.Add({.name = "await_stop"}, [&waiting](const ToolCall&) {
    waiting.WaitUntilStopped();
    return ToolResult::Text("rain");
  });
  ScriptedTurn scripted(Script()
                            .Exec(R"({"id":1,"mcp_args":{"name":"look","tool_call_id":"c"}})")
                            .NoAwait()
                            .CallTool("await_start")
                            .Expect(kSawRain)
                            .Message(R"({"exec_server_control_message":{"abort":{"id":1}}})")
                            .CallTool("await_stop")
                            .Expect(kSawRain)
                            .TurnEnded());
  EXPECT_THAT(scripted.Ask(tools).status, IsOk());
  scripted.ExpectDone();
}

TEST(Tools, AreStoppedWhenTheConnectionIsLostAndNothingIsTriedAgain) {
  Waiting waiting;
  const ToolRegistry tools = waiting.tools();
  ScriptedTurn scripted(
      Script().Text("a").CallTool("look").NoAwait().Wait(std::chrono::milliseconds(50)).Drop(),
      nullptr, {.max_retries = 0});
  EXPECT_THAT(scripted.Ask(tools).status, StatusIs(absl::StatusCode::kUnavailable));
}

// --- a command that prints for a long time

class Printing final : public ExecHandler {
 public:
  absl::StatusOr<ShellOutput> ShellStream(const ShellArgs& args, ShellSink& sink,
                                          const ActionContext&) override {
    for (int i = 0; i < 64; ++i) sink.Out(std::string(size_t{32} * 1024, 'x'));
    sink.Err(args.command);
    return ShellOutput{.exit_code = 3};
  }
};

TEST(ShellStream, SendsWhatACommandPrintsWithBackPressure) {
  ScriptedTurn scripted(Script()
                            .Exec(R"({"shell_stream_args":{"command":"make"}})")
                            .Expect(R"({"shell_stream":{"exit":{"code":3}}})")
                            .TurnEnded(),
                        std::make_shared<Printing>());
  EXPECT_THAT(scripted.Ask().status, IsOk());
  scripted.ExpectDone();
}

// --- what a handler is told of its action

class Caller final : public ExecHandler {
 public:
  absl::StatusOr<LsOutput> Ls(const LsArgs&, const ActionContext& context) override {
    call_ids.push_back(context.call_id);
    return LsOutput{};
  }
  std::vector<std::string> call_ids;
};

TEST(ActionContext, NamesTheCallThatWantsTheAction) {
  const auto handler = std::make_shared<Caller>();
  ScriptedTurn scripted(Script()
                            .Exec(R"({"ls_args":{"path":".","tool_call_id":"c1"}})")
                            .Expect(R"({"ls_result":{"success":{}}})")
                            .Exec(R"({"ls_args":{"path":"."}})")
                            .Expect(R"({"ls_result":{"success":{}}})")
                            .TurnEnded(),
                        handler);
  EXPECT_THAT(scripted.Ask().status, IsOk());
  EXPECT_THAT(handler->call_ids, ElementsAre("c1", ""));
  scripted.ExpectDone();
}

// --- questions

class Librarian final : public QueryHandler {
 public:
  absl::Status WebSearch(const WebSearchQuery& query, const ActionContext&) override {
    if (query.search_term == "cats") return absl::OkStatus();
    return absl::PermissionDeniedError("only cats");
  }
};

TEST(Queries, AreAnsweredByTheHandler) {
  ScriptedTurn scripted(
      Script()
          .Query(R"({"web_search_request_query":{"args":{"search_term":"cats"}}})")
          .Expect(R"({"web_search_request_response":{"approved":{}}})")
          .Query(R"({"web_search_request_query":{"args":{"search_term":"dogs"}}})")
          .Expect(R"({"web_search_request_response":{"rejected":{"reason":"only cats"}}})")
          .Query(R"({"web_fetch_request_query":{"args":{"url":"https://example.com"}}})")
          .Expect(R"({"web_fetch_request_response":{"rejected":{}}})")
          .TurnEnded(),
      nullptr, {}, std::make_shared<Librarian>());
  EXPECT_THAT(scripted.Ask().status, IsOk());
  scripted.ExpectDone();
}

struct Asked {
  std::string events;  // "text " for each piece of text, "question " for each question
  absl::Status status;
};
// Plays a turn whose questions come as events, which `answer` gets.
Asked PlayQuestions(const Client& client, const std::function<void(QuestionAsked)>& answer) {
  Asked asked;
  ChatStream stream = client.Chat({.prompt = "go", .hand_out_questions = true});
  for (const absl::StatusOr<ChatEvent>& event : stream) {
    if (!event.ok()) {
      asked.status = event.status();
      break;
    }
    if (event->As<TextDelta>() != nullptr) asked.events += "text ";
    if (const auto* question = event->As<QuestionAsked>()) {
      asked.events += "question ";
      answer(*question);
    }
  }
  return asked;
}

Script PlanAndSearch() {
  return Script()
      .Text("a")
      .Query(R"({"create_plan_request_query":{"args":{"name":"p","plan":"x"}}})")
      .Expect(R"({"create_plan_request_response":{"result":{"success":{}}}})")
      .Text("b")
      .Query(R"({"web_search_request_query":{"args":{"search_term":"cats"}}})")
      .Expect(R"({"web_search_request_response":{"rejected":{}}})")
      .TurnEnded();
}

TEST(Queries, ComeAsEventsInTheOrderOfTheAnswer) {
  ScriptedTurn scripted(PlanAndSearch());
  const Asked asked = PlayQuestions(scripted.client(), [](const QuestionAsked& question) {
    const auto* plan = std::get_if<CreatePlanQuery>(&question.question);
    if (plan != nullptr && plan->name == "p") question.reply.Send(QueryOutput(PlanAccepted{}));
    question.reply.Send(absl::UnknownError("the first answer counts"));
  });
  EXPECT_THAT(asked.status, IsOk());
  EXPECT_EQ(asked.events, "text question text question ");
  scripted.ExpectDone();
}

TEST(Queries, GoToTheReaderOfTheEventsBeforeTheHandler) {
  ScriptedTurn scripted(PlanAndSearch(), nullptr, {}, std::make_shared<Librarian>());
  EXPECT_THAT(PlayQuestions(scripted.client(),
                            [](const QuestionAsked& question) {
                              if (std::holds_alternative<CreatePlanQuery>(question.question)) {
                                question.reply.Send(QueryOutput(PlanAccepted{}));
                              }
                            })
                  .status,
              IsOk());
  scripted.ExpectDone();
}

TEST(Queries, AreAnsweredLaterFromAnyThread) {
  ScriptedTurn scripted(Script()
                            .Query(R"({"web_search_request_query":{"args":{"search_term":"c"}}})")
                            .Expect(R"({"web_search_request_response":{"approved":{}}})")
                            .TurnEnded());
  std::thread later;
  const Asked asked = PlayQuestions(scripted.client(), [&later](const QuestionAsked& question) {
    later = std::thread([reply = question.reply] { reply.Send(QueryOutput(QueryApproved{})); });
  });
  later.join();
  EXPECT_THAT(asked.status, IsOk());
  scripted.ExpectDone();
}

TEST(Queries, AreRejectedIfNobodyAnswers) {
  ScriptedTurn scripted(Script()
                            .Query(R"({"web_search_request_query":{"args":{"search_term":"c"}}})")
                            .Expect(R"({"web_search_request_response":{"rejected":{}}})")
                            .Query(R"({"setup_vm_environment_args":{}})")
                            .Expect(R"({"setup_vm_environment_result":{}})")
                            .TurnEnded());
  EXPECT_THAT(PlayQuestions(scripted.client(), [](const QuestionAsked&) {}).status, IsOk());
  scripted.ExpectDone();
}

TEST(Queries, TellTheirReaderThatNobodyWaitsAnyMore) {
  ScriptedTurn scripted(
      Script().Query(R"({"web_search_request_query":{"args":{"search_term":"c"}}})").TurnEnded());
  ChatStream stream = scripted.client().Chat({.prompt = "go", .hand_out_questions = true});
  std::optional<QuestionReply> reply;
  for (const absl::StatusOr<ChatEvent>& event : stream) {
    const auto* question = event.ok() ? event->As<QuestionAsked>() : nullptr;
    if (question == nullptr) continue;
    EXPECT_FALSE(question->reply.stop().stop_requested());
    reply = question->reply;
    stream.Cancel();
  }
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->stop().stop_requested());
  reply->Send(QueryOutput(QueryApproved{}));  // too late: no effect
}

// --- drift

TEST(ClientDrift, IsCountedOverAllTurns) {
  ScriptedTurn scripted(Script().Text("a").UnknownField(199, "x").TurnEnded());
  for (int i = 0; i < 3; ++i) EXPECT_THAT(scripted.Ask().status, IsOk());
  EXPECT_THAT(scripted.client().DriftCounts(),
              ElementsAre(std::pair<const std::string, uint64_t>("interaction_update.199", 3)));
}

}  // namespace
}  // namespace cursorwire::test
