#include "api/message.h"

#include <absl/strings/escaping.h>
#include <cursorwire/chat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "api/api_error.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using nlohmann::json;
using ::testing::ElementsAre;

const std::string kPng = "\x89PNG\r\n\x1a\n and the rest";

std::string DataUrl(const std::string& bytes) {
  return "data:image/png;base64," + std::string(absl::Base64Escape(bytes));
}

json UserImage(const json& url) {
  return json::array({{{"role", "user"},
                       {"content", json::array({{{"type", "image_url"}, {"image_url", url}}})}}});
}

std::string ParamOf(const json& messages) {
  const auto read = ReadMessages(messages);
  EXPECT_FALSE(read.ok()) << messages;
  return ApiErrorOf(read.status()).param;
}

TEST(Messages, AreBounded) {
  const nlohmann::json one = {{"role", "user"}, {"content", "a"}};
  EXPECT_TRUE(ReadMessages(nlohmann::json(kMaxMessages, one)).ok());
  EXPECT_FALSE(ReadMessages(nlohmann::json(kMaxMessages + 1, one)).ok());
}

TEST(Messages, ReadsEachRole) {
  const auto read = ReadMessages(json::parse(R"([
    {"role":"system","content":"s"}, {"role":"developer","content":[{"type":"text","text":"d"}]},
    {"role":"user","content":[{"type":"text","text":"a","cache_control":{}},
                              {"type":"text","text":"b"}],"name":"ada"},
    {"role":"assistant","content":null,"reasoning_content":"x","refusal":null,"annotations":[],
     "audio":null,"function_call":null,
     "tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"done"}]},
    {"role":"assistant","content":[{"type":"refusal","refusal":"no"}]},
    {"role":"assistant","content":""}, {"role":"assistant","content":[]}])"));
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(*read,
              ElementsAre(Message{.role = Role::kSystem, .text = "s"},
                          Message{.role = Role::kSystem, .text = "d"},
                          Message{.role = Role::kUser, .text = "ab"},
                          Message{.role = Role::kAssistant, .calls = {{"c1", "f", "{}"}}},
                          Message{.role = Role::kTool, .text = "done", .call_id = "c1"},
                          Message{.role = Role::kAssistant, .text = "no"},
                          Message{.role = Role::kAssistant}, Message{.role = Role::kAssistant}));
}

TEST(Messages, NamesWhatIsWrong) {
  struct Case {
    const char* message;
    const char* param;
  };
  const Case cases[] = {
      {R"(1)", "messages.[1]"},
      {R"({"content":"x"})", "messages.[1].role"},
      {R"({"role":"narrator","content":"x"})", "messages.[1].role"},
      {R"({"role":"user"})", "messages.[1].content"},
      {R"({"role":"user","content":null})", "messages.[1].content"},
      {R"({"role":"user","content":7})", "messages.[1].content"},
      {R"({"role":"user","content":["x"]})", "messages.[1].content.[0]"},
      {R"({"role":"user","content":[{"type":"input_audio"}]})", "messages.[1].content.[0].type"},
      {R"({"role":"user","content":[{"type":"file"}]})", "messages.[1].content.[0].type"},
      {R"({"role":"assistant","content":[{"type":"image_url"}]})", "messages.[1].content.[0].type"},
      {R"({"role":"user","content":[{"type":"text"}]})", "messages.[1].content.[0].text"},
      {R"({"role":"tool","content":"x"})", "messages.[1].tool_call_id"},
      {R"({"role":"assistant","tool_calls":{}})", "messages.[1].tool_calls"},
      {R"({"role":"assistant","tool_calls":[{"id":1}]})", "messages.[1].tool_calls.[0].id"},
      {R"({"role":"assistant","tool_calls":[{"id":"a","function":{}}]})",
       "messages.[1].tool_calls.[0].function.name"},
      {R"({"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}}]})",
       "messages.[1].tool_calls.[0].function.arguments"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    json messages = json::array({{{"role", "user"}, {"content", "first"}}});
    messages.push_back(json::parse(c.message));
    EXPECT_EQ(ParamOf(messages), c.param);
  }
}

TEST(Messages, ReadsWhatSaysNothing) {
  const auto read = ReadMessages(json::parse(R"([
    {"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"reasoning"},
                                   {"type":"redacted_thinking"},{"type":"text","text":"a"}]},
    {"role":"tool","tool_call_id":"c1","content":null}, {"role":"tool","tool_call_id":"c2"},
    {"role":"tool","tool_call_id":"c3","content":[{"type":"file","file":{}}]}])"));
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(*read, ElementsAre(Message{.role = Role::kAssistant, .text = "a"},
                                 Message{.role = Role::kTool, .call_id = "c1"},
                                 Message{.role = Role::kTool, .call_id = "c2"},
                                 Message{.role = Role::kTool,
                                         .text = "[a part of the type 'file']",
                                         .call_id = "c3"}));
}

TEST(Messages, ReadImagesOfUrlsInCapitals) {
  const auto read =
      ReadMessages(UserImage("DATA:image/PNG;BASE64," + std::string(absl::Base64Escape(kPng))));
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT((*read)[0].images, ElementsAre(kPng));
}

TEST(Messages, ReadImagesFromTheRequestAlone) {
  const auto read = ReadMessages(UserImage({{"url", DataUrl(kPng)}, {"detail", "high"}}));
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT((*read)[0].images, ElementsAre(kPng));
  for (const std::string& url :
       {std::string("https://example.org/a.png"), std::string("file:///etc/passwd"),
        std::string("data:image/png,raw"), std::string("data:image/png;base64,@@"),
        DataUrl("no image"), DataUrl(kPng + std::string(cursorwire::kMaxImageBytes, 'x'))}) {
    SCOPED_TRACE(url.substr(0, 40));
    EXPECT_EQ(ParamOf(UserImage({{"url", url}})), "messages.[0].content.[0].image_url");
  }
  EXPECT_EQ(ParamOf(UserImage(7)), "messages.[0].content.[0].image_url");
}

TEST(Messages, BoundTheImagesOfARequest) {
  const std::string large = DataUrl(kPng + std::string(cursorwire::kMaxImageBytes - 100, 'x'));
  json messages = json::array();
  for (size_t i = 0; i <= kMaxRequestImagesBytes / cursorwire::kMaxImageBytes; ++i) {
    messages.push_back(UserImage({{"url", large}})[0]);
  }
  EXPECT_EQ(ParamOf(messages), "messages.[6].content.[0].image_url");
}

}  // namespace
}  // namespace cursor_gateway
