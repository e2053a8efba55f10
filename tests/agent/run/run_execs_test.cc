#include "cursorwire/run.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/run/end_statuses.h"
#include "agent/run/known_ids.h"
#include "agent/run/run_host.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/tools.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/heap_bytes.h"
#include "support/hex.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;
using connect::ErrorOrigin;
using connect::TimePoint;
using std::chrono::milliseconds;
using test::FromHex;
using test::FromText;
using test::Golden;
using test::HasOrigin;
using test::HeapBytes;
using test::Host;
using test::IsOk;
using test::KnownIds;
using test::kTurnEnded;
using test::Line;
using test::Serialize;
using test::SerializeClient;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

TEST(Run, AnswersAnExecAndClosesIt) {
  Host host;
  const Host::Taken taken =
      host.Server(R"(exec_server_message { id: 1 exec_id: "e" request_context_args {} })");
  EXPECT_THAT(taken.outputs,
              ElementsAre(FromText<pb::AgentClientMessage>(
                              R"(exec_client_message { id: 1 exec_id: "e"
                   request_context_result { success { request_context {} } } })")
                              .SerializeAsString(),
                          FromText<pb::AgentClientMessage>(
                              "exec_client_control_message { stream_close { id: 1 } }")
                              .SerializeAsString()));
  EXPECT_THAT(taken.events, IsEmpty());
}

TEST(Run, ThrowsForAnUnknownExecAndGoesOn) {
  Host host;
  // Exec 9, with a field 46 that this schema does not know.
  const Host::Taken taken = host.ServerBytes(FromHex("12 05 08 09 F2 02 00"));
  ASSERT_THAT(taken.outputs, SizeIs(2));
  const auto thrown = [&] {
    pb::AgentClientMessage message;
    EXPECT_TRUE(message.ParseFromString(taken.outputs[0]));
    return message;
  }();
  EXPECT_EQ(thrown.exec_client_control_message().throw_().id(), 9u);
  EXPECT_EQ(taken.outputs[1], FromHex("2A 04 0A 02 08 09"));
  EXPECT_FALSE(host.run().finished());
}

TEST(Run, TellsTheStateOfServersBehindTools) {
  ChatRequest request{.prompt = "p"};
  const auto result = [](const ToolCall&) { return ToolResult::Text(""); };
  request.tools.Add({.name = "own"}, result)
      .Add({.name = "s_look", .provider = "s", .tool_name = "look"}, result)
      .AddServer({.provider = "s", .name = "The server"})
      .AddServer({.provider = "lost", .name = "lost", .status = "error"})
      .AddInstructions({.provider = "s", .server = "The server", .text = "Look first."});
  Host host(request);
  const Host::Taken taken = host.Server("exec_server_message { id: 1 mcp_state_exec_args {} }");
  ASSERT_THAT(taken.outputs, SizeIs(2));
  const std::string schema = R"(input_schema { struct_value {
      fields { key: "properties" value { struct_value {} } }
      fields { key: "required" value { list_value {} } }
      fields { key: "type" value { string_value: "object" } } } })";
  const auto expected = FromText<pb::AgentClientMessage>(
      R"(exec_client_message { id: 1 mcp_state_exec_result { success {
           servers { server_name: "The server" server_identifier: "s" status: "ready"
                     tools { name: "s_look" provider_identifier: "s" tool_name: "look" )" +
      schema + R"( }
                     instructions { server_name: "The server" instructions: "Look first."
                                    server_identifier: "s" } }
           servers { server_name: "lost" server_identifier: "lost" status: "error" }
           servers { server_name: "cursorwire" server_identifier: "cursorwire" status: "ready"
                     tools { name: "own" provider_identifier: "cursorwire" tool_name: "own" )" +
      schema + " } } } } }");
  pb::AgentClientMessage answer;
  ASSERT_TRUE(answer.ParseFromString(taken.outputs[0]));
  EXPECT_EQ(test::Difference(expected, answer), "");
}

TEST(Run, HandsOutQuestionsForResourcesThatTheToolsServe) {
  constexpr char kAsk[] = R"(exec_server_message { id: 1
      read_mcp_resource_exec_args { server: "s" uri: "u:1" } })";
  ChatRequest request{.prompt = "p"};
  Host refusing(request);
  EXPECT_THAT(refusing.Server(kAsk).outputs, SizeIs(2));
  request.tools.ServeResources(std::make_shared<ExecHandler>());
  Host host(request);
  EXPECT_THAT(host.Server(kAsk).outputs, IsEmpty());
  const std::optional<ExecRequest> exec = host.run().PollExec();
  ASSERT_TRUE(exec);
  EXPECT_EQ(std::get<ReadMcpResourceArgs>(exec->args).uri, "u:1");
  // Others are refused, as ever.
  EXPECT_THAT(host.Server("exec_server_message { id: 2 ls_args {} }").outputs, SizeIs(2));
}

TEST(Run, AnswersAQuery) {
  Host host;
  const Host::Taken taken = host.Server("interaction_query { id: 2 setup_vm_environment_args {} }");
  EXPECT_THAT(taken.outputs, ElementsAre(FromText<pb::AgentClientMessage>(
                                             "interaction_response { id: 2 "
                                             "setup_vm_environment_result { success {} } }")
                                             .SerializeAsString()));
}

// The same answers whether or not there is somebody to ask.
TEST(Run, AnswersQuestionsAboutMachinesItself) {
  for (const bool asks : {false, true}) {
    SCOPED_TRACE(asks);
    Host host({.prompt = "p"}, {.token = "secret", .hand_out_queries = asks});
    EXPECT_THAT(
        host.Server("interaction_query { id: 2 setup_vm_environment_args {} }").outputs,
        ElementsAre(FromText<pb::AgentClientMessage>("interaction_response { id: 2 "
                                                     "setup_vm_environment_result { success {} } }")
                        .SerializeAsString()));
    EXPECT_THAT(host.Server("interaction_query { id: 3 replace_env_args {} }").outputs,
                ElementsAre(FromText<pb::AgentClientMessage>(
                                R"(interaction_response { id: 3 replace_env_result {
                                     failure { error_message: "There is no user to ask." } } })")
                                .SerializeAsString()));
    EXPECT_FALSE(host.run().PollQuery().has_value());
  }
}

TEST(Run, StopsForAnUnknownQuery) {
  for (const bool server_ends : {false, true}) {
    SCOPED_TRACE(server_ends);
    Host host;
    host.Sleep(milliseconds(1000));
    const Host::Taken taken = host.ServerBytes(FromHex("3A 05 08 07 72 01 78"));
    EXPECT_THAT(taken.outputs, ElementsAre(Golden("agent_cancel.hex"), "<close>"));
    EXPECT_THAT(taken.events, IsEmpty());
    EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(1500)));
    // Neither another one nor the user changes the reason.
    EXPECT_THAT(host.ServerBytes(FromHex("3A 02 08 08")), GaveNothing());
    EXPECT_THAT(host.Cancel(), GaveNothing());
    if (server_ends) {
      EXPECT_THAT(host.End(EndStreamError(R"({"code":"canceled"})")).outputs, IsEmpty());
    } else {
      EXPECT_THAT(host.OnDeadlineAt(milliseconds(1500)).outputs, ElementsAre("<cancel>"));
    }
    EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("7")),
                                     HasOrigin(ErrorOrigin::kLocal)));
  }
}

// --- actions that are handed out

RunOptions HandOut() { return {.token = "secret", .hand_out_execs = true}; }

// Nothing of the user's is handed out for them, but the model is told what it is that is refused.
TEST(RunExecs, NamesWhatNoHandlerServes) {
  const struct {
    const char* exec;
    const char* result;
    const char* action;
  } kCases[] = {
      {"exec_server_message { id: 1 record_screen_args {} }", "record_screen_result { failure",
       "recording the screen"},
      {"exec_server_message { id: 1 computer_use_args {} }", "computer_use_result { error",
       "using the mouse and the keyboard"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.exec);
    Host host({.prompt = "p"}, HandOut());
    const Host::Taken taken = host.Server(c.exec);
    EXPECT_FALSE(host.run().PollExec().has_value());
    ASSERT_THAT(taken.outputs, SizeIs(2));
    const std::string answer = absl::StrCat("exec_client_message { id: 1 ", c.result,
                                            " { error: \"This client does not allow ", c.action,
                                            ". Use another tool, or answer without it.\" } } }");
    EXPECT_EQ(taken.outputs[0],
              FromText<pb::AgentClientMessage>(answer.c_str()).SerializeAsString());
  }
}

TEST(Run, HandsOutAnActionAndSendsItsAnswer) {
  Host host({.prompt = "p"}, HandOut());
  EXPECT_THAT(host.Server(R"(exec_server_message { id: 5 exec_id: "e" ls_args { path: "d" } })"),
              GaveNothing());
  const std::optional<ExecRequest> request = host.run().PollExec();
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->id, 5u);
  EXPECT_EQ(std::get<LsArgs>(request->args).path, "d");
  EXPECT_FALSE(host.run().PollExec().has_value());
  EXPECT_TRUE(host.run().exec_pending(5));

  EXPECT_THAT(
      host.Answer(5, LsOutput{.root = {.path = "/w"}}).outputs,
      ElementsAre(SerializeClient(R"(exec_client_message { id: 5 exec_id: "e" ls_result {
                                  success { directory_tree_root { abs_path: "/w" } } } })"),
                  SerializeClient("exec_client_control_message { stream_close { id: 5 } }")));
  EXPECT_FALSE(host.run().exec_pending(5));
  // Nobody waits for another.
  EXPECT_THAT(host.Answer(5, LsOutput{}), GaveNothing());
}

TEST(Run, TakesAnswersInAnyOrder) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 ls_args {} }");
  host.Server("exec_server_message { id: 2 read_args {} }");
  EXPECT_EQ(host.run().PollExec()->id, 1u);
  EXPECT_EQ(host.run().PollExec()->id, 2u);
  EXPECT_EQ(host.Answer(2, absl::NotFoundError("no")).outputs.size(), 2u);
  EXPECT_EQ(host.Answer(1, absl::NotFoundError("no")).outputs.size(), 2u);
}

TEST(Run, AnswersByItselfWhatNoHandlerServes) {
  Host host({.prompt = "p"}, HandOut());
  EXPECT_EQ(host.Server("exec_server_message { id: 1 request_context_args {} }").outputs.size(),
            2u);
  EXPECT_EQ(host.Server("exec_server_message { id: 2 mcp_args { name: \"t\" } }").outputs.size(),
            2u);
  EXPECT_EQ(host.Server("exec_server_message { id: 3 subagent_args: \"\" }").outputs.size(), 2u);
  EXPECT_FALSE(host.run().PollExec().has_value());
}

TEST(Run, ForgetsAnActionThatTheServerGivesUp) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 ls_args {} }");
  host.Server("exec_server_message { id: 2 ls_args {} }");
  EXPECT_EQ(host.run().PollExec()->id, 1u);
  EXPECT_THAT(host.Server("exec_server_control_message { abort { id: 1 } }"), GaveNothing());
  EXPECT_THAT(host.Server("exec_server_control_message { abort { id: 2 } }"), GaveNothing());
  EXPECT_THAT(host.Server("exec_server_control_message { abort { id: 3 } }"), GaveNothing());
  EXPECT_FALSE(host.run().exec_pending(1));
  EXPECT_FALSE(host.run().PollExec().has_value());
  EXPECT_THAT(host.Answer(1, LsOutput{}), GaveNothing());
}

TEST(Run, AnswersAnActionOnceThatComesTwice) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 ls_args { path: \"a\" } }");
  EXPECT_THAT(host.Server("exec_server_message { id: 1 ls_args { path: \"a\" } }"), GaveNothing());
  EXPECT_TRUE(host.run().PollExec().has_value());
  EXPECT_FALSE(host.run().PollExec().has_value());
}

// Whatever is answered, the server could take it for the answer to the other.
TEST(Run, EndsTheTurnWhenTwoActionsHaveOneId) {
  for (const char* second :
       {"exec_server_message { id: 1 read_args { path: \"a\" } }",
        "exec_server_message { id: 1 exec_id: \"x\" ls_args { path: \"a\" } }"}) {
    SCOPED_TRACE(second);
    Host host({.prompt = "p"}, HandOut());
    host.Server("exec_server_message { id: 1 ls_args { path: \"a\" } }");
    host.Server(second);
    EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kInternal, HasSubstr("exec 1")),
                                     HasOrigin(ErrorOrigin::kProtocol)));
  }
}

TEST(Run, BoundsTheActionsThatWait) {
  Host host({.prompt = "p"}, HandOut());
  pb::AgentServerMessage message;
  message.mutable_exec_server_message()->mutable_ls_args();
  for (uint32_t id = 0; id < 256; ++id) {
    message.mutable_exec_server_message()->set_id(id);
    ASSERT_THAT(host.ServerBytes(message.SerializeAsString()), GaveNothing());
  }
  message.mutable_exec_server_message()->set_id(256);
  EXPECT_EQ(host.ServerBytes(message.SerializeAsString()).outputs.size(), 2u);
  host.Answer(0, LsOutput{});
  message.mutable_exec_server_message()->set_id(257);
  EXPECT_THAT(host.ServerBytes(message.SerializeAsString()), GaveNothing());
}

TEST(Run, BoundsTheBytesOfActionsThatWait) {
  Host host({.prompt = "p"}, HandOut());
  pb::AgentServerMessage message;
  pb::ExecServerMessage& exec = *message.mutable_exec_server_message();
  exec.mutable_write_args()->set_file_text(std::string(size_t{33} << 20, 'x'));
  exec.set_id(1);
  EXPECT_THAT(host.ServerBytes(message.SerializeAsString()), GaveNothing());
  exec.set_id(2);
  EXPECT_EQ(host.ServerBytes(message.SerializeAsString()).outputs.size(), 2u);
  EXPECT_TRUE(host.run().exec_pending(1));
  EXPECT_FALSE(host.run().exec_pending(2));
}

// What each type of a failure says of the machine must be true.
TEST(Run, TellsNoFailureOfTheMachineThatItDidNotHave) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 read_args {} }");
  host.Server("exec_server_message { id: 2 ls_args {} }");
  pb::AgentClientMessage answer;
  for (uint32_t id = 3; id <= 256; ++id) {
    host.Server(absl::StrCat("exec_server_message { ls_args {} id: ", id, " }").c_str());
  }
  ASSERT_TRUE(answer.ParseFromString(
      host.Server("exec_server_message { id: 300 write_args {} }").outputs.at(0)));
  EXPECT_TRUE(answer.exec_client_message().write_result().has_error());
}

// The context may be large, and a question for it is a few bytes.
TEST(Run, MakesARequestContextOnlyWhenItCanBeSent) {
  KnownIds ids;
  cursorwire::Run run({.prompt = "p",
                       .system = std::string(size_t{1} << 20, 's'),
                       .system_placement = SystemPlacement::kCloudRule},
                      {}, ids, TimePoint());
  ASSERT_TRUE(run.PollOutput().has_value());
  const auto ask = [&run] {
    const std::string bytes =
        Serialize("exec_server_message { id: 1 exec_id: \"e\" request_context_args {} }");
    run.On(connect::CallEvent(connect::MessageView{bytes, 0}), TimePoint());
  };
  const size_t before = HeapBytes();
  for (int i = 0; i < 100; ++i) ask();
  EXPECT_LT(HeapBytes(), before + (size_t{32} << 20));
  for (int i = 0; i < 100; ++i) {
    pb::AgentClientMessage answer;
    ASSERT_TRUE(answer.ParseFromString(std::get<SendMessage>(*run.PollOutput()).message));
    EXPECT_EQ(answer.exec_client_message().exec_id(), "e");
    ASSERT_TRUE(answer.ParseFromString(std::get<SendMessage>(*run.PollOutput()).message));
    EXPECT_EQ(answer.exec_client_control_message().stream_close().id(), 1u);
  }
  EXPECT_FALSE(run.PollOutput().has_value());
}

// A call of a few bytes is refused by a message that names the tools there are.
TEST(Run, MakesRefusalsOnlyWhenTheyCanBeSent) {
  ToolRegistry tools;
  for (int i = 0; i < 60; ++i) {
    tools.Add({.name = absl::StrCat("a_tool_with_a_rather_long_name_", i)},
              [](const ToolCall&) { return ToolResult::Text(""); });
  }
  KnownIds ids;
  ChatRequest request{.prompt = "p"};
  request.tools = tools;
  const char* const kExecs[] = {
      "exec_server_message { id: 1 mcp_args { name: \"x\" } }",
      "exec_server_message { id: 1 mcp_args {} }",
      "exec_server_message { id: 1 }",
      "exec_server_message { id: 1 shell_args {} }",
      "exec_server_message { id: 1 read_args {} }",
  };
  for (const char* const exec : kExecs) {
    for (const bool behind_the_turn : {false, true}) {
      SCOPED_TRACE(testing::Message() << exec << behind_the_turn);
      cursorwire::Run run(request, {}, ids, TimePoint());
      ASSERT_TRUE(run.PollOutput().has_value());
      const auto receive = [&run](const std::string& bytes) {
        run.On(connect::CallEvent(connect::MessageView{bytes, 0}), TimePoint());
      };
      if (behind_the_turn) receive(Serialize(kTurnEnded));
      const std::string bytes = Serialize(exec);
      const size_t envelopes = (size_t{1} << 17) / (bytes.size() + 5);
      const size_t before = HeapBytes();
      for (size_t i = 0; i < envelopes; ++i) receive(bytes);
      EXPECT_LT(HeapBytes() - before, size_t{4} << 20);
      for (size_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(run.PollOutput().has_value());
        const std::optional<RunOutput> close = run.PollOutput();
        pb::AgentClientMessage message;
        ASSERT_TRUE(message.ParseFromString(std::get<SendMessage>(*close).message));
        ASSERT_TRUE(message.has_exec_client_control_message()) << message.ShortDebugString();
      }
    }
  }
}

TEST(Run, DoesNothingTwiceThatWasAnswered) {
  struct Case {
    const char* name;
    const char* again;
    bool done;
  };
  const Case cases[] = {
      {"the same", "exec_server_message { id: 1 exec_id: \"x\" ls_args { path: \"a\" } }", false},
      {"of another exec_id", "exec_server_message { id: 1 exec_id: \"y\" ls_args { path: \"a\" } }",
       true},
      {"of another id", "exec_server_message { id: 2 exec_id: \"x\" ls_args { path: \"a\" } }",
       true},
      {"of another kind", "exec_server_message { id: 1 exec_id: \"x\" read_args { path: \"a\" } }",
       true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Host host({.prompt = "p"}, HandOut());
    host.Server("exec_server_message { id: 1 exec_id: \"x\" ls_args { path: \"a\" } }");
    ASSERT_TRUE(host.run().PollExec().has_value());
    EXPECT_THAT(host.Answer(1, LsOutput{}).outputs, SizeIs(2));
    EXPECT_THAT(host.Server(c.again), GaveNothing());
    EXPECT_EQ(host.run().PollExec().has_value(), c.done);
  }
}

// Where the service gives none, what it asks for tells.
TEST(Run, DoesNothingTwiceThatWasAnsweredThoughItHasNoExecId) {
  ToolRegistry tools;
  tools.Add({.name = "look"}, [](const ToolCall&) { return ToolResult::Text(""); });
  ChatRequest request{.prompt = "p"};
  request.tools = tools;
  Host host(request, HandOut());
  const char kCall[] =
      "exec_server_message { id: 1 mcp_args { name: \"look\" args { key: \"a\" value: \"1\" } "
      "args { key: \"b\" value: \"2\" } } }";
  const char kOther[] =
      "exec_server_message { id: 1 mcp_args { name: \"look\" args { key: \"a\" value: \"3\" } "
      "args { key: \"b\" value: \"2\" } } }";
  host.Server(kCall);
  ASSERT_TRUE(host.run().PollExec().has_value());
  EXPECT_THAT(host.Answer(1, ToolResult::Text("")).outputs, SizeIs(2));
  host.Server(kCall);
  EXPECT_FALSE(host.run().PollExec().has_value());
  host.Server(kOther);
  EXPECT_TRUE(host.run().PollExec().has_value());
}

TEST(Run, RemembersABoundedNumberOfAnswers) {
  Host host({.prompt = "p"}, HandOut());
  pb::AgentServerMessage message;
  message.mutable_exec_server_message()->mutable_ls_args();
  for (uint32_t id = 0; id <= 1024; ++id) {
    message.mutable_exec_server_message()->set_id(id);
    host.ServerBytes(message.SerializeAsString());
    ASSERT_TRUE(host.run().PollExec().has_value()) << id;
    host.Answer(id, LsOutput{});
  }
  message.mutable_exec_server_message()->set_id(1);
  host.ServerBytes(message.SerializeAsString());
  EXPECT_FALSE(host.run().PollExec().has_value());
  message.mutable_exec_server_message()->set_id(0);  // the oldest, forgotten
  host.ServerBytes(message.SerializeAsString());
  EXPECT_TRUE(host.run().PollExec().has_value());
}

// What is only shown is shown as far as it goes; what is acted on is taken as it is or not at all.
TEST(Run, ShowsTextThatIsNoUtf8) {
  const auto with_bad_byte = [](std::string bytes) {
    bytes.replace(bytes.find('#'), 1, "\xff");
    return bytes;
  };
  Host host({.prompt = "p"}, HandOut());
  EXPECT_THAT(host.ServerBytes(with_bad_byte(Serialize(
                                   "interaction_update { text_delta { text: \"a#b\" } }")))
                  .events,
              ElementsAre("text a\xEF\xBF\xBD"
                          "b"));
  EXPECT_THAT(host.ServerBytes(with_bad_byte(Serialize(
                                   "interaction_update { thinking_delta { text: \"#\" } }")))
                  .events,
              ElementsAre("thinking \xEF\xBF\xBD"));
  EXPECT_FALSE(host.run().ended());
  host.ServerBytes(with_bad_byte(Serialize("exec_server_message { ls_args { path: \"#\" } }")));
  EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kInternal, HasSubstr("does not parse")));
}

TEST(Run, TellsTheServerOfAResultThatIsTooLarge) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 read_args { path: \"f\" } }");
  const Host::Taken taken =
      host.Answer(1, ReadOutput{.content = std::string(size_t{17} << 20, 'x')});
  ASSERT_EQ(taken.outputs.size(), 2u);
  pb::AgentClientMessage answer;
  ASSERT_TRUE(answer.ParseFromString(taken.outputs[0]));
  EXPECT_THAT(answer.exec_client_message().read_result().error().error(), HasSubstr("too large"));
}

TEST(Run, WantsNoAnswerOnceTheTurnIsOver) {
  for (const bool cancel : {true, false}) {
    SCOPED_TRACE(cancel);
    Host host({.prompt = "p"}, HandOut());
    host.Server("exec_server_message { id: 1 ls_args {} }");
    if (cancel) {
      host.Cancel();
      host.Server("exec_server_message { id: 2 ls_args {} }");
    } else {
      host.End(EndWithoutEndStream());
    }
    EXPECT_FALSE(host.run().exec_pending(1));
    EXPECT_FALSE(host.run().exec_pending(2));
    EXPECT_FALSE(host.run().PollExec().has_value());
    EXPECT_THAT(host.Answer(1, LsOutput{}), GaveNothing());
  }
}

TEST(Run, TellsTheRequestContextWhatItKnows) {
  Host host({.prompt = "p", .system = "Be brief.", .system_placement = SystemPlacement::kBoth},
            {.token = "t",
             .environment = {.os_version = "linux 6.1",
                             .shell = "/bin/sh",
                             .time_zone = "Europe/Zurich",
                             .workspace = "/w"}});
  const Host::Taken taken = host.Server("exec_server_message { id: 1 request_context_args {} }");
  ASSERT_EQ(taken.outputs.size(), 2u);
  EXPECT_EQ(taken.outputs[0],
            SerializeClient(R"(exec_client_message { id: 1 request_context_result { success {
              request_context {
                env { os_version: "linux 6.1" workspace_paths: "/w" shell: "/bin/sh"
                      time_zone: "Europe/Zurich" process_working_directory: "/w" }
                cloud_rule: "Be brief." } } } })"));
}

TEST(Run, AnswersManyMessagesInTheirOrder) {
  KnownIds ids;
  cursorwire::Run run({.prompt = "p"}, {}, ids, TimePoint());
  ASSERT_TRUE(run.PollOutput().has_value());
  const char* const messages[] = {
      "kv_server_message { id: 0 get_blob_args { blob_id: \"x\" } }",
      "exec_server_message { id: 1 ls_args {} }",
      "interaction_update { text_delta { text: \"a\" } }",
      "exec_server_message { id: 2 read_args {} }",
      "interaction_query { id: 3 web_search_request_query {} }",
      "interaction_update { text_delta { text: \"b\" } }",
      "kv_server_message { id: 4 get_blob_args { blob_id: \"y\" } }",
  };
  // All before anything is polled, as from one DATA frame.
  for (const char* message : messages) {
    const std::string bytes = Serialize(message);
    run.On(connect::CallEvent(connect::MessageView{bytes, 0}), TimePoint());
  }
  std::vector<std::string> sent;
  while (std::optional<RunOutput> output = run.PollOutput()) {
    pb::AgentClientMessage message;
    ASSERT_TRUE(message.ParseFromString(std::get<SendMessage>(*output).message));
    if (message.has_kv_client_message()) {
      sent.push_back("kv " + std::to_string(message.kv_client_message().id()));
    } else if (message.has_exec_client_message()) {
      sent.push_back("exec " + std::to_string(message.exec_client_message().id()));
    } else if (message.has_exec_client_control_message()) {
      sent.push_back("close " +
                     std::to_string(message.exec_client_control_message().stream_close().id()));
    } else {
      sent.push_back("query " + std::to_string(message.interaction_response().id()));
    }
  }
  EXPECT_THAT(sent,
              ElementsAre("kv 0", "exec 1", "close 1", "exec 2", "close 2", "query 3", "kv 4"));
  std::vector<std::string> events;
  while (std::optional<absl::StatusOr<ChatEvent>> event = run.PollEvent()) {
    ASSERT_THAT(*event, IsOk());
    events.push_back(Line(**event));
  }
  // The blobs were looked for when their answers were polled.
  EXPECT_THAT(events, ElementsAre("text a", "text b", "state lost"));
}

}  // namespace
}  // namespace cursorwire
