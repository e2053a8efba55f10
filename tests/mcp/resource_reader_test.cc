#include "mcp/resource_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using jsonrpc::Json;
using test::StatusIs;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using enum absl::StatusCode;

Json Text(const std::string& text) { return {{"uri", "a:1"}, {"text", text}}; }

TEST(AddResources, KeepsTheLimits) {
  Json page;
  for (size_t i = 0; i < kMaxResources + 3; ++i) {
    page["resources"].push_back({{"uri", "a:" + std::to_string(i)},
                                 {"name", "n"},
                                 {"title", "T\nt"},
                                 {"description", std::string(5'000, 'x')}});
  }
  page["resources"][1]["uri"] = std::string(3'000, 'u');
  page["resources"][2].erase("uri");
  std::vector<McpResource> resources;
  EXPECT_EQ(*AddResources(page, "s", resources), 3u);
  ASSERT_THAT(resources, SizeIs(kMaxResources));
  EXPECT_EQ(resources[1].uri, "a:3");
  EXPECT_EQ(resources[0].name, "T t");
  EXPECT_EQ(resources[0].server, "s");
  EXPECT_THAT(resources[0].description, SizeIs(1'024));
  EXPECT_EQ(*AddResources(page, "s", resources), kMaxResources + 3);
  EXPECT_THAT(AddResources(Json::object(), "s", resources), StatusIs(kInternal));
}

TEST(ReadContents, ReadsTextAndBytes) {
  EXPECT_EQ(ReadContents({{"contents", {Text("x")}}})->content, "x");
  const auto bytes =
      ReadContents({{"contents", {{{"uri", "a:1"}, {"mimeType", "a/b"}, {"blob", "AAE="}}}}});
  EXPECT_EQ(bytes->content, std::string("\0\1", 2));
  EXPECT_FALSE(bytes->is_text);
  EXPECT_EQ(bytes->mime_type, "a/b");
  const auto joined = ReadContents(
      {{"contents", {Text("x"), {{"uri", "a:2"}, {"mimeType", "a/b"}, {"blob", "AAE="}}}}});
  EXPECT_EQ(joined->content, "[a:1]\nx\n[a:2]\n[2 bytes that are not text (a/b)]\n");
  EXPECT_TRUE(joined->is_text);
}

TEST(ReadContents, RefusesWhatIsNotContent) {
  const struct {
    const char* name;
    Json result;
    absl::StatusCode code;
  } cases[] = {
      {"nothing", Json::object(), kInternal},
      {"an empty list", {{"contents", Json::array()}}, kInternal},
      {"no object", {{"contents", {7}}}, kInternal},
      {"neither text nor bytes", {{"contents", {{{"uri", "a:1"}}}}}, kInternal},
      {"no base64", {{"contents", {{{"blob", "?"}}}}}, kInternal},
      {"too large", {{"contents", {{{"blob", std::string(8'000'000, 'A')}}}}}, kOutOfRange},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ReadContents(c.result), StatusIs(c.code));
  }
}

TEST(ReadContents, CutsLongTexts) {
  const auto output = ReadContents({{"contents", {Text(std::string(600'000, 'x'))}}});
  EXPECT_THAT(output->content, SizeIs(::testing::Lt(size_t{512} * 1024)));
  EXPECT_THAT(output->content, EndsWith("bytes; the rest is left out]"));
  EXPECT_THAT(output->content, HasSubstr("of 600000 bytes"));
}

}  // namespace
}  // namespace cursorwire::mcp
