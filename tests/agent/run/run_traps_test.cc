// What cost other clients a bug, as far as it concerns a single run. The numbers are those of
// docs/protocol.md, traps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "agent/run/run_host.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "cursorwire/run.h"
#include "cursorwire/tools.h"
#include "support/errors.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;

using std::chrono::milliseconds;
using test::Host;
using test::IsOk;
using test::kTurnEnded;
using test::Serialize;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

pb::AgentClientMessage ParseMessage(const std::string& bytes) {
  pb::AgentClientMessage message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  return message;
}

pb::ConversationStateStructure FirstState(Host& host) {
  pb::ConversationStateStructure state;
  EXPECT_TRUE(state.ParseFromString(
      ParseMessage(host.first().outputs.at(0)).run_request().conversation_state()));
  return state;
}

ToolRegistry OneTool() {
  ToolRegistry tools;
  tools.Add({.name = "look"}, [](const ToolCall&) { return ToolResult::Text(""); });
  return tools;
}

ChatRequest AskWith(const ToolRegistry& tools) {
  ChatRequest request{.prompt = "p"};
  request.tools = tools;
  return request;
}

std::string CallOfLook(uint32_t id) {
  return "exec_server_message { id: " + std::to_string(id) +
         " mcp_args { name: \"look\" tool_call_id: \"c\" } }";
}

TEST(RunTrap1, RulesGoWhereTheServerReadsThem) {
  Host host({.prompt = "p", .system = "Be brief."});
  const pb::ConversationStateStructure state = FirstState(host);
  ASSERT_EQ(state.root_prompt_messages_json_size(), 2);
  pb::AgentServerMessage ask;
  ask.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(
      state.root_prompt_messages_json(1));
  const auto outputs = host.ServerBytes(ask.SerializeAsString()).outputs;
  ASSERT_THAT(outputs, SizeIs(1));
  const std::string blob =
      ParseMessage(outputs[0]).kv_client_message().get_blob_result().blob_data();
  EXPECT_THAT(blob, HasSubstr(R"("role":"user")"));
  EXPECT_THAT(blob, HasSubstr("<rules>"));
}

TEST(RunTrap1, EveryIdOfTheStateIsThatOfABlob) {
  Host host({.prompt = "p", .system = "Be brief."});
  EXPECT_THAT(FirstState(host).root_prompt_messages_json(), Each(SizeIs(32)));
}

TEST(RunTrap1, AMissingBlobIsSaidAloud) {
  Host host;
  EXPECT_THAT(host.Server("kv_server_message { id: 1 get_blob_args { blob_id: \"none\" } }").events,
              ElementsAre("state lost"));
}

TEST(RunTrap2, WhatIsAskedIsAnsweredAtOnceWhereNobodyServesIt) {
  const char* const kAsked[] = {
      "exec_server_message { id: 1 shell_args { command: \"ls\" } }",
      "exec_server_message { id: 1 mcp_args { name: \"none\" } }",
      "exec_server_message { id: 1 subagent_args: \"\" }",
      "exec_server_message { id: 1 }",
      "interaction_query { id: 1 ask_question_interaction_query {} }",
  };
  for (const char* asked : kAsked) {
    SCOPED_TRACE(asked);
    Host host;
    EXPECT_THAT(host.Server(asked).outputs, ::testing::Not(IsEmpty()));
  }
}

// Heartbeats of the server hide a run that is stuck from a timer that any byte resets.
TEST(RunTrap2, HeartbeatsDoNotHideARunThatIsStuck) {
  Host host({.prompt = "p"}, {.token = "t", .heartbeat_interval = {}});
  int seconds = 0;
  while (!host.run().ended() && seconds < 7200) {
    seconds += 5;
    host.OnDeadlineAt(std::chrono::seconds(seconds));
    host.Server("interaction_update { heartbeat {} }");
  }
  EXPECT_THAT(host.Result(), test::StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(RunTrap3, AnUnknownExecIsThrownAndNeverMirrored) {
  // Arguments at 46 (pi_bash): the result of that number belongs to another kind.
  const std::string exec("\x08\x05\xF2\x02\x00", 5);
  std::string bytes("\x12", 1);
  bytes += static_cast<char>(exec.size());
  bytes += exec;
  Host host;
  const auto outputs = host.ServerBytes(bytes).outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_TRUE(ParseMessage(outputs[0]).exec_client_control_message().has_throw_());
  EXPECT_FALSE(ParseMessage(outputs[0]).has_exec_client_message());
}

TEST(RunTrap3, AnyEndBehindTurnEndedIsASuccess) {
  const absl::Status kEnds[] = {absl::OkStatus(), absl::UnavailableError("goaway"),
                                absl::InternalError("no end-stream"),
                                absl::ResourceExhaustedError("said by the server")};
  for (const absl::Status& end : kEnds) {
    SCOPED_TRACE(end);
    Host host;
    host.Server(kTurnEnded);
    host.End(end);
    EXPECT_THAT(host.Result(), IsOk());
  }
}

TEST(RunTrap3, SilenceBehindTurnEndedIsASuccess) {
  Host host;
  host.Server(kTurnEnded);
  for (int ms = 5000; !host.run().ended(); ms += 5000) {
    ASSERT_LE(ms, 20'000);
    host.OnDeadlineAt(milliseconds(ms));
  }
  EXPECT_THAT(host.Result(), IsOk());
}

TEST(RunTrap4, AllCallsOfOneFrameAreHandedOut) {
  const ToolRegistry tools = OneTool();
  Host host(AskWith(tools));
  for (uint32_t id = 1; id <= 5; ++id) host.Server(CallOfLook(id).c_str());
  for (uint32_t id = 1; id <= 5; ++id) {
    const auto request = host.run().PollExec();
    ASSERT_TRUE(request.has_value());
    EXPECT_EQ(request->id, id);
  }
}

TEST(RunTrap4, ACheckpointThatComesWhileToolsRunIsHandedOut) {
  const ToolRegistry tools = OneTool();
  Host host(AskWith(tools));
  host.Server(CallOfLook(1).c_str());
  EXPECT_THAT(host.Server("conversation_checkpoint_update: \"now\"").events,
              ElementsAre("checkpoint now"));
  EXPECT_TRUE(host.run().exec_pending(1));
}

TEST(RunTrap5, LongResultsAreCutWithANotice) {
  const ToolRegistry tools = OneTool();
  Host host(AskWith(tools));
  host.Server(CallOfLook(1).c_str());
  ASSERT_TRUE(host.run().PollExec().has_value());
  const auto outputs = host.Answer(1, ToolResult::Text(std::string(size_t{3} << 20, 'x'))).outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_LE(outputs[0].size(), kMaxToolTextBytes + 1024);
  const pb::McpSuccess success =
      ParseMessage(outputs[0]).exec_client_message().mcp_result().success();
  std::string text;
  for (const auto& item : success.content()) text += item.text().text();
  EXPECT_THAT(text, HasSubstr("cut"));
}

TEST(RunTrap5, ManyImagesAreLeftOutWithANotice) {
  const ToolRegistry tools = OneTool();
  Host host(AskWith(tools));
  host.Server(CallOfLook(1).c_str());
  ASSERT_TRUE(host.run().PollExec().has_value());
  ToolResult result;
  for (int i = 0; i < 5; ++i) {
    result.content.emplace_back(
        ToolImage{.bytes = "\x89PNG\r\n\x1A\n" + std::string(size_t{5} << 20, 'x')});
  }
  const auto outputs = host.Answer(1, result).outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_LE(outputs[0].size(), kMaxToolResultBytes + 4096);
  const pb::McpSuccess success =
      ParseMessage(outputs[0]).exec_client_message().mcp_result().success();
  EXPECT_TRUE(success.content(0).has_image());
  EXPECT_TRUE(success.content(success.content_size() - 1).has_text());
}

TEST(RunTrap5, TextThatIsNoUtf8IsMadeSo) {
  const ToolRegistry tools = OneTool();
  Host host(AskWith(tools));
  host.Server(CallOfLook(1).c_str());
  ASSERT_TRUE(host.run().PollExec().has_value());
  // A lone surrogate, as some languages make it.
  const auto outputs = host.Answer(1, ToolResult::Text("a\xED\xA0\x80z")).outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  const std::string text = ParseMessage(outputs[0])
                               .exec_client_message()
                               .mcp_result()
                               .success()
                               .content(0)
                               .text()
                               .text();
  EXPECT_TRUE(IsUtf8(text));
  EXPECT_THAT(text, ::testing::StartsWith("a"));
  EXPECT_THAT(text, ::testing::EndsWith("z"));
}

TEST(RunTrap8, ArgumentsAreGivenToTheToolAsTheModelNamedThem) {
  const ToolRegistry tools = OneTool();
  Host host(AskWith(tools));
  pb::AgentServerMessage message;
  message.mutable_exec_server_message()->set_id(1);
  pb::McpArgs& args = *message.mutable_exec_server_message()->mutable_mcp_args();
  args.set_name("look");
  (*args.mutable_args())["filePath"] =
      "\x1A\x01"
      "a";  // a Value: string
  host.ServerBytes(message.SerializeAsString());
  EXPECT_EQ(std::get<ToolCall>(host.run().PollExec()->args).arguments_json, R"({"filePath":"a"})");
}

}  // namespace
}  // namespace cursorwire
