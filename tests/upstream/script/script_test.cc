#include "cursorwire/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

#include "agent/tools/json_value.h"
#include "agent/v1/run.pb.h"
#include "support/status_matchers.h"
#include "upstream/script/script_json.h"

namespace cursorwire::upstream {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

TEST(Script, SaysTheSameAsJson) {
  const Script script = Script()
                            .Name("both")
                            .WhenPrompt(R"({"$contains":"x"})")
                            .Text("a\"b")
                            .CallTool("t", R"({"n":1})")
                            .ExpectToolResult()
                            .Within(std::chrono::milliseconds(5))
                            .Wait(std::chrono::milliseconds(7))
                            .TurnEnded();
  const auto parsed = ParseScript(R"({"name":"both","when":{"prompt":{"$contains":"x"}},"steps":[
      {"text":"a\"b"},
      {"call_tool":{"name":"t","arguments":{"n":1}},"expect":{"mcp_result":{}},"within_ms":5},
      {"wait":7},{"turn_ended":{}}]})");
  ASSERT_THAT(parsed, IsOk());
  const auto a = CompileScript(script);
  const auto b = CompileScript(*parsed);
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  EXPECT_EQ(a->name, b->name);
  EXPECT_EQ(a->when_prompt, b->when_prompt);
  ASSERT_EQ(a->steps.size(), b->steps.size());
  for (size_t i = 0; i < a->steps.size(); ++i) {
    EXPECT_EQ(a->steps[i].name, b->steps[i].name);
    EXPECT_EQ(a->steps[i].within, b->steps[i].within);
  }
  const Ask& ask = std::get<AskAll>(a->steps[1].what).asks.front();
  EXPECT_EQ(ask.message.SerializeAsString(),
            std::get<AskAll>(b->steps[1].what).asks.front().message.SerializeAsString());
  EXPECT_EQ(agent::ArgumentsJson(ask.message.exec_server_message().mcp_args().args()),
            R"({"n":1})");
}

TEST(Script, TakesArgumentsOfToolsAsJsonWhereverTheyAre) {
  const char* const kArguments = R"({"a":[1,{"b":null}],"s":"text"})";
  const std::string args = std::string(R"({"name":"t","args":)") + kArguments + "}";
  const auto script =
      ParseScript(R"({"steps":[{"exec":{"mcp_args":)" + args +
                  R"(}},{"update":{"toolCallStarted":{"tool_call":)" +
                  R"({"mcp_tool_call":{"args":)" + args + R"(}}}}},{"turn_ended":{}}]})");
  ASSERT_THAT(script, IsOk());
  const auto compiled = CompileScript(*script);
  ASSERT_THAT(compiled, IsOk());
  const Ask& ask = std::get<AskAll>(compiled->steps[0].what).asks.front();
  EXPECT_EQ(agent::ArgumentsJson(ask.message.exec_server_message().mcp_args().args()), kArguments);
  const Say& say = std::get<Say>(compiled->steps[1].what);
  EXPECT_EQ(agent::ArgumentsJson(say.message.interaction_update()
                                     .tool_call_started()
                                     .tool_call()
                                     .mcp_tool_call()
                                     .args()
                                     .args()),
            kArguments);
}

TEST(Script, NamesAnArgumentThatIsTooDeep) {
  const std::string deep = std::string(70, '[') + std::string(70, ']');
  EXPECT_THAT(
      ParseScript(R"({"steps":[{"call_tool":{"name":"t","arguments":{"d":)" + deep + "}}}]}"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("args.d")));
}

// Every function of the builder makes a step that is accepted.
TEST(Script, MakesStepsThatAreGood) {
  const std::string id(64, 'a');
  const Script asks = Script().Exec(R"({"read_args":{"path":"a"}})").GetBlob(id).Expect("\"miss\"");
  const Script all = Script()
                         .ExpectHeaders(R"({"te":"trailers"})")
                         .ExpectRequest("{}")
                         .ResponseHeaders("{}")
                         .Text("a")
                         .Gzip()
                         .Thinking("b")
                         .Flags(0)
                         .Tokens(1)
                         .Heartbeat()
                         .ToolCallPartial("{}")
                         .ToolCallStarted("{}")
                         .ToolCallCompleted("{}")
                         .Update("{}")
                         .Message("{}")
                         .UnknownField(99, "x")
                         .Checkpoint("{}")
                         .CheckpointBytes("x")
                         .CheckpointOfRequest(2)
                         .CallTool("t")
                         .ExpectToolResult(R"({"success":{}})")
                         .Exec("{}")
                         .ExpectThrow()
                         .Query("{}")
                         .NoAwait()
                         .GetRootPromptBlob(0)
                         .SetBlob("x")
                         .SetBlob("x", id)
                         .Expect("\"error\"")
                         .Parallel(asks)
                         .AwaitAll()
                         .ExpectMessage("{}")
                         .Wait(std::chrono::milliseconds(1))
                         .Split(3)
                         .Envelope(0, "x")
                         .Envelope(1, "x", 9)
                         .RawBody("x")
                         .RawConnection("x")
                         .GoAway()
                         .GoAwayBefore("CANCEL")
                         .TurnEnded()
                         .EndStream()
                         .EndStreamRaw("x")
                         .Error("internal", "m", {{.error = "ERROR_CUSTOM"}})
                         .ExpectCancel()
                         .ExpectHalfClose()
                         .Finish()
                         .ExpectDisconnect()
                         .Drop();
  EXPECT_THAT(CompileScript(all), IsOk());
  for (const Script& script :
       {Script().HttpStatus(500, "b"), Script().Reset("CANCEL"), Script().DropReset(),
        Script().Stall(), Script().Step("text", "\"a\"").With("gzip", "true")}) {
    EXPECT_THAT(CompileScript(script), IsOk());
  }
  EXPECT_THAT(CompileScript(Script().Exec("{")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exec is not JSON")));
  EXPECT_THAT(CompileScript(Script().Expect("{}")), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::upstream
