#include "api/chat_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/api_error.h"
#include "api/json_text.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A body with these members beside `model` and `messages`.
std::string Body(const std::string& members = "") {
  return R"({"model":"m","messages":[{"role":"user","content":"hi"}])" +
         (members.empty() ? "" : "," + members) + "}";
}

ApiError ErrorOf(const std::string& body) {
  const auto request = ReadChatRequest(body);
  EXPECT_FALSE(request.ok()) << body;
  return ApiErrorOf(request.status());
}

TEST(ChatRequest, ReadsTheSmallest) {
  const auto request = ReadChatRequest(Body());
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->model, "m");
  EXPECT_THAT(request->messages, ElementsAre(Message{.role = Role::kUser, .text = "hi"}));
  EXPECT_FALSE(request->stream);
  EXPECT_TRUE(request->parallel_tool_calls);
  EXPECT_THAT(ExtraRules(*request), IsEmpty());
}

TEST(ChatRequest, TakesNullForAbsent) {
  for (const char* name : {"stream", "stream_options", "tools", "tool_choice", "stop", "n",
                           "reasoning_effort", "response_format", "logprobs", "audio", "functions",
                           "function_call", "modalities", "temperature"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(ReadChatRequest(Body("\"" + std::string(name) + "\":null")), IsOk());
  }
}

TEST(ChatRequest, RefusesABodyThatIsNoObject) {
  const std::string deep(200, '[');
  for (const std::string& body : {std::string("nonsense"), std::string("[]"), std::string(""),
                                  std::string("{\"model\":\"\xff\"}"), deep}) {
    const ApiError error = ErrorOf(body);
    EXPECT_EQ(error.status, 400);
    EXPECT_EQ(error.type, "invalid_request_error");
    EXPECT_EQ(error.param, "");
  }
}

TEST(ChatRequest, ReadsNestingUpToItsLimit) {
  const auto nested = [](size_t depth) {
    return Body("\"metadata\":" + std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT_THAT(ReadChatRequest(nested(kMaxJsonDepth - 1)), IsOk());
  EXPECT_THAT(ErrorOf(nested(kMaxJsonDepth)).message, HasSubstr("nested"));
}

TEST(ChatRequest, RefusesMoreValuesThanItsLimit) {
  std::string zeros = "0";
  for (size_t i = 0; i < kMaxJsonValues; ++i) zeros += ",0";
  EXPECT_THAT(ErrorOf(Body("\"metadata\":[" + zeros + "]")).message, HasSubstr("values"));
}

TEST(ChatRequest, NamesTheFieldThatIsWrong) {
  struct Case {
    const char* members;
    const char* param;
    const char* code;
  };
  const Case cases[] = {
      {R"("stream":"yes")", "stream", ""},
      {R"("stream_options":1)", "stream_options", ""},
      {R"("stream_options":{"include_usage":1})", "stream_options.include_usage", ""},
      {R"("n":2)", "n", "unsupported_value"},
      {R"("n":"1")", "n", ""},
      {R"("logprobs":true)", "logprobs", "unsupported_parameter"},
      {R"("top_logprobs":2)", "top_logprobs", "unsupported_parameter"},
      {R"("modalities":["text","audio"])", "modalities", "unsupported_parameter"},
      {R"("audio":{})", "audio", "unsupported_parameter"},
      {R"("functions":[{"name":"f"}])", "functions", "unsupported_parameter"},
      {R"("function_call":"auto")", "function_call", "unsupported_parameter"},
      {R"("temperature":"hot")", "temperature", ""},
      {R"("max_tokens":[])", "max_tokens", ""},
      {R"("stop":1)", "stop", ""},
      {R"("stop":["a",1])", "stop", ""},
      {R"("reasoning_effort":"huge")", "reasoning_effort", "unsupported_value"},
      {R"("response_format":{"type":"xml"})", "response_format.type", "unsupported_value"},
      {R"("response_format":{"type":"json_schema"})", "response_format.json_schema", ""},
      {R"("tools":{})", "tools", ""},
      {R"("tools":[{"type":"web_search"}])", "tools.[0].type", ""},
      {R"("tools":[{"type":"function"}])", "tools.[0].function", ""},
      {R"("tools":[{"type":"function","function":{"name":"a b"}}])", "tools.[0].function.name", ""},
      {R"("tools":[{"type":"function","function":{"name":"a","parameters":[]}}])",
       "tools.[0].function.parameters", ""},
      {R"("tools":[{"type":"function","function":{"name":"a"}},
                   {"type":"function","function":{"name":"a"}}])",
       "tools.[1].function.name", ""},
      {R"("tools":[{"type":"custom","custom":{"name":"a"}}])", "tools.[0].type",
       "unsupported_value"},
      {R"("tool_choice":"maybe")", "tool_choice", "unsupported_value"},
      {R"("tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto"}})", "tool_choice",
       ""},
      {R"("tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[
          {"type":"function","function":{"name":"x"}}]}})",
       "tool_choice", ""},
      {R"("tool_choice":{"type":"function","function":{"name":"a"}})", "tool_choice", ""},
      {R"("parallel_tool_calls":0)", "parallel_tool_calls", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.members);
    const ApiError error = ErrorOf(Body(c.members));
    EXPECT_EQ(error.status, 400);
    EXPECT_EQ(error.param, c.param);
    EXPECT_EQ(error.code, c.code);
  }
}

// It stands in each piece of a stream.
TEST(ChatRequest, BoundsTheNameOfAModel) {
  const auto body = [](size_t bytes) {
    return R"({"messages":[{"role":"user","content":"hi"}],"model":")" + std::string(bytes, 'm') +
           "\"}";
  };
  EXPECT_THAT(ReadChatRequest(body(kMaxModelBytes)), IsOk());
  EXPECT_EQ(ErrorOf(body(kMaxModelBytes + 1)).param, "model");
}

TEST(ChatRequest, AsksForWhatMustBeThere) {
  EXPECT_EQ(ErrorOf(R"({"messages":[]})").param, "model");
  EXPECT_EQ(ErrorOf(R"({"model":"m"})").param, "messages");
  EXPECT_EQ(ErrorOf(R"({"model":"m"})").code, "missing_required_parameter");
  EXPECT_EQ(ErrorOf(R"({"model":"m","messages":[]})").param, "messages");
  EXPECT_EQ(ErrorOf(R"({"model":"","messages":[]})").param, "model");
}

TEST(ChatRequest, IgnoresWhatTheServiceDoesNotHave) {
  EXPECT_THAT(ReadChatRequest(Body(
                  R"("temperature":0.2,"top_p":1,"seed":7,"logit_bias":{},"max_tokens":32000,
                     "user":"u","metadata":{},"store":true,"service_tier":"auto","verbosity":"low",
                     "prediction":{},"prompt_cache_key":"k","web_search_options":{},
                     "somebody":{"elses":"field"},"logprobs":false,"n":1)")),
              IsOk());
}

TEST(ChatRequest, OffersToolsAsItsChoiceSays) {
  const std::string tools =
      R"("tools":[{"type":"function","function":{"name":"a","description":"does a",
          "parameters":{"type":"object"},"strict":true}},
         {"type":"function","function":{"name":"b"}}])";
  const auto offered = [&](const std::string& choice) {
    const auto request = ReadChatRequest(Body(tools + choice));
    EXPECT_THAT(request, IsOk());
    std::string names;
    for (const FunctionTool& tool : OfferedTools(*request)) names += tool.name;
    return names + (ExtraRules(*request).empty() ? "" : "!");
  };
  EXPECT_EQ(offered(""), "ab");
  EXPECT_EQ(offered(R"(,"tool_choice":"auto")"), "ab");
  EXPECT_EQ(offered(R"(,"tool_choice":"none")"), "");
  EXPECT_EQ(offered(R"(,"tool_choice":"required")"), "ab!");
  EXPECT_EQ(offered(R"(,"tool_choice":{"type":"function","function":{"name":"b"}})"), "b!");
  EXPECT_EQ(offered(R"(,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required",
      "tools":[{"type":"function","function":{"name":"b"}}]}})"),
            "b!");
  const auto request = ReadChatRequest(Body(tools));
  EXPECT_EQ(request->tools[0].description, "does a");
  EXPECT_EQ(request->tools[0].parameters, R"({"type":"object"})");
  EXPECT_EQ(request->tools[1].parameters, "");
}

TEST(ChatRequest, MakesARuleOfAFormat) {
  const auto rules = [](const std::string& format) {
    return ExtraRules(*ReadChatRequest(Body(R"("response_format":)" + format)));
  };
  EXPECT_THAT(rules(R"({"type":"text"})"), IsEmpty());
  EXPECT_THAT(rules(R"({"type":"json_object"})"), HasSubstr("JSON object"));
  EXPECT_THAT(
      rules(R"({"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}})"),
      HasSubstr(R"({"type":"object"})"));
}

TEST(ChatRequest, TakesAnyNumberOfStops) {
  EXPECT_THAT(ReadChatRequest(Body(R"("stop":"a")"))->stop, ElementsAre("a"));
  EXPECT_THAT(ReadChatRequest(Body(R"("stop":["a","","b","c","d","e"])"))->stop,
              ElementsAre("a", "b", "c", "d", "e"));
  std::string many = "\"x\"";
  for (size_t i = 0; i < kMaxStops; ++i) many += ",\"x\"";
  EXPECT_EQ(ErrorOf(Body("\"stop\":[" + many + "]")).param, "stop");
}

TEST(ChatRequest, TakesFieldsThatAskForNothing) {
  for (const char* members : {R"("top_logprobs":0)", R"("functions":[])",
                              R"("function_call":"none")", R"("logprobs":false)"}) {
    EXPECT_THAT(ReadChatRequest(Body(members)), IsOk()) << members;
  }
}

TEST(ReadJson, SaysWhereABodyIsNoJson) {
  EXPECT_THAT(ErrorOf("").message, HasSubstr("empty"));
  EXPECT_THAT(ErrorOf(R"({"model": x})").message, HasSubstr("byte 11 of 12"));
  EXPECT_THAT(ErrorOf("{\"model\": \"\xff\"}").message, HasSubstr("byte 12 of 14"));
  EXPECT_THAT(ErrorOf(R"({"model": )").message, HasSubstr("the body ends too early"));
}

TEST(ChatRequest, ReplacesLoneSurrogates) {
  const auto request = ReadChatRequest(
      R"({"model":"m","messages":[{"role":"user","content":"a\ud800b\\ud800 \ud83d\ude00 \udc00"}]})");
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->messages[0].text,
            "a\xEF\xBF\xBD"
            "b\\ud800 \xF0\x9F\x98\x80 \xEF\xBF\xBD");
}

TEST(CallArguments, AreCompactAndWhole) {
  EXPECT_EQ(CallArguments(""), "{}");
  EXPECT_EQ(CallArguments(R"({ "b": 2.0, "a": [1.5, -3.0] })"), R"({"a":[1.5,-3],"b":2})");
  EXPECT_EQ(CallArguments("no json"), "no json");
  EXPECT_EQ(CallArguments("[12345678901234567890]"), "[12345678901234567890]");
}

// The parser throws for it what it throws for nothing else.
TEST(ReadJson, RefusesANumberThatNoDoubleHolds) {
  for (const char* text : {"1e999", "[-1e999]", R"({"temperature":1e999})"}) {
    const auto value = ReadJson(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(ApiErrorOf(value.status()).status, 400);
    EXPECT_THAT(ApiErrorOf(value.status()).message, HasSubstr("too large")) << text;
    EXPECT_EQ(CallArguments(text), text);
  }
}

}  // namespace
}  // namespace cursor_gateway
