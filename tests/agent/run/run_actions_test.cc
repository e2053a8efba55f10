// Actions, tool calls and questions of a run: what the host gets, and what the server is told.

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/run/run_host.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/run.h"
#include "cursorwire/tools.h"
#include "support/errors.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;

using std::chrono::milliseconds;
using test::Difference;
using test::FromText;
using test::Host;
using test::IsOk;
using test::kTurnEnded;
using test::Serialize;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ToolRegistry Weather() {
  ToolRegistry tools;
  tools.Add({.name = "get_weather", .description = "Weather of a city"},
            [](const ToolCall&) { return ToolResult::Text("rain"); });
  return tools;
}

ChatRequest RequestWith(const ToolRegistry& tools) {
  ChatRequest request{.prompt = "Say hi."};
  request.tools = tools;
  return request;
}

RunOptions HandingOut() {
  return {.token = "secret", .hand_out_execs = true, .hand_out_queries = true};
}

// A message of the client's from what the Run gave.
pb::AgentClientMessage Parse(const std::string& bytes) {
  pb::AgentClientMessage message;
  EXPECT_TRUE(message.ParseFromString(bytes)) << absl::CHexEscape(bytes);
  return message;
}

// The messages, of which the last closes the exec `id`.
std::vector<pb::AgentClientMessage> ClosedAnswer(const std::vector<std::string>& outputs,
                                                 uint32_t id) {
  std::vector<pb::AgentClientMessage> messages;
  for (const std::string& output : outputs) messages.push_back(Parse(output));
  if (messages.empty()) {
    ADD_FAILURE() << "no answer";
    return messages;
  }
  EXPECT_EQ(messages.back().exec_client_control_message().stream_close().id(), id);
  messages.pop_back();
  return messages;
}

std::string McpArgs(uint32_t id, const std::string& name, const std::string& call_id = "c-1") {
  pb::AgentServerMessage message;
  pb::ExecServerMessage& exec = *message.mutable_exec_server_message();
  exec.set_id(id);
  exec.mutable_mcp_args()->set_name(name);
  exec.mutable_mcp_args()->set_tool_call_id(call_id);
  (*exec.mutable_mcp_args()->mutable_args())["city"] =
      "\x1A\x04"
      "Bern";  // a Value: string
  return message.SerializeAsString();
}

TEST(RunTools, AreOfferedInTheRequestAndInTheContext) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  const pb::AgentClientMessage first = Parse(host.first().outputs.at(0));
  ASSERT_EQ(first.run_request().mcp_tools().mcp_tools_size(), 1);
  const pb::McpToolDefinition& offered = first.run_request().mcp_tools().mcp_tools(0);
  EXPECT_EQ(offered.name(), "get_weather");
  EXPECT_EQ(offered.provider_identifier(), "cursorwire");
  const auto answer =
      ClosedAnswer(host.Server("exec_server_message { id: 2 request_context_args {} }").outputs, 2);
  ASSERT_THAT(answer, SizeIs(1));
  const pb::RequestContext& context =
      answer[0].exec_client_message().request_context_result().success().request_context();
  ASSERT_EQ(context.tools_size(), 1);
  EXPECT_EQ(Difference(offered, context.tools(0)), "");
}

TEST(RunTools, HandOutACallAndSendItsResult) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  EXPECT_THAT(host.ServerBytes(McpArgs(7, "mcp_cursorwire_get_weather")).outputs, IsEmpty());
  const std::optional<ExecRequest> request = host.run().PollExec();
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->id, 7u);
  const auto* call = std::get_if<ToolCall>(&request->args);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->name, "get_weather");
  EXPECT_EQ(call->call_id, "c-1");
  EXPECT_EQ(call->arguments_json, R"({"city":"Bern"})");
  const auto answer = ClosedAnswer(host.Answer(7, ToolResult::Text("rain")).outputs, 7);
  ASSERT_THAT(answer, SizeIs(1));
  EXPECT_EQ(Difference(FromText<pb::McpResult>(R"(success { content { text { text: "rain" } } })"),
                       answer[0].exec_client_message().mcp_result()),
            "");
}

TEST(RunTools, MakeUpACallIdWhereTheServerGaveNone) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  host.ServerBytes(McpArgs(1, "get_weather", ""));
  host.ServerBytes(McpArgs(2, "get_weather", ""));
  const std::string first = std::get<ToolCall>(host.run().PollExec()->args).call_id;
  const std::string second = std::get<ToolCall>(host.run().PollExec()->args).call_id;
  EXPECT_THAT(first, SizeIs(36));
  EXPECT_THAT(second, SizeIs(36));
  EXPECT_NE(first, second);
}

TEST(RunTools, TellOfAFailureInTheResult) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  host.ServerBytes(McpArgs(1, "get_weather"));
  ASSERT_TRUE(host.run().PollExec().has_value());
  const auto answer = ClosedAnswer(
      host.Answer(1, absl::StatusOr<ExecOutput>(absl::NotFoundError("no such city"))).outputs, 1);
  ASSERT_THAT(answer, SizeIs(1));
  const pb::McpSuccess& success = answer[0].exec_client_message().mcp_result().success();
  EXPECT_TRUE(success.is_error());
  ASSERT_EQ(success.content_size(), 1);
  EXPECT_THAT(success.content(0).text().text(), HasSubstr("no such city"));
}

TEST(RunTools, RefuseACallOfAnotherToolWithTheNamesThatThereAre) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  const auto answer = ClosedAnswer(host.ServerBytes(McpArgs(1, "launch")).outputs, 1);
  ASSERT_THAT(answer, SizeIs(1));
  const pb::McpToolNotFound& refusal =
      answer[0].exec_client_message().mcp_result().tool_not_found();
  EXPECT_EQ(refusal.name(), "launch");
  ASSERT_EQ(refusal.available_tools_size(), 1);
  EXPECT_THAT(refusal.available_tools(0), HasSubstr("get_weather"));
  EXPECT_FALSE(host.run().PollExec().has_value());
}

TEST(RunTools, EndTheTurnAtOnceWhenTheRegistryIsBad) {
  ToolRegistry tools = Weather();
  tools.Add({.name = "get_weather"}, [](const ToolCall&) { return ToolResult::Text(""); });
  Host host(RequestWith(tools));
  EXPECT_THAT(host.first().outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("get_weather")));
}

TEST(RunTools, AreAnsweredInAnyOrder) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  for (const uint32_t id : {1u, 2u, 3u}) host.ServerBytes(McpArgs(id, "get_weather"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(host.run().PollExec().has_value());
  for (const uint32_t id : {3u, 1u, 2u}) {
    const auto answer = ClosedAnswer(host.Answer(id, ToolResult::Text("x")).outputs, id);
    ASSERT_THAT(answer, SizeIs(1));
    EXPECT_EQ(answer[0].exec_client_message().id(), id);
  }
  EXPECT_THAT(host.Server(kTurnEnded).events, ElementsAre("ended - - - - -"));
}

TEST(RunTools, RefuseArgumentsThatAreTooLarge) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  pb::AgentServerMessage message;
  pb::McpArgs& args = *message.mutable_exec_server_message()->mutable_mcp_args();
  args.set_name("get_weather");
  (*args.mutable_args())["city"] = std::string(size_t{9} << 20, 'x');
  const auto answer = ClosedAnswer(host.ServerBytes(message.SerializeAsString()).outputs, 0);
  ASSERT_THAT(answer, SizeIs(1));
  EXPECT_TRUE(answer[0].exec_client_message().mcp_result().success().is_error());
  EXPECT_FALSE(host.run().PollExec().has_value());
}

TEST(RunExecs, RefusalsNameTheToolsToUseInstead) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools));
  const auto answer = ClosedAnswer(
      host.Server("exec_server_message { id: 1 shell_args { command: \"ls\" } }").outputs, 1);
  ASSERT_THAT(answer, SizeIs(1));
  EXPECT_THAT(answer[0].exec_client_message().shell_result().rejected().reason(),
              HasSubstr("mcp_cursorwire_get_weather"));
}

// Nobody would see what is done after the end of the turn.
TEST(RunExecs, AreRefusedBehindTurnEnded) {
  const ToolRegistry tools = Weather();
  RunOptions options = HandingOut();
  Host host(RequestWith(tools), options);
  host.Server(kTurnEnded);
  const auto shell = ClosedAnswer(
      host.Server("exec_server_message { id: 1 shell_args { command: \"ls\" } }").outputs, 1);
  ASSERT_THAT(shell, SizeIs(1));
  EXPECT_TRUE(shell[0].exec_client_message().shell_result().has_rejected());
  EXPECT_THAT(ClosedAnswer(host.ServerBytes(McpArgs(2, "get_weather")).outputs, 2), SizeIs(1));
  EXPECT_FALSE(host.run().PollExec().has_value());
}

// --- signs of life

TEST(RunExecs, SendASignOfLifeForEachOneThatIsWorkedOn) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server("exec_server_message { id: 4 read_args { path: \"a\" } }");
  host.Server("exec_server_message { id: 9 read_args { path: \"b\" } }");
  EXPECT_EQ(host.NextDeadline(), milliseconds(3000));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(2999)).outputs, IsEmpty());
  const std::vector<std::string> outputs = host.OnDeadlineAt(milliseconds(3000)).outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_EQ(Parse(outputs[0]).exec_client_control_message().heartbeat().id(), 4u);
  EXPECT_EQ(Parse(outputs[1]).exec_client_control_message().heartbeat().id(), 9u);
  host.Answer(4, absl::StatusOr<ExecOutput>(ReadOutput{}));
  host.Answer(9, absl::StatusOr<ExecOutput>(ReadOutput{}));
  EXPECT_EQ(host.NextDeadline(), milliseconds(5000));  // the client's own
}

TEST(RunExecs, EndTheirSignsOfLifeWhenTheServerGivesThemUp) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server("exec_server_message { id: 4 read_args { path: \"a\" } }");
  host.Server("exec_server_control_message { abort { id: 4 } }");
  EXPECT_FALSE(host.run().exec_pending(4));
  EXPECT_EQ(host.NextDeadline(), milliseconds(5000));
}

TEST(RunExecs, HoldHeartbeatsBackWhileTheServerDoesNotRead) {
  Host host({.prompt = "p"}, HandingOut());
  cursorwire::Run& run = host.run();
  connect::TimePoint now = host.now();
  for (int i = 0; i < 5000; ++i) {
    now += milliseconds(5000);
    run.RestartWatchdog(now);
    run.OnDeadline(now);
  }
  size_t outputs = 0;
  while (run.PollOutput()) ++outputs;
  EXPECT_LE(outputs, 1024u);
  EXPECT_GT(outputs, 0u);
}

// --- streamed commands

constexpr char kStream[] =
    "exec_server_message { id: 5 shell_stream_args { command: \"make\" working_directory: \"/w\" } "
    "}";

std::string Kinds(const std::vector<std::string>& outputs) {
  std::string kinds;
  for (const std::string& output : outputs) {
    const pb::AgentClientMessage message = Parse(output);
    const pb::ShellStream& stream = message.exec_client_message().shell_stream();
    if (message.exec_client_control_message().has_stream_close()) kinds += "close ";
    if (stream.has_start()) kinds += "start ";
    if (stream.has_stdout()) kinds += "out(" + stream.stdout().data() + ") ";
    if (stream.has_stderr()) kinds += "err(" + stream.stderr().data() + ") ";
    if (stream.has_exit()) kinds += "exit(" + std::to_string(stream.exit().code()) + ") ";
    if (stream.has_rejected()) kinds += "rejected ";
  }
  return kinds;
}

TEST(RunShellStream, SendsPiecesAsTheyComeAndThenTheEnd) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server(kStream);
  const std::optional<ExecRequest> request = host.run().PollExec();
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(std::get<ShellArgs>(request->args).streamed);
  EXPECT_EQ(Kinds(host.AddOutput(5, "a").outputs), "start out(a) ");
  EXPECT_EQ(Kinds(host.AddOutput(5, "", "b").outputs), "err(b) ");
  EXPECT_EQ(Kinds(host.Answer(5, absl::StatusOr<ExecOutput>(ShellOutput{.exit_code = 2})).outputs),
            "exit(2) close ");
}

TEST(RunShellStream, SendsAllAtOnceWhereNoPieceCame) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server(kStream);
  EXPECT_EQ(
      Kinds(
          host.Answer(5, absl::StatusOr<ExecOutput>(ShellOutput{.out = "x", .err = "y"})).outputs),
      "start out(x) err(y) exit(0) close ");
}

TEST(RunShellStream, KeepsACharacterWholeThatIsCutBetweenPieces) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server(kStream);
  EXPECT_EQ(Kinds(host.AddOutput(5, "\xC3").outputs), "start ");
  EXPECT_EQ(Kinds(host.AddOutput(5, "\xA4").outputs), "out(\xC3\xA4) ");
  host.AddOutput(5, "\xE2\x82");
  EXPECT_EQ(Kinds(host.Answer(5, absl::StatusOr<ExecOutput>(ShellOutput{})).outputs),
            "out(\xEF\xBF\xBD\xEF\xBF\xBD) exit(0) close ");
}

TEST(RunShellStream, JoinsWhatWasCutWithTheRestOfTheOutput) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server(kStream);
  host.AddOutput(5, "a\xC3", "\xE2");
  EXPECT_EQ(Kinds(host.Answer(5, absl::StatusOr<ExecOutput>(
                                     ShellOutput{.out = "\xA4", .err = "\x82\xAC"}))
                      .outputs),
            "out(\xC3\xA4) err(\xE2\x82\xAC) exit(0) close ");
}

TEST(RunShellStream, HasOneStartWhenItFailsBehindAPiece) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server(kStream);
  host.AddOutput(5, "a");
  const std::string kinds =
      Kinds(host.Answer(5, absl::StatusOr<ExecOutput>(absl::PermissionDeniedError("no"))).outputs);
  EXPECT_THAT(kinds, AllOf(HasSubstr("exit("), ::testing::Not(HasSubstr("start")),
                           ::testing::Not(HasSubstr("rejected"))));
}

TEST(RunShellStream, TakesNoPieceOfAnotherAction) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server("exec_server_message { id: 1 shell_args { command: \"ls\" } }");
  EXPECT_THAT(host.AddOutput(1, "a").outputs, IsEmpty());
  EXPECT_THAT(host.AddOutput(2, "a").outputs, IsEmpty());
  EXPECT_TRUE(host.run().exec_pending(1));
}

// --- questions

constexpr char kSearch[] =
    "interaction_query { id: 3 web_search_request_query { args { search_term: \"cats\" } } }";

TEST(RunQueries, AreHandedOutAndAnswered) {
  Host host({.prompt = "p"}, HandingOut());
  EXPECT_THAT(host.Server(kSearch).outputs, IsEmpty());
  const std::optional<QueryRequest> request = host.run().PollQuery();
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->id, 3u);
  EXPECT_EQ(std::get<WebSearchQuery>(request->args).search_term, "cats");
  EXPECT_TRUE(host.run().query_pending(3));
  const std::vector<std::string> outputs =
      host.AnswerQuery(3, absl::StatusOr<QueryOutput>(QueryApproved{})).outputs;
  ASSERT_THAT(outputs, SizeIs(1));
  EXPECT_EQ(Difference(FromText<pb::InteractionResponse>(
                           "id: 3 web_search_request_response { approved {} }"),
                       Parse(outputs[0]).interaction_response()),
            "");
  EXPECT_FALSE(host.run().query_pending(3));
  EXPECT_THAT(host.AnswerQuery(3, absl::StatusOr<QueryOutput>(QueryApproved{})).outputs, IsEmpty());
}

TEST(RunQueries, ThatComeTwiceAreAnsweredOnce) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server(kSearch);
  EXPECT_THAT(host.Server(kSearch).outputs, IsEmpty());
  EXPECT_THAT(host.AnswerQuery(3, absl::StatusOr<QueryOutput>(QueryApproved{})).outputs, SizeIs(1));
  EXPECT_FALSE(host.run().query_pending(3));
}

TEST(RunQueries, EndTheTurnIfTwoHaveOneId) {
  Host host({.prompt = "p"}, HandingOut());
  host.Server(kSearch);
  host.Server("interaction_query { id: 3 web_fetch_request_query {} }");
  EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kInternal, HasSubstr("query 3")),
                                   test::HasOrigin(connect::ErrorOrigin::kProtocol)));
}

TEST(RunQueries, AreBounded) {
  Host host({.prompt = "p"}, HandingOut());
  pb::AgentServerMessage message = FromText<pb::AgentServerMessage>(kSearch);
  size_t refused = 0;
  for (uint32_t id = 0; id < 100; ++id) {
    message.mutable_interaction_query()->set_id(id);
    refused += host.ServerBytes(message.SerializeAsString()).outputs.size();
  }
  EXPECT_EQ(refused, 36u);
  // One that waits already is no further one.
  message.mutable_interaction_query()->set_id(0);
  EXPECT_THAT(host.ServerBytes(message.SerializeAsString()).outputs, IsEmpty());
}

// --- the watchdog

TEST(RunWatchdog, GivesUpASilentServer) {
  Host host({.prompt = "p"}, {.token = "t", .heartbeat_interval = {}});
  EXPECT_EQ(host.NextDeadline(), milliseconds(180'000));
  const auto taken = host.OnDeadlineAt(milliseconds(180'000));
  ASSERT_THAT(taken.outputs, SizeIs(2));
  EXPECT_TRUE(Parse(taken.outputs[0]).conversation_action().has_cancel_action());
  EXPECT_EQ(taken.outputs[1], "<close>");
  host.OnDeadlineAt(milliseconds(180'500));
  EXPECT_THAT(host.Result(),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("not a byte")));
}

// Who asks for a longer silence gets it.
TEST(RunWatchdog, LeavesSilenceToTheRequestThatSaysHowLong) {
  Host host({.prompt = "p", .idle_timeout = milliseconds(400'000)},
            {.token = "t", .heartbeat_interval = {}});
  EXPECT_EQ(host.NextDeadline(), milliseconds(600'000));  // of heartbeats alone
}

TEST(RunWatchdog, GivesUpAServerThatOnlySendsHeartbeats) {
  Host host({.prompt = "p"}, {.token = "t", .heartbeat_interval = {}});
  for (int s = 5; s < 600; s += 5) {
    host.OnDeadlineAt(std::chrono::seconds(s));
    ASSERT_FALSE(host.run().ended());
    host.Server("interaction_update { heartbeat {} }");
  }
  host.OnDeadlineAt(milliseconds(600'000));
  host.OnDeadlineAt(milliseconds(600'500));
  EXPECT_THAT(host.Result(),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("heartbeats")));
}

TEST(RunWatchdog, LetsAToolTakeItsTimeAndThenNamesIt) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools),
            {.token = "t", .heartbeat_interval = {}, .exec_heartbeat_interval = {}});
  host.ServerBytes(McpArgs(12, "get_weather"));
  EXPECT_EQ(host.NextDeadline(), milliseconds(3'600'000));
  host.OnDeadlineAt(milliseconds(3'600'000));
  EXPECT_FALSE(host.run().exec_pending(12));
  host.OnDeadlineAt(milliseconds(3'600'500));
  EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kDeadlineExceeded,
                                      AllOf(HasSubstr("exec 12"), HasSubstr("mcp_args"))));
}

TEST(RunWatchdog, NamesAQuestionThatNobodyAnswered) {
  RunOptions options = HandingOut();
  options.heartbeat_interval = {};
  Host host({.prompt = "p"}, options);
  host.Server(kSearch);
  host.OnDeadlineAt(milliseconds(3'600'000));
  host.OnDeadlineAt(milliseconds(3'600'500));
  EXPECT_THAT(host.Result(),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       AllOf(HasSubstr("interaction query 3"), HasSubstr("web_search"))));
}

TEST(RunWatchdog, GivesTheServerItsTimeBehindAnAnswer) {
  const ToolRegistry tools = Weather();
  Host host(RequestWith(tools), {.token = "t", .heartbeat_interval = {}});
  host.ServerBytes(McpArgs(1, "get_weather"));
  host.Sleep(milliseconds(1'000'000));
  host.Answer(1, ToolResult::Text("x"));
  EXPECT_EQ(host.NextDeadline(), milliseconds(1'180'000));
}

TEST(RunWatchdog, IsOffBehindTurnEnded) {
  Host host({.prompt = "p"}, {.token = "t", .heartbeat_interval = {}});
  host.Server(kTurnEnded);
  host.OnDeadlineAt(milliseconds(10'000));
  EXPECT_THAT(host.Result(), IsOk());
}

TEST(RunWatchdog, CountsWhatSaysNothingAsASignOfLifeAlone) {
  Host host({.prompt = "p"}, {.token = "t", .heartbeat_interval = {}});
  for (int s = 5; s < 600; s += 5) {
    host.OnDeadlineAt(std::chrono::seconds(s));
    ASSERT_FALSE(host.run().ended());
    host.Server(s % 2 == 0 ? "interaction_update { message_started_at_ms: 5 }" : "");
  }
  host.OnDeadlineAt(milliseconds(600'000));
  host.OnDeadlineAt(milliseconds(600'500));
  EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

// What the server sent while the process was stopped waits to be read, the last checkpoint perhaps.
TEST(RunWatchdog, LetsALateHostReadBehindTurnEnded) {
  Host host;
  host.Server(kTurnEnded);
  host.OnDeadlineAt(milliseconds(60'000));
  ASSERT_FALSE(host.run().ended());
  EXPECT_THAT(host.Server("conversation_checkpoint_update: \"last\"").events,
              ElementsAre("checkpoint last"));
  host.OnDeadlineAt(milliseconds(70'000));
  EXPECT_THAT(host.Result(), IsOk());
}

TEST(RunWatchdog, LetsAHostThatDidNotReadHaveItsTimeBehindTurnEnded) {
  Host host({.prompt = "p"}, {.token = "t", .heartbeat_interval = {}});
  host.Server(kTurnEnded);
  host.Sleep(milliseconds(9'000));
  host.run().RestartWatchdog(host.now());
  EXPECT_EQ(host.NextDeadline(), milliseconds(19'000));
}

// --- drift

TEST(RunDrift, IsReportedOnceAndCounted) {
  const auto log = std::make_shared<DriftLog>();
  RunOptions options{.token = "t"};
  options.drift = log;
  Host host({.prompt = "p"}, options);
  // Field 30 of interaction_update, a varint.
  const std::string strange("\x0A\x03\xF0\x01\x07", 5);
  EXPECT_THAT(host.ServerBytes(strange).events, ElementsAre("drift interaction_update.30"));
  EXPECT_THAT(host.ServerBytes(strange).events, IsEmpty());
  EXPECT_THAT(log->Counts(),
              ElementsAre(std::pair<const std::string, uint64_t>("interaction_update.30", 2)));
}

TEST(RunDrift, IsNeverTakenForAnExec) {
  Host host({.prompt = "p"}, HandingOut());
  // An exec of id 1 with an unknown field 99 in place of its kind: it is thrown, not guessed.
  const std::string strange("\x12\x06\x08\x01\x9A\x06\x01x", 8);
  const auto taken = host.ServerBytes(strange);
  EXPECT_THAT(taken.events, ElementsAre("drift exec_server_message.99"));
  const auto answer = ClosedAnswer(taken.outputs, 1);
  ASSERT_THAT(answer, SizeIs(1));
  EXPECT_TRUE(answer[0].exec_client_control_message().has_throw_());
  EXPECT_FALSE(host.run().PollExec().has_value());
}

// --- checkpoints

TEST(RunCheckpoint, TellsTheSizeOfTheContext) {
  Host host;
  pb::ConversationStateStructure state;
  state.mutable_token_details()->set_used_tokens(1234);
  state.mutable_token_details()->set_max_tokens(200'000);
  pb::AgentServerMessage message;
  message.set_conversation_checkpoint_update(state.SerializeAsString());
  cursorwire::Run& run = host.run();
  const std::string bytes = message.SerializeAsString();
  run.On(connect::CallEvent(connect::MessageView{bytes, bytes.size()}), host.now());
  const auto event = run.PollEvent();
  ASSERT_TRUE(event.has_value() && event->ok());
  const auto* checkpoint = (*event)->As<Checkpoint>();
  ASSERT_NE(checkpoint, nullptr);
  EXPECT_EQ(checkpoint->used_tokens, 1234);
  EXPECT_EQ(checkpoint->max_tokens, 200'000);
  EXPECT_EQ(checkpoint->state, state.SerializeAsString());
}

}  // namespace
}  // namespace cursorwire
