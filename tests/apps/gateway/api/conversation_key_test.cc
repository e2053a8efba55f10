#include "api/conversation_key.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cursor_gateway {
namespace {

std::string Key(const std::vector<Message>& messages, const std::string& owner = "k",
                const std::string& rules = "r") {
  ConversationKey key(owner, rules);
  key.Add(DigestsOf(messages));
  return key.value();
}

const std::vector<Message> kTalk = {
    {.role = Role::kUser, .text = "hi"},
    {.role = Role::kAssistant, .text = "", .calls = {{"c1", "f", R"({"a":1,"b":2})"}}},
    {.role = Role::kTool, .text = "42", .call_id = "c1"},
    {.role = Role::kAssistant, .text = "it is 42"}};

TEST(ConversationKey, IsTheSameForAnotherSpelling) {
  std::vector<Message> other = kTalk;
  other[0].text = "hi \n";
  other[1].calls[0].id = "rewritten";
  other[1].calls[0].arguments = R"({ "b": 2.0, "a": 1 })";
  other[2].call_id = "rewritten";
  EXPECT_EQ(Key(kTalk), Key(other));
  EXPECT_EQ(Key(kTalk).size(), 32U);
}

std::string KeyOfCall(const std::string& arguments) {
  return Key({{.role = Role::kAssistant, .calls = {{"c", "f", arguments}}}});
}

// Each number is a double to them.
TEST(ConversationKey, IsTheSameForNumbersOfClientsInJavaScript) {
  const struct {
    const char* model;
    const char* client;
  } cases[] = {{"12345678901234567890", "12345678901234567000"},
               {"-9007199254740993", "-9007199254740992"},
               {"123456789012345678901234", "1.2345678901234568e+23"},
               {"-0.0", "0"},
               {"2.50", "2.5"}};
  for (const auto& c : cases) EXPECT_EQ(KeyOfCall(c.model), KeyOfCall(c.client)) << c.model;
  EXPECT_NE(KeyOfCall("9007199254740991"), KeyOfCall("9007199254740992"));
  EXPECT_NE(KeyOfCall("2.5"), KeyOfCall("2"));
  EXPECT_NE(KeyOfCall("[1e999]"), KeyOfCall("[-1e999]"));
}

TEST(ConversationKey, TakesLongArgumentsAsTheyAre) {
  const auto arguments = [](size_t bytes) { return "{\"a\":\"" + std::string(bytes, 'x') + "\"}"; };
  EXPECT_EQ(KeyOfCall(arguments(60'000)), KeyOfCall(arguments(60'000) + " "));
  EXPECT_EQ(KeyOfCall(arguments(70'000)), KeyOfCall(arguments(70'000)));
  EXPECT_NE(KeyOfCall(arguments(70'000)), KeyOfCall(arguments(70'000) + " "));
}

TEST(ConversationKey, DiffersWithWhatWasSaid) {
  const auto changed = [](auto change) {
    std::vector<Message> other = kTalk;
    change(other);
    return Key(other) != Key(kTalk);
  };
  EXPECT_TRUE(changed([](auto& talk) { talk[0].text = "ho"; }));
  EXPECT_TRUE(changed([](auto& talk) { talk[0].role = Role::kTool; }));
  EXPECT_TRUE(changed([](auto& talk) { talk[0].images = {"x"}; }));
  EXPECT_TRUE(changed([](auto& talk) { talk[1].calls[0].name = "g"; }));
  EXPECT_TRUE(changed([](auto& talk) { talk[1].calls[0].arguments = "{}"; }));
  EXPECT_TRUE(changed([](auto& talk) { talk[2].text = "43"; }));
  EXPECT_TRUE(changed([](auto& talk) { talk.pop_back(); }));
  EXPECT_NE(Key(kTalk, "k1"), Key(kTalk, "k2"));
  EXPECT_NE(Key(kTalk, "k", "r1"), Key(kTalk, "k", "r2"));
  EXPECT_NE(Key(kTalk, "k", "r"), Key(kTalk, "kr", ""));
}

}  // namespace
}  // namespace cursor_gateway
