#include "agent/tools/tool_exec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/tools/json_value.h"
#include "base/strings.h"
#include "support/proto_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using test::Difference;
using test::FromText;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kPng = "\x89PNG\r\n\x1A\n";

ToolImage Png(size_t size) {
  ToolImage image{.bytes = std::string(kPng)};
  image.bytes.resize(size, 'x');
  return image;
}

size_t TextBytes(const pb::McpResult& result) {
  size_t bytes = 0;
  for (const auto& item : result.success().content()) bytes += item.text().text().size();
  return bytes;
}

TEST(ToToolCall, KeepsWhatTheModelGave) {
  auto args = FromText<pb::McpArgs>(R"(name: "mcp_cursorwire_t" tool_call_id: "c")");
  (*args.mutable_args())["n"] = JsonToValue("1.0")->SerializeAsString();
  const ToolCall call = ToToolCall(args, "t", "fallback");
  EXPECT_EQ(call.name, "t");
  EXPECT_EQ(call.call_id, "c");
  EXPECT_EQ(call.arguments_json, R"({"n":1})");
  EXPECT_EQ(ToToolCall({}, "t", "fallback").call_id, "fallback");
  EXPECT_EQ(ToToolCall({}, "t", "fallback").arguments_json, "{}");
}

TEST(ToMcpResult, SaysWhatWasRejectedAndWhy) {
  EXPECT_EQ(Difference(FromText<pb::McpResult>(R"(rejected { reason: "not\n\357\277\275" })"),
                       ToMcpResult([] {
                         ToolResult result = ToolResult::Rejected("not");
                         result.content.emplace_back("\xFF");
                         return result;
                       }())),
            "");
}

TEST(ToMcpResult, AddsStructuredContentThatIsAnObject) {
  ToolResult result = ToolResult::Text("t");
  result.structured_json = R"({"a":1})";
  EXPECT_EQ(Difference(FromText<pb::McpResult>(R"(success { content { text { text: "t" } }
              structured_content { fields { key: "a" value { number_value: 1 } } } })"),
                       ToMcpResult(result)),
            "");
  for (const std::string& bad : {std::string("[1]"), std::string("{"), std::string("3"),
                                 "{\"a\":\"" + std::string(kMaxToolTextBytes, 'x') + "\"}"}) {
    result.structured_json = bad;
    EXPECT_FALSE(ToMcpResult(result).success().has_structured_content());
  }
}

TEST(ToMcpResult, WritesItemsInTheirOrder) {
  ToolResult result = ToolResult::Text("a\xFF");
  result.content.emplace_back(ToolImage{.bytes = std::string(kPng)});
  result.content.emplace_back(ToolImage{.bytes = "svg", .mime_type = "image/svg+xml"});
  result.content.emplace_back(ToolImage{.bytes = "what"});
  result.content.emplace_back("z");
  EXPECT_EQ(Difference(FromText<pb::McpResult>(R"(success {
              content { text { text: "a\357\277\275" } }
              content { image { data: "\211PNG\r\n\032\n" mime_type: "image/png" } }
              content { image { data: "svg" mime_type: "image/svg+xml" } }
              content { text { text: "[an image of 4 bytes and of an unknown type]" } }
              content { text { text: "z" } } })"),
                       ToMcpResult(result)),
            "");
}

TEST(ToMcpResult, IsASuccessWhateverWentWrong) {
  struct Case {
    const char* name;
    absl::StatusOr<ToolResult> result;
    const char* expected;
  };
  const Case cases[] = {
      {"an error of the tool", ToolResult::Error("why"),
       R"(success { content { text { text: "why" } } is_error: true })"},
      {"a status", absl::PermissionDeniedError("not \xFF now"),
       R"(success { content { text { text: "not \357\277\275 now" } } is_error: true })"},
      {"a status without a message", absl::UnknownError(""),
       R"(success { content { text {} } is_error: true })"},
      {"nothing", ToolResult{}, "success { content { text {} } }"},
      {"an empty text", ToolResult::Text(""), "success { content { text {} } }"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Difference(FromText<pb::McpResult>(c.expected), ToMcpResult(c.result)), "");
  }
}

TEST(ToMcpResult, SendsTextUpToTheLimitWhole) {
  ToolResult result = ToolResult::Text(std::string(kMaxToolTextBytes - 1, 'a'));
  result.content.emplace_back("b");
  EXPECT_EQ(TextBytes(ToMcpResult(result)), kMaxToolTextBytes);
  EXPECT_EQ(ToMcpResult(result).success().content(1).text().text(), "b");
}

TEST(ToMcpResult, CutsLongTextAndSaysSo) {
  // Two bytes a character, so that one of the two lengths ends in the middle of one.
  for (const char* start : {"", "x"}) {
    SCOPED_TRACE(start);
    std::string text = start;
    while (text.size() <= 2 * kMaxToolTextBytes) text += "\xC3\xA9";
    ToolResult result = ToolResult::Text("first");
    result.content.emplace_back(text);
    result.content.emplace_back("after the cut");

    const pb::McpResult message = ToMcpResult(result);
    ASSERT_EQ(message.success().content_size(), 2);
    EXPECT_EQ(message.success().content(0).text().text(), "first");
    const std::string& cut = message.success().content(1).text().text();
    EXPECT_LE(TextBytes(message), kMaxToolTextBytes);
    EXPECT_GT(TextBytes(message), kMaxToolTextBytes - 200);
    EXPECT_TRUE(IsUtf8(cut));
    const size_t total = text.size() + 5 + 13;
    const size_t kept = cut.rfind("\n[cut: ") + 5;
    EXPECT_THAT(cut, EndsWith("\n[cut: " + std::to_string(total - kept) + " of " +
                              std::to_string(total) + " bytes left out]"));
  }
}

TEST(ToMcpResult, CountsTextAsItIsSent) {
  // Each of these bytes becomes three.
  const pb::McpResult message =
      ToMcpResult(ToolResult::Text(std::string(kMaxToolTextBytes, '\xFF')));
  EXPECT_LE(TextBytes(message), kMaxToolTextBytes);
  EXPECT_THAT(message.success().content(0).text().text(), HasSubstr("[cut: "));
}

TEST(ToMcpResult, LeavesOutImagesThatDoNotFit) {
  ToolResult result = ToolResult::Text("pictures");
  for (int i = 0; i < 3; ++i) result.content.emplace_back(Png(kMaxToolResultBytes / 2 - 2000));
  result.content.emplace_back("end");
  result.content.emplace_back(Png(100));
  const pb::McpResult message = ToMcpResult(result);
  EXPECT_LE(message.ByteSizeLong(), kMaxToolResultBytes);
  ASSERT_EQ(message.success().content_size(), 6);
  EXPECT_TRUE(message.success().content(2).has_image());
  EXPECT_THAT(message.success().content(3).text().text(),
              StartsWith("[images left out: 1 of " +
                         std::to_string(kMaxToolResultBytes / 2 - 2000) + " bytes"));
  EXPECT_EQ(message.success().content(4).text().text(), "end");
  EXPECT_TRUE(message.success().content(5).has_image());
}

TEST(ToMcpResult, KeepsBothLimitsTogether) {
  ToolResult result;
  for (int i = 0; i < 3; ++i) {
    result.content.emplace_back(std::string(kMaxToolTextBytes / 2, 'a'));
    result.content.emplace_back(Png(kMaxToolResultBytes));
  }
  const pb::McpResult message = ToMcpResult(result);
  EXPECT_LE(TextBytes(message), kMaxToolTextBytes);
  EXPECT_LE(message.ByteSizeLong(), kMaxToolResultBytes);
  EXPECT_THAT(message.DebugString(), HasSubstr("images left out: 3"));
  EXPECT_THAT(message.DebugString(), HasSubstr("[cut: "));
}

TEST(ToMcpResult, CutsBetweenManyTexts) {
  constexpr size_t kCount = 10'000;
  ToolResult result;
  for (size_t i = 0; i < kCount; ++i) result.content.emplace_back(std::string(64, 'a'));
  const pb::McpResult message = ToMcpResult(result);
  EXPECT_LE(TextBytes(message), kMaxToolTextBytes);
  const auto& content = message.success().content();
  EXPECT_LT(static_cast<size_t>(content.size()), kCount);
  EXPECT_THAT(content[content.size() - 1].text().text(), EndsWith("bytes left out]"));
}

TEST(ToMcpResult, LeavesOutEmptyTextsBesideOthers) {
  ToolResult result = ToolResult::Text("");
  result.content.emplace_back("a");
  result.content.emplace_back("");
  EXPECT_EQ(Difference(FromText<pb::McpResult>(R"(success { content { text { text: "a" } } })"),
                       ToMcpResult(result)),
            "");
}

}  // namespace
}  // namespace cursorwire::agent
