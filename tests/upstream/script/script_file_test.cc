#include "cursorwire/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "support/source_folder.h"
#include "support/status_matchers.h"
#include "upstream/script/step_json.h"

namespace cursorwire::upstream {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

const std::string kSource = test::SourceFolder();

TEST(ParseScripts, TakesEveryExampleOfTheRepository) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/examples/scripts")) {
    SCOPED_TRACE(entry.path());
    const auto scripts = LoadScripts(entry.path());
    EXPECT_THAT(scripts, IsOk());
    if (!scripts.ok()) continue;
    EXPECT_EQ(scripts->front().name(), entry.path().stem());
    ++count;
  }
  EXPECT_GE(count, 20u);
}

TEST(ParseScripts, HasTheStepsOfTheSchema) {
  std::ifstream file(kSource + "/docs/local-upstream.schema.json");
  const Json schema = Json::parse(file);
  std::set<std::string> known;
  for (const std::string_view name : StepNames()) known.emplace(name);
  for (const std::string_view name : ModifierNames()) known.emplace(name);
  std::set<std::string> documented;
  for (const auto& [name, value] : schema["$defs"]["step"]["properties"].items()) {
    documented.insert(name);
  }
  EXPECT_EQ(known, documented);

  std::set<std::string> steps;
  for (const std::string_view name : StepNames()) steps.emplace(name);
  std::set<std::string> alternatives;
  for (const Json& one : schema["$defs"]["step"]["oneOf"]) {
    alternatives.insert(one["required"][0].get<std::string>());
  }
  EXPECT_EQ(steps, alternatives);
}

TEST(ParseScripts, HasTheStepsOfThePage) {
  std::ifstream file(kSource + "/docs/local-upstream.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const std::string_view name : StepNames()) {
    EXPECT_THAT(page, HasSubstr("{\"" + std::string(name) + "\":")) << name << " has no example";
  }
}

TEST(ParseScripts, NamesTheStepAndTheFieldOfAnError) {
  struct Case {
    const char* step;
    const char* error;
  };
  const Case cases[] = {
      {R"({})", "step 2: a step must be an object"},
      {R"("text")", "step 2: a step must be an object"},
      {R"({"txt":"a"})", "step 2 (txt): there is no step 'txt'"},
      {R"({"text":"a","thinking":"b"})", "two steps in one object"},
      {R"({"text":1})", "step 2 (text): text must be a string"},
      {R"({"text":"a","expect":{}})", "step 2 (text): text takes no expect"},
      {R"({"text":"a","within_ms":1})", "text takes no within_ms"},
      {R"({"text":"a","gzip":1})", "text.gzip must be true or false"},
      {R"({"text":"a","flags":256})", "text.flags must be an integer from 0 to 255"},
      {R"({"text":"a","comment":1})", "text.comment must be a string"},
      {R"({"text":"a","unknown_field":{"number":0,"text":""}})",
       "number must be an integer from 1"},
      {R"({"text":"a","unknown_field":{"number":1}})", "wants one of text, hex, base64 and varint"},
      {R"({"tokens":"1"})", "tokens must be an integer"},
      {R"({"tokens":99999999999})", "is no agent.v1.InteractionUpdate"},
      {R"({"turn_ended":{"inputs":1}})", "inputs"},
      {R"({"update":{"nonsense":{}}})", "update is no agent.v1.InteractionUpdate"},
      {R"({"message":{"nonsense":{}}})", "message is no agent.v1.AgentServerMessage"},
      {R"({"checkpoint":{}})", "wants one of state, request_state"},
      {R"({"checkpoint":{"state":{},"hex":""}})", "wants one of state, request_state"},
      {R"({"checkpoint":{"state":{"x":1}}})", "checkpoint.state is no agent.v1.Conversation"},
      {R"({"checkpoint":{"request_state":{"turns":1}}})",
       "checkpoint.request_state has the unknown member 'turns'; known: add_turns"},
      {R"({"exec":{"reed_args":{}}})", "exec is no agent.v1.ExecServerMessage"},
      {R"({"exec":{"read_args":{"path":1}}})", "step 2 (exec): exec is no"},
      {R"({"exec":{},"expect":{"x":1}})", "expect: agent.v1.ExecClientMessage has no field x"},
      {R"({"exec":{},"expect":{},"expect_throw":{}})", "exclude each other"},
      {R"({"query":{},"expect_throw":{}})", "query takes no expect_throw"},
      {R"({"call_tool":{}})", "call_tool.name is missing"},
      {R"({"call_tool":{"name":"a","arguments":[]}})", "wants an object as arguments"},
      {R"({"call_tool":{"name":"a","args":{}}})", "unknown member 'args'"},
      {R"({"get_blob":{}})", "wants one of id and root_prompt"},
      {R"({"get_blob":{"id":"0"}})", "pairs of hex digits"},
      {R"({"get_blob":{"root_prompt":-1}})", "get_blob.root_prompt must be an integer from 0"},
      {R"({"set_blob":{}})", "wants one of text, hex and base64"},
      {R"({"set_blob":{"text":"a","hex":"00"}})", "more than one of text, hex and base64"},
      {R"({"set_blob":{"base64":"?"}})", "set_blob.base64 must be base64"},
      {R"({"parallel":[]})", "parallel must be a list of steps"},
      {R"({"parallel":[{"text":"a"}]})", "parallel[0]: text asks nothing"},
      {R"({"parallel":[{"exec":{}},{"exec":{"x":1}}]})", "parallel[1]: exec is no"},
      {R"({"await_all":{"x":1}})", "await_all has the unknown member 'x'"},
      {R"({"expect_request":{"x":1}})", "agent.v1.AgentRunRequest has no field x"},
      {R"({"expect_headers":1})", "expect_headers must be an object"},
      {R"({"expect_message":{"x":1}})", "agent.v1.AgentClientMessage has no field x"},
      {R"({"wait":-1})", "wait must be a number of milliseconds"},
      {R"({"wait":"1"})", "wait must be a number of milliseconds"},
      {R"({"error":{}})", "error.code is missing"},
      {R"({"error":{"code":"unknown","details":[{"error":"ERROR_NONSENSE"}]}})",
       "error.details[0] has no error ERROR_NONSENSE"},
      {R"({"error":{"code":"unknown","details":{}}})", "wants a list as details"},
      {R"({"error":{"code":"cancelled"}})",
       "error has no code 'cancelled'; the codes are canceled, unknown, invalid_argument,"},
      {R"({"error":{"code":"ok"}})", "error has no code 'ok'"},
      {R"({"http_status":{"status":401,"error":{"code":"Unauthenticated"}}})",
       "http_status.error has no code 'Unauthenticated'"},
      {R"({"end_stream":{"json":{},"text":""}})", "more than one payload"},
      {R"({"envelope":{"flags":-1}})", "envelope.flags must be"},
      {R"({"envelope":{"length":4294967296}})", "envelope.length must be"},
      {R"({"raw_body":{"hex":"abc"}})", "raw_body.hex must be pairs of hex digits"},
      {R"({"raw_connection":{}})", "wants one of text, hex and base64"},
      {R"({"http_status":{}})", "wants a status"},
      {R"({"http_status":{"status":99}})", "http_status.status must be an integer from 200"},
      {R"({"http_status":{"status":401,"text":"","error":{"code":"a"}}})", "more than one body"},
      {R"({"http_status":{"status":401,"headers":{"a":1}}})", "http_status.headers.a must be"},
      {R"({"response_headers":[]})", "response_headers must be an object"},
      {R"({"split":-1})", "split must be a number of bytes"},
      {R"({"reset":"NONSENSE"})", "reset must be a code of HTTP/2"},
      {R"({"goaway":{"code":"x"}})", "goaway.code must be a code of HTTP/2"},
      {R"({"goaway":{"last_stream":"x"}})", "goaway.last_stream must be an integer"},
      {R"({"drop":{"reset":1}})", "drop.reset must be true or false"},
      {R"({"stall":1})", "stall must be an object"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.step);
    const std::string text =
        R"({"steps":[{"comment":"first","wait":0},)" + std::string(c.step) + "]}";
    EXPECT_THAT(ParseScript(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                            AllOf(HasSubstr("step 2"), HasSubstr(c.error))));
  }
}

// The step, and "" or what is wrong with it.
TEST(ParseScripts, RefusesAnExpectationThatNoAnswerCanMatch) {
  struct Case {
    const char* step;
    std::string error;
  };
  const Case cases[] = {
      {R"({"exec":{"read_args":{}},"expect":{"read_result":{}}})", ""},
      {R"({"exec":{"read_args":{}},"expect":{"ls_result":{}}})",
       "expect: read_args is answered by read_result, never by ls_result"},
      {R"({"exec":{"read_args":{}},"expect":{"ls_result":{"$any":true}}})", "never by ls_result"},
      {R"({"exec":{"read_args":{}},"expect":{"ls_result":{"$absent":true}}})", ""},
      {R"({"exec":{"read_args":{}},"expect":{"$any":true}})", ""},
      {R"({"exec":{"read_args":{}},"expect":{"id":7}})", ""},
      {R"({"exec":{"read_args":{}},"expect":[{"read_result":{}}]})", ""},
      {R"({"exec":{"read_args":{}},"expect":[{"ls_result":{}}]})", "never by ls_result"},
      {R"({"exec":{"read_args":{}},"expect":[{"read_result":{}},{"read_result":{}}]})",
       "expect: a list of 2, but only shell_stream_args has several results"},
      {R"({"exec":{"shell_stream_args":{}},"expect":[{"shell_stream":{}},{"shell_stream":{}}]})",
       ""},
      {R"({"exec":{"shell_stream_args":{}},"expect":{"shell_result":{}}})",
       "shell_stream_args is answered by shell_stream, never by shell_result"},
      {R"({"exec":{"pi_read_args":""},"expect":{"pi_read_result":""}})", ""},
      {R"({"exec":{},"expect":{"read_result":{}}})", "what no schema knows is answered by a throw"},
      {R"({"call_tool":{"name":"t"},"expect":{"mcp_result":{}}})", ""},
      {R"({"call_tool":{"name":"t"},"expect":{"read_result":{}}})",
       "mcp_args is answered by mcp_result, never by read_result"},
      {R"({"parallel":[{"exec":{"ls_args":{}},"expect":{"grep_result":{}}}]})",
       "parallel[0]: expect: ls_args is answered by ls_result, never by grep_result"},
      {R"({"query":{"pr_management_request_query":{}},"expect":{"pr_management_result":{}}})", ""},
      {R"({"query":{"web_search_request_query":{}},"expect":{"web_fetch_request_response":{}}})",
       "is answered by web_search_request_response, never by web_fetch_request_response"},
      {R"({"get_blob":{"root_prompt":0},"expect":"mis"})",
       "a pattern of agent.v1.GetBlobResult must be an object"},
      {R"({"set_blob":{"text":"a"},"expect":"okay"})", "SetBlobResult must be an object"},
      {R"({"expect_request":{"requested_model":"auto"}})",
       "requested_model: a pattern of agent.v1.RequestedModel must be an object"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.step);
    const auto script = ParseScript(R"({"steps":[)" + std::string(c.step) + "]}");
    if (c.error.empty()) {
      EXPECT_THAT(script, IsOk());
    } else {
      EXPECT_THAT(script, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.error)));
    }
  }
}

TEST(ParseScripts, RefusesStepsThatCannotFollow) {
  for (const char* steps :
       {R"({"drop":{}},{"wait":1})", R"({"stall":{}},{"text":"a"})", R"({"reset":8},{"finish":{}})",
        R"({"finish":{}},{"text":"a"})", R"({"http_status":{"status":500}},{"text":"a"})",
        R"({"http_status":{"status":500}},{"finish":{}})"}) {
    SCOPED_TRACE(steps);
    EXPECT_THAT(ParseScript(R"({"steps":[)" + std::string(steps) + "]}"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("can follow")));
  }
  EXPECT_THAT(ParseScript(R"({"steps":[{"text":"a"},{"http_status":{"status":500}}]})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sent already")));
}

TEST(ParseScripts, RefusesWhatIsNoScript) {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"", "parse error at line 1"},
      {"{", "parse error at line 1"},
      {"[]", "the list of scripts is empty"},
      {"1", "a script must be an object"},
      {"{}", "'steps' is missing"},
      {R"({"steps":{}})", "'steps' has the wrong type"},
      {R"({"steps":[],"name":1})", "'name' has the wrong type"},
      {R"({"steps":[],"stepps":[]})", "a script has no member 'stepps'"},
      {R"({"steps":[],"steps":[]})", R"(two fields "steps")"},
      {R"({"steps":[{"wait":1,"wait":2}]})", R"(two fields "wait")"},
      {R"({"steps":[],"when":{}})", "\"when\" must be an object"},
      {R"({"steps":[],"when":{"prompt":{"$x":1}}})", "when.prompt: unknown operator $x"},
      {R"([{"steps":[]},{"steps":[{"x":1}]}])", "script 2: step 1 (x): there is no step"},
      {"{\"steps\":[{\"text\":\"\xff\"}]}", "UTF-8"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(ParseScripts(c.text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.error)));
  }
  const std::string deep(10'000, '[');
  EXPECT_THAT(ParseScripts(deep), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseScript(R"([{"steps":[]},{"steps":[]}])"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a list of 2")));
}

TEST(LoadScripts, NamesTheFile) {
  EXPECT_THAT(LoadScripts("/no/such/file.json"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/file.json")));
  EXPECT_THAT(LoadScripts("/"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("cannot read /")));
}

}  // namespace
}  // namespace cursorwire::upstream
