#include "mcp/tool_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum absl::StatusCode;

TEST(ReadServerTool, TakesWhatAServerSays) {
  const auto read = ReadServerTool(Json::parse(R"({
      "name": "get it", "title": "Get\nit", "description": "Gets\u200b it.",
      "inputSchema": {"type": "object", "properties": {"a\u200b": {"description": "x\u202ey"}}},
      "annotations": {"readOnlyHint": true, "destructiveHint": false, "openWorldHint": true},
      "execution": {"taskSupport": "optional"}})"));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->tool.name, "get it");
  EXPECT_EQ(read->tool.title, "Get it");
  EXPECT_EQ(read->tool.description, "Gets it.");
  // Names of arguments must stay what the server knows.
  EXPECT_EQ(read->tool.input_schema,
            "{\"properties\":{\"a\xE2\x80\x8B\":{\"description\":\"xy\"}},\"type\":\"object\"}");
  EXPECT_THAT(read->tool.hints, ElementsAre("read-only", "open-world"));
  EXPECT_EQ(read->notice, "");
}

TEST(ReadServerTool, MendsSchemas) {
  struct Case {
    const char* schema;
    const char* result;
  };
  const Case cases[] = {
      {"null", R"({"properties":{},"type":"object"})"},
      {"{}", R"({"type":"object"})"},
      {R"({"type":null})", R"({"type":"object"})"},
      {R"({"required":null,"properties":{}})", R"({"properties":{},"type":"object"})"},
      {R"({"anyOf":[{"required":["a"]}]})", R"({"anyOf":[{"required":["a"]}],"type":"object"})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.schema);
    const auto read = ReadServerTool({{"name", "t"}, {"inputSchema", Json::parse(c.schema)}});
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(read->tool.input_schema, c.result);
  }
  EXPECT_EQ(ReadServerTool({{"name", "t"}})->tool.input_schema,
            R"({"properties":{},"type":"object"})");
}

TEST(WantsHeaders, LooksAtPartsOfTheSchemaAlone) {
  for (const char* schema :
       {R"({"properties":{"a":{"x-mcp-header":"A"}}})",
        R"({"properties":{"a":{"properties":{"b":{"x-mcp-header":7}}}}})",
        R"({"items":[{"x-mcp-header":"A"}]})", R"({"properties":{"default":{"x-mcp-header":"A"}}})",
        R"({"$defs":{"a":{"anyOf":[{"x-mcp-header":"A"}]}}})"}) {
    SCOPED_TRACE(schema);
    EXPECT_TRUE(WantsHeaders(Json::parse(schema)));
  }
  for (const char* schema : {"null", "{}", R"({"properties":{"x-mcp-header":{"type":"string"}}})",
                             R"({"properties":{"a":{"default":{"x-mcp-header":"A"}}}})",
                             R"({"enum":[{"x-mcp-header":"A"}],"description":"x-mcp-header"})"}) {
    SCOPED_TRACE(schema);
    EXPECT_FALSE(WantsHeaders(Json::parse(schema)));
  }
}

TEST(ReadServerTool, RefusesWhatCannotBeOffered) {
  std::string deep = "{}";
  for (int i = 0; i < 31; ++i) deep = R"({"a":)" + deep + "}";
  struct Case {
    const char* name;
    std::string tool;
    const char* message;
  };
  const Case cases[] = {
      {"no object", "7", "no name"},
      {"no name", "{}", "no name"},
      {"a number", R"({"name":1})", "no name"},
      {"a long name", "{\"name\":\"" + std::string(513, 'x') + "\"}", "513 bytes"},
      {"a list", R"({"name":"t","inputSchema":[]})", "no JSON object"},
      {"a text", R"({"name":"t","inputSchema":"{}"})", "no JSON object"},
      {"another type", R"({"name":"t","inputSchema":{"type":"string"}})", "not one of an object"},
      {"several types", R"({"name":"t","inputSchema":{"type":["object"]}})",
       "not one of an object"},
      {"deep", R"({"name":"t","inputSchema":)" + deep + "}", "deeper than 31"},
      {"large",
       R"({"name":"t","inputSchema":{"x":")" + std::string(size_t{256} * 1024, 'x') + "\"}}",
       "over the limit"},
      {"a task", R"({"name":"t","execution":{"taskSupport":"required"}})", "task"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto read = ReadServerTool(Json::parse(c.tool));
    EXPECT_FALSE(read.ok());
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(c.message));
  }
}

TEST(ReadServerTool, CutsDescriptions) {
  const auto read = ReadServerTool({{"name", "t"}, {"description", std::string(9000, 'x')}});
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->tool.description.size(), kMaxToolDescriptionBytes);
  EXPECT_EQ(read->notice, "its description of 9000 bytes is cut at 8192");
}

}  // namespace
}  // namespace cursorwire::mcp
