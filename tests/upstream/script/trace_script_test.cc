#include "cursorwire/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "agent/v1/run.pb.h"
#include "support/status_matchers.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using std::chrono::microseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TraceMessage ServerMessage(std::string bytes, bool is_cut = false) {
  const size_t size = bytes.size() + (is_cut ? 1 : 0);
  return {.from = TraceSide::kServer, .size = size, .bytes = std::move(bytes), .is_cut = is_cut};
}

TraceCall RunCall(uint64_t number, std::vector<TraceMessage> messages) {
  return {.number = number,
          .path = "/agent.v1.AgentService/Run",
          .messages = std::move(messages),
          .end = TraceEnd{}};
}

std::string ExecBytes(uint32_t id) {
  pb::AgentServerMessage message;
  message.mutable_exec_server_message()->set_id(id);
  message.mutable_exec_server_message()->mutable_read_args()->set_path("a.txt");
  return message.SerializeAsString();
}

TEST(ScriptsOfTrace, LeavesOutWhatCannotBePlayed) {
  TraceCall continued = RunCall(2, {});
  continued.is_continued = true;
  TraceCall other = RunCall(4, {});
  other.path = "/agent.v1.AgentService/GetUsableModels";
  const auto scripts = ScriptsOfTrace(
      {.calls = {RunCall(1, {ServerMessage("x", true)}), continued, RunCall(3, {}), other}});
  ASSERT_THAT(scripts, IsOk());
  ASSERT_THAT(scripts->scripts, SizeIs(1));
  EXPECT_EQ(scripts->scripts[0].name(), "call 3");
  EXPECT_THAT(scripts->omitted, ElementsAre(HasSubstr("call 1 has a message of 2 bytes"),
                                            HasSubstr("call 2 began in an older file")));
  EXPECT_THAT(ScriptsOfTrace({.calls = {continued}}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("call 2 began")));
  EXPECT_THAT(ScriptsOfTrace({.calls = {other}}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no call of AgentService/Run")));
}

TEST(ScriptsOfTrace, ACallWithoutAnEndStalls) {
  TraceCall call = RunCall(1, {ServerMessage(ExecBytes(0))});
  call.end.reset();
  const auto scripts = ScriptsOfTrace({.calls = {call}});
  ASSERT_THAT(scripts, IsOk());
  const std::string json = ScriptsToJson(scripts->scripts);
  EXPECT_THAT(json,
              HasSubstr(R"({"exec": {"id":0,"read_args":{"path":"a.txt"}}, "await": false})"));
  EXPECT_THAT(json, HasSubstr(R"({"stall": {}, "comment": "the trace ends here"})"));
  EXPECT_THAT(ParseScript(json), IsOk());
}

TEST(ScriptsOfTrace, ASlowAnswerMayTakeAnyTime) {
  pb::AgentClientMessage closed;
  closed.mutable_exec_client_control_message()->mutable_stream_close()->set_id(3);
  const std::string bytes = closed.SerializeAsString();
  const TraceMessage answer = {.at = std::chrono::minutes(2),
                               .from = TraceSide::kClient,
                               .size = bytes.size(),
                               .bytes = bytes};
  const auto scripts =
      ScriptsOfTrace({.calls = {RunCall(1, {ServerMessage(ExecBytes(3)), answer})}});
  ASSERT_THAT(scripts, IsOk());
  EXPECT_THAT(ScriptsToJson(scripts->scripts), HasSubstr("\"within_ms\": 0"));
}

TEST(ScriptsToJson, IsReadAgain) {
  const std::vector<Script> scripts = {
      Script().Name("a \"name\"").WhenPrompt(R"({"$contains":"x"})").Text("l\n").TurnEnded(),
      Script()};
  const std::string json = ScriptsToJson(scripts);
  const auto again = ParseScripts(json);
  ASSERT_THAT(again, IsOk());
  ASSERT_THAT(*again, SizeIs(2));
  EXPECT_EQ((*again)[0].name(), "a \"name\"");
  EXPECT_EQ((*again)[0].when_prompt(), R"({"$contains":"x"})");
  EXPECT_EQ(ScriptsToJson(*again), json);
  EXPECT_EQ(ScriptsToJson({}), "[]\n");
}

TEST(ScriptSteps, TakeTheBytesOfAQuestion) {
  EXPECT_THAT(ParseScript(R"({"steps":[{"exec":{"base64":"CAE="}},{"query":{"hex":"0801"}}]})"),
              IsOk());
  EXPECT_THAT(ParseScript(R"({"steps":[{"exec":{"base64":"Cg=="}}]})"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("wants the bytes of agent.v1.ExecServerMessage")));
}

}  // namespace
}  // namespace cursorwire::upstream
