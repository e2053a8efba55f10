#include "mcp/call_result.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace cursorwire::mcp {
namespace {

using jsonrpc::Json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// The items of a result, one after the other.
std::string Items(const ToolResult& result) {
  std::string text;
  for (const ToolResult::Item& item : result.content) {
    if (const auto* image = std::get_if<ToolImage>(&item)) {
      absl::StrAppend(&text, "<", image->mime_type, " ", image->bytes.size(), ">");
    } else {
      absl::StrAppend(&text, "'", std::get<std::string>(item), "'");
    }
  }
  return text;
}

TEST(ReadCallResult, TakesEachKindOfContent) {
  struct Case {
    const char* content;
    const char* items;
  };
  const Case cases[] = {
      {R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])", "'a''b'"},
      {R"([{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}])", "<image/png 8>"},
      {R"([{"type":"resource","resource":{"uri":"f://x","text":"t"}}])", "'[f://x]\nt'"},
      {R"([{"type":"resource","resource":{"uri":"f://x","blob":"R0lGODlh","mimeType":"image/gif"}}])",
       "<image/gif 6>"},
      {R"([{"type":"resource","resource":{"uri":"f://x","blob":"AA==","mimeType":"a/b"}}])",
       "'[the resource f://x (a/b) is not text and not shown]'"},
      {R"([{"type":"resource_link","uri":"f://x","name":"n"}])",
       "'[a link to the resource f://x n]'"},
      {R"([{"type":"resource_link","uri":"f://x","name":"n","title":"A\nb","description":"All of it."}])",
       "'[a link to the resource f://x n: A b: All of it.]'"},
      {R"([{"type":"resource_link","uri":"f://x","description":"All of it."}])",
       "'[a link to the resource f://x All of it.]'"},
      {R"([{"type":"audio","data":"AA==","mimeType":"audio/wav"}])",
       "'[audio (audio/wav) is not shown]'"},
      {R"([{"type":"hologram"}])", "'[content of the unknown type 'hologram' is not shown]'"},
      {R"([7])", "'[content of the unknown type '' is not shown]'"},
      {"[]", "''"},
      {"null", "''"},
      {R"("text")", "''"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.content);
    const ToolResult result = ReadCallResult({{"content", Json::parse(c.content)}});
    EXPECT_EQ(Items(result), c.items);
    EXPECT_FALSE(result.is_error);
    EXPECT_EQ(result.structured_json, "");
  }
}

TEST(ReadCallResult, TakesStructuredContent) {
  const ToolResult both = ReadCallResult(
      Json::parse(R"({"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}})"));
  EXPECT_EQ(Items(both), "'t'");
  EXPECT_EQ(both.structured_json, R"({"a":1})");
  const ToolResult alone = ReadCallResult(Json::parse(R"({"structuredContent":{"a":1}})"));
  EXPECT_EQ(Items(alone), R"('{"a":1}')");
  EXPECT_EQ(alone.structured_json, R"({"a":1})");
  const ToolResult list = ReadCallResult(Json::parse(R"({"content":[],"structuredContent":[1]})"));
  EXPECT_EQ(Items(list), "'[1]'");
  EXPECT_EQ(list.structured_json, "");
}

TEST(ReadCallResult, TakesErrors) {
  const ToolResult error =
      ReadCallResult(Json::parse(R"({"content":[{"type":"text","text":"no"}],"isError":true})"));
  EXPECT_EQ(Items(error), "'no'");
  EXPECT_TRUE(error.is_error);
  const ToolResult input = ReadCallResult(Json::parse(R"({"resultType":"input_required"})"));
  EXPECT_TRUE(input.is_error);
  EXPECT_THAT(Items(input), HasSubstr("wants more input"));
  EXPECT_FALSE(ReadCallResult(Json::parse(R"({"resultType":"complete"})")).is_error);
}

TEST(ReadCallResult, CutsTextsAndLeavesOutLargeImages) {
  const std::string a(size_t{300} * 1024, 'a');
  std::string b;
  while (b.size() < size_t{300} * 1024) b += "\xC3\xA4";
  const ToolResult cut = ReadCallResult({{"content",
                                          {{{"type", "text"}, {"text", a}},
                                           {{"type", "text"}, {"text", b}},
                                           {{"type", "text"}, {"text", "c"}}}}});
  ASSERT_EQ(cut.content.size(), 3u);
  EXPECT_EQ(std::get<std::string>(cut.content[0]), a);
  EXPECT_THAT(std::get<std::string>(cut.content[1]),
              EndsWith("\xC3\xA4\n[the first 523264 of 614401 bytes; the rest is left out]"));
  EXPECT_EQ(std::get<std::string>(cut.content[2]), "");

  const std::string image = absl::Base64Escape(std::string(size_t{5} * 1024 * 1024 + 1, 'x'));
  EXPECT_EQ(Items(ReadCallResult(
                {{"content", {{{"type", "image"}, {"data", image}, {"mimeType", "image/png"}}}}})),
            "'[an image (image/png) is left out: 5242881 bytes, over the limit of 5242880]'");
}

TEST(ReadCallResult, TellsTheTypeOfAnImageByItsBytes) {
  struct Case {
    const char* name;
    std::string bytes;
    const char* type;  // as the server says
    const char* item;
  };
  const std::string webp("RIFF\x10\0\0\0WEBPVP8 ", 16);
  const Case cases[] = {
      {"jpeg", "\xFF\xD8\xFF\xE0", "image/jpeg", "<image/jpeg 4>"},
      {"png as jpeg", "\x89PNG\r\n\x1A\n", "image/jpeg", "<image/png 8>"},
      {"gif as png", "GIF89a", "image/png", "<image/gif 6>"},
      {"webp as bytes", webp, "application/octet-stream", "<image/webp 16>"},
      {"no type", "GIF87a", "", "<image/gif 6>"},
      {"svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "image/svg+xml",
       "'[an image (image/svg+xml) is left out: its 41 bytes are not a jpeg, png, gif or webp]'"},
      {"heic",
       std::string("\0\0\0\x18"
                   "ftypheic",
                   12),
       "image/heic",
       "'[an image (image/heic) is left out: its 12 bytes are not a jpeg, png, gif or webp]'"},
      {"HTML as png", "<!DOCTYPE html>", "image/png",
       "'[an image (image/png) is left out: its 15 bytes are not a jpeg, png, gif or webp]'"},
      {"a cut mark", "\x89PN", "image/png",
       "'[an image (image/png) is left out: its 3 bytes are not a jpeg, png, gif or webp]'"},
      {"nothing", "", "image/png", "'[an image (image/png) is left out: it has no bytes]'"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string data = absl::Base64Escape(c.bytes);
    EXPECT_EQ(Items(ReadCallResult(
                  {{"content", {{{"type", "image"}, {"data", data}, {"mimeType", c.type}}}}})),
              c.item);
  }
  const auto item = [](const char* content) {
    return Items(ReadCallResult({{"content", Json::array({Json::parse(content)})}}));
  };
  EXPECT_EQ(item(R"({"type":"image","data":"?","mimeType":"image/png"})"),
            "'[an image (image/png) is left out: it is not valid base64]'");
  EXPECT_EQ(item(R"({"type":"image"})"), "'[an image is left out: it has no bytes]'");
  EXPECT_EQ(item(R"({"type":"resource",
                     "resource":{"uri":"f://x","blob":"PHN2Zy8+","mimeType":"image/svg+xml"}})"),
            "'[the resource f://x, an image (image/svg+xml), is left out: its 6 bytes are not a "
            "jpeg, png, gif or webp]'");
  EXPECT_EQ(item(R"({"type":"resource",
                     "resource":{"uri":"f://x","blob":"iVBORw0KGgo=","mimeType":"image/jpeg"}})"),
            "<image/png 8>");
}

}  // namespace
}  // namespace cursorwire::mcp
