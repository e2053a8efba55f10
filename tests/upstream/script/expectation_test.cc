#include "upstream/script/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "agent/v1/tool_call.pb.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using test::FromText;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(FindMismatch, MatchesWhatThePatternNames) {
  struct Case {
    const char* name;
    const char* pattern;
    const char* actual;
    const char* mismatch;  // a part of it; "": it matches
  };
  const Case cases[] = {
      {"equal text", R"("a")", R"("a")", ""},
      {"other text", R"("a")", R"("ab")", R"(expected "a", got "ab")"},
      {"number", "1", "1", ""},
      {"number of 64 bits", "12", R"("12")", ""},
      {"other number of 64 bits", "1", R"("12")", R"(expected 1, got "12")"},
      {"text is no number", R"("1")", "1", R"(expected "1", got 1)"},
      {"boolean", "true", "false", "expected true, got false"},
      {"more members than named", R"({"a":1})", R"({"a":1,"b":2})", ""},
      {"empty object", "{}", R"({"a":1})", ""},
      {"object and text", R"({"a":1})", R"("a")", "expected {\"a\":1}, got \"a\""},
      {"missing member", R"({"a":1})", R"({"b":2})", R"(expected a member a, got {"b":2})"},
      {"deep", R"({"a":{"b":[1,{"c":2}]}})", R"({"a":{"b":[1,{"c":3}]}})",
       "at a.b[1].c: expected 2, got 3"},
      {"list", "[1,2]", "[1,2]", ""},
      {"longer list", "[1,2]", "[1,2,3]", "expected a list of 2, got [1,2,3]"},
      {"list in another order", "[1,2]", "[2,1]", "at [0]: expected 1, got 2"},
      {"part", R"({"$contains":"el"})", R"("hello")", ""},
      {"no part", R"({"$contains":"x"})", R"("hello")", "something that contains \"x\""},
      {"element", R"({"$contains":{"a":1}})", R"([{"a":0},{"a":1,"b":2}])", ""},
      {"no element", R"({"$contains":3})", "[1,2]", "contains 3, got [1,2]"},
      {"start", R"({"$starts_with":"he"})", R"("hello")", ""},
      {"no start", R"({"$starts_with":"lo"})", R"("hello")", "starts with \"lo\""},
      {"any", R"({"a":{"$any":true}})", R"({"a":0})", ""},
      {"none of any", R"({"a":{"$any":true}})", "{}", "at a: expected any value, got nothing"},
      {"absent", R"({"a":{"$absent":true}})", "{}", ""},
      {"not absent", R"({"a":{"$absent":true}})", R"({"a":1})", "at a: expected nothing, got 1"},
      {"size of a list", R"({"$size":2})", "[1,2]", ""},
      {"size of a text", R"({"$size":5})", R"("hello")", ""},
      {"other size", R"({"$size":1})", "[1,2]", "expected size 1, got [1,2]"},
      {"size of a number", R"({"$size":0})", "0", "expected size 0, got 0"},
      {"bytes as text", R"({"$text":"hello"})", R"("aGVsbG8=")", ""},
      {"bytes as text that contains", R"({"$text":{"$contains":"ell"}})", R"("aGVsbG8=")", ""},
      {"bytes as other text", R"({"$text":"x"})", R"("aGVsbG8=")", R"(expected "x", got "hello")"},
      {"no bytes", R"({"$text":"x"})", "1", "expected bytes, got 1"},
      {"hex", R"({"$hex":"68656C6c6f"})", R"("aGVsbG8=")", ""},
      {"other hex", R"({"$hex":"00"})", R"("aGVsbG8=")", "expected the bytes \"00\""},
      {"JSON in text", R"({"$json":{"a":1}})", R"("{\"a\":1,\"b\":2}")", ""},
      {"other JSON in text", R"({"$json":{"a":1}})", R"("{\"a\":2}")", "at a: expected 1, got 2"},
      {"text that is no JSON", R"({"$json":{}})", R"("{")", "expected a string of JSON"},
      {"two operators", R"({"$starts_with":"h","$size":4})", R"("hello")", "expected size 4"},
      {"bytes as a message", R"({"$as":{"ConversationStateStructure":{"turns":{"$size":1}}}})",
       R"("QgFh")", ""},
      {"bytes as another message", R"({"$as":{"ConversationStateStructure":{"turns":[]}}})",
       R"("QgFh")", "at turns: expected a list of 0"},
      {"bytes that are no message", R"({"$as":{"ConversationStateStructure":{}}})", R"("/w==")",
       "expected the bytes of agent.v1.ConversationStateStructure"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Json pattern = Json::parse(c.pattern);
    ASSERT_THAT(CheckPattern(pattern, nullptr), IsOk());
    const auto mismatch = FindMismatch(pattern, Json::parse(c.actual));
    if (*c.mismatch == '\0') {
      EXPECT_EQ(mismatch.value_or(""), "");
    } else {
      EXPECT_THAT(mismatch.value_or("a match"), HasSubstr(c.mismatch));
    }
  }
}

TEST(FindMismatch, IsOfBoundedLength) {
  const Json large = {{"a", std::string(1'000'000, 'x')}};
  const auto mismatch = FindMismatch({{"a", std::string(1'000'000, 'y')}}, large);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_LT(mismatch->size(), 2000u);
}

TEST(CheckPattern, RefusesWhatCanNeverMatch) {
  struct Case {
    const char* pattern;
    const char* error;  // "": it is good
  };
  const Case cases[] = {
      {R"({"read_result":{"rejected":{"path":"a"}}})", ""},
      {R"({"read_result":{"rejectd":{}}})",
       "read_result: agent.v1.ReadResult has no field rejectd"},
      {R"({"readResult":{}})", "has no field readResult"},
      {R"({"id":{"$contians":"a"}})", "id: unknown operator $contians"},
      {R"({"$any":true,"id":1})", "operators and fields in one object"},
      {R"({"$any":false})", "$any wants true"},
      {R"({"exec_id":{"$hex":"0"}})", "exec_id: $hex wants a string of pairs"},
      {R"({"exec_id":{"$starts_with":1}})", "wants a string"},
      {R"({"exec_id":{"$size":"1"}})", "wants a number"},
      {R"({"exec_id":{"$as":{"Nonsense":{}}}})", "no message agent.v1.Nonsense"},
      {R"({"exec_id":{"$as":1}})", "$as wants"},
      {R"({"mcp_result":{"success":{"structured_content":{"anything":1}}}})", ""},
      {R"([{"id":1},{"idd":1}])", "[1]: agent.v1.ExecClientMessage has no field idd"},
      {R"({"mcp_result":{"success":{"content":{"$contains":{"txt":1}}}}})", "has no field txt"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.pattern);
    const absl::Status status =
        CheckPattern(Json::parse(c.pattern), pb::ExecClientMessage::descriptor());
    if (*c.error == '\0') {
      EXPECT_THAT(status, IsOk());
    } else {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.error)));
    }
  }
}

TEST(MessageToJson, HasTheNamesOfTheSchemaAndDefaults) {
  const Json json = MessageToJson(
      FromText<pb::ExecClientMessage>("shell_result { success { command: \"ls\" } }"));
  EXPECT_EQ(json["id"], 0);
  EXPECT_EQ(json["shell_result"]["success"]["command"], "ls");
  EXPECT_EQ(json["shell_result"]["success"]["exit_code"], 0);
  EXPECT_FALSE(json.contains("read_result"));
}

TEST(MessageToJson, ShowsArgumentsOfToolsAsJson) {
  // The second is no google.protobuf.Value: it is shown as text.
  const Json json = MessageToJson(FromText<pb::ToolCall>(
      R"(mcp_tool_call { args { name: "t" args { key: "n" value: "\032\002hi" }
                                args { key: "m" value: "plain" } } })"));
  EXPECT_EQ(json["mcp_tool_call"]["args"]["args"], Json::parse(R"({"m":"plain","n":"hi"})"));
  EXPECT_EQ(json["mcp_tool_call"]["args"]["name"], "t");
}

TEST(FindMismatch, RefusesJsonThatIsNestedTooDeep) {
  const std::string text = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const Json pattern = Json::parse(R"({"$json":{"a":1}})");
  EXPECT_THAT(FindMismatch(pattern, Json(text)).value_or(""), HasSubstr("a string of JSON"));
}

}  // namespace
}  // namespace cursorwire::upstream
