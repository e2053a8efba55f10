#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "cursorwire/tools.h"
#include "cursorwire/trace.h"
#include "support/chat_outcome.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// What a user sees of a turn: text word for word, and how it ends.
struct Seen {
  ChatOutcome outcome{};
  std::vector<std::string> tool_calls{};
};

ToolRegistry WeatherTool(std::vector<std::string>& calls) {
  ToolRegistry tools;
  tools.Add({.name = "get_weather",
             .description = "The weather of a city",
             .input_schema = R"({"type":"object"})"},
            [&calls](const ToolCall& call) {
              calls.push_back(call.arguments_json);
              return ToolResult::Text("sunny");
            });
  return tools;
}

Seen Ask(LocalUpstream& upstream, std::shared_ptr<Trace> trace, ChatRequest request,
         int max_retries) {
  auto client =
      Client::Create({.endpoint = upstream.url(),
                      .token = "a-token-of-a-test",
                      .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                      .retry = {.max_retries = max_retries, .first_delay = milliseconds(1)},
                      .trace = std::move(trace)});
  EXPECT_THAT(client, IsOk());
  Seen seen;
  request.tools = WeatherTool(seen.tool_calls);
  ChatStream stream = client->Chat(request);
  while (const auto element = stream.Next()) seen.outcome.Add(*element);
  return seen;
}

void ExpectSame(const Seen& first, const Seen& again) {
  EXPECT_EQ(first.outcome.text, again.outcome.text);
  EXPECT_EQ(first.outcome.thinking, again.outcome.thinking);
  EXPECT_EQ(first.outcome.kinds, again.outcome.kinds);
  EXPECT_EQ(first.outcome.checkpoints, again.outcome.checkpoints);
  EXPECT_EQ(first.outcome.tokens, again.outcome.tokens);
  EXPECT_EQ(first.outcome.retries, again.outcome.retries);
  EXPECT_EQ(first.outcome.usage.has_value(), again.outcome.usage.has_value());
  EXPECT_EQ(first.outcome.status.code(), again.outcome.status.code());
  EXPECT_EQ(first.outcome.status.message(), again.outcome.status.message());
  EXPECT_EQ(first.tool_calls, again.tool_calls);
}

// Asks with scripts, and again with scripts of the trace of that; both must look the same.
struct RoundTrip {
  std::vector<Script> scripts{};
  ChatRequest request{.prompt = "hi"};
  int max_retries = 0;

  TraceScripts Check() const {
    const ScratchFolder folder;
    const auto trace = Trace::Open(folder.At("t.jsonl"));
    EXPECT_THAT(trace, IsOk());
    auto upstream = LocalUpstream::Start({.scripts = scripts});
    EXPECT_THAT(upstream, IsOk());
    const Seen first = Ask(*upstream, *trace, request, max_retries);
    EXPECT_THAT((*trace)->Flush(), IsOk());
    const auto content = ReadTrace(folder.At("t.jsonl"));
    EXPECT_THAT(content, IsOk());
    const auto converted = ScriptsOfTrace(*content);
    EXPECT_THAT(converted, IsOk());
    if (!converted.ok()) return {};
    EXPECT_THAT(converted->omitted, IsEmpty());
    const std::string json = ScriptsToJson(converted->scripts);
    SCOPED_TRACE(json);
    const auto parsed = ParseScripts(json);
    EXPECT_THAT(parsed, IsOk());
    auto replay = LocalUpstream::Start({.scripts = *parsed});
    EXPECT_THAT(replay, IsOk());
    if (!replay.ok()) return {};
    const Seen again = Ask(*replay, nullptr, request, max_retries);
    EXPECT_TRUE(replay->WaitForRuns(upstream->runs_ended(), kPatience));
    EXPECT_THAT(replay->violations(), IsEmpty());
    ExpectSame(first, again);
    return *converted;
  }
};

TEST(TraceReplay, PlaysATurnAgain) {
  const TraceScripts converted =
      RoundTrip{.scripts = {Script()
                                .Thinking("Hm.")
                                .GetRootPromptBlob(0)
                                .SetBlob("kept")
                                .Text("Hel")
                                .Tokens(3)
                                .Heartbeat()
                                .CallTool("get_weather", R"({"city":"Bern","days":[1,2.5]})")
                                .Checkpoint(R"({"mode":"AGENT_MODE_AGENT"})")
                                .Text("l\u00f6\n\"")
                                .TurnEnded(R"({"input_tokens":3,"output_tokens":2})")}}
          .Check();
  ASSERT_EQ(converted.scripts.size(), 1u);
  const std::string json = ScriptsToJson(converted.scripts);
  EXPECT_THAT(json, HasSubstr(R"({"thinking": "Hm."})"));
  EXPECT_THAT(json, HasSubstr(R"("root_prompt":0)"));
  EXPECT_THAT(json, HasSubstr(R"("city":"Bern")"));
  EXPECT_THAT(json, HasSubstr(R"({"tokens": 3})"));
  EXPECT_THAT(json, Not(HasSubstr("envelope")));
  EXPECT_THAT(json, Not(HasSubstr("await")));
}

TEST(TraceReplay, KeepsWhatTheServiceDidNotWaitFor) {
  const TraceScripts converted = RoundTrip{
      .scripts = {Script()
                      .CallTool("get_weather", R"({"city":"Bern"})")
                      .NoAwait()
                      .Text("meanwhile")
                      .AwaitAll()
                      .Parallel(Script().GetRootPromptBlob(0).GetBlob("00ff").Expect(R"("miss")"))
                      .Query(R"({"web_search_request_query":{}})")
                      .Text("done")
                      .TurnEnded()}}.Check();
  const std::string json = ScriptsToJson(converted.scripts);
  EXPECT_THAT(json, HasSubstr(R"("await": false)"));
  EXPECT_THAT(json, HasSubstr("await_all"));
}

TEST(TraceReplay, KeepsWhatNoSchemaHas) {
  const TraceScripts converted =
      RoundTrip{.scripts = {Script()
                                .Text("a")
                                .UnknownField(199, "new")
                                .Exec("{}")
                                .UnknownField(198, "newer")
                                .Update(R"({"step_started":{"step_id":1}})")
                                .Envelope(0, std::string("\x0A\x02\xFF", 3))}}
          .Check();
  const std::string json = ScriptsToJson(converted.scripts);
  EXPECT_THAT(json, HasSubstr(R"({"exec": {"base64":)"));
  EXPECT_THAT(json, HasSubstr(R"({"envelope": {"base64":)"));
}

TEST(TraceReplay, EndsInTheSameWay) {
  struct Case {
    const char* name;
    Script script;
  };
  const Script half = Script().Text("Half");
  const Case cases[] = {
      {"error",
       Script(half).Error(
           "not_found", "Error",
           {{.error = "ERROR_BAD_MODEL_NAME", .title = "No model", .detail = "x", .debug = true}})},
      {"error with metadata",
       Script(half).Step("end_stream",
                         R"({"json":{"error":{"code":"aborted","message":"m"},
                             "metadata":{"x-a":["1","2"]}}})")},
      {"unknown code",
       Script(half).Step("end_stream", R"({"json":{"error":{"code":"odd","message":"m"}}})")},
      {"HTTP status", Script().HttpStatus(503, "down")},
      {"HTTP status without a body", Script().HttpStatus(503)},
      {"HTTP status with an error",
       Script().Step("http_status",
                     R"({"status":401,"error":{"code":"unauthenticated","message":"who?",
                         "details":[{"error":"ERROR_NOT_LOGGED_IN","title":"T","detail":"D"}]}})")},
      {"another content type",
       Script().ResponseHeaders(R"({"content-type":"text/html"})").Finish()},
      {"headers", Script().ResponseHeaders(R"({"x-a":["1","2"]})").Text("a").TurnEnded()},
      {"trailers",
       Script(half).TurnEnded().Step("end_stream", R"({"json":{"metadata":{"x":["1"]}}})")},
      {"no turn_ended", Script(half).EndStream().Finish()},
      {"no end-stream", Script(half).Finish()},
      {"drop", Script(half).Drop()},
      {"drop at once", Script().Drop()},
      {"RST_STREAM", Script(half).Reset("ENHANCE_YOUR_CALM")},
      {"RST_STREAM at once", Script().Reset("INTERNAL_ERROR")},
      {"refused", Script().Reset("REFUSED_STREAM")},
      {"GOAWAY", Script().GoAwayBefore().ExpectDisconnect()},
      {"GOAWAY and a drop", Script(half).GoAway("INTERNAL_ERROR").Drop()},
      {"compressed", Script(half).Text("x").Gzip().Stall()},
      {"a body of no envelopes", Script().RawBody("<html>").Finish()},
      {"a body that ends in an envelope", Script().RawBody("abc").Finish()},
      {"unknown flags", Script(half).Envelope(128, "x").Stall()},
      {"end-stream of no JSON", Script(half).EndStreamRaw("not JSON")},
      {"bytes after the end", Script(half).EndStream().Text("late")},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    RoundTrip{.scripts = {c.script}}.Check();
  }
}

TEST(TraceReplay, StallsUntilTheClientGivesUp) {
  RoundTrip{.scripts = {Script().Text("Half").Stall()},
            .request = {.prompt = "hi", .idle_timeout = milliseconds(300)}}
      .Check();
}

TEST(TraceReplay, MakesAScriptForEachAttemptOfATurn) {
  const TraceScripts converted =
      RoundTrip{
          .scripts = {Script().Text("Half").Checkpoint(R"({"mode":"AGENT_MODE_AGENT"})").Drop(),
                      Script().HttpStatus(503), Script().Text("Half and whole").TurnEnded()},
          .max_retries = 4}
          .Check();
  EXPECT_EQ(converted.scripts.size(), 3u);
}

}  // namespace
}  // namespace cursorwire::test
