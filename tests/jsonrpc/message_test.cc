#include "jsonrpc/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace cursorwire::jsonrpc {
namespace {

TEST(Message, IsReadAndWritten) {
  struct Case {
    const char* text;
    Message message;
  };
  const Case cases[] = {
      {R"({"id":1,"jsonrpc":"2.0","method":"m"})", Request{.id = 1, .method = "m"}},
      {R"({"id":"x","jsonrpc":"2.0","method":"m","params":{"a":1}})",
       Request{.id = "x", .method = "m", .params = {{"a", 1}}}},
      {R"({"id":null,"jsonrpc":"2.0","method":"m","params":[2]})",
       Request{.method = "m", .params = Json::array({2})}},
      {R"({"jsonrpc":"2.0","method":"n"})", Notification{.method = "n"}},
      {R"({"id":3,"jsonrpc":"2.0","result":null})", Response{.id = 3, .outcome = Json()}},
      {R"({"id":3,"jsonrpc":"2.0","result":[1]})", Response{.id = 3, .outcome = Json::array({1})}},
      {R"({"error":{"code":-32601,"data":{"d":1},"message":"no"},"id":1.5,"jsonrpc":"2.0"})",
       Response{.id = 1.5,
                .outcome = RpcError{.code = -32601, .message = "no", .data = {{"d", 1}}}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto read = ReadMessage(Json::parse(c.text));
    ASSERT_TRUE(std::holds_alternative<Message>(read));
    EXPECT_TRUE(std::get<Message>(read) == c.message);
    EXPECT_EQ(WriteMessage(c.message), c.text);
  }
}

TEST(Message, IsReadAlthoughItIsOdd) {
  const auto read = [](const char* text) {
    auto message = ReadMessage(Json::parse(text));
    return std::holds_alternative<Message>(message) ? WriteMessage(std::get<Message>(message))
                                                    : std::get<NoMessage>(message).reason;
  };
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"result":7,"error":null})"),
            R"({"id":1,"jsonrpc":"2.0","result":7})");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"result":null,"error":"broken"})"),
            R"({"error":{"code":-32603,"message":"broken"},"id":1,"jsonrpc":"2.0"})");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"error":{"code":"E","message":4}})"),
            R"({"error":{"code":-32603,"message":""},"id":1,"jsonrpc":"2.0"})");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"m","params":null,"extra":1})"),
            R"({"jsonrpc":"2.0","method":"m"})");
}

TEST(Message, SaysWhatIsNone) {
  struct Case {
    const char* text;
    const char* id;
  };
  const Case cases[] = {
      {"1", "null"},
      {"[]", "null"},
      {"{}", "null"},
      {R"({"method":"m"})", "null"},
      {R"({"jsonrpc":"1.0","method":"m"})", "null"},
      {R"({"jsonrpc":"2.0"})", "null"},
      {R"({"jsonrpc":"2.0","id":1})", "null"},
      {R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})", "null"},
      {R"({"jsonrpc":"2.0","id":{},"method":"m"})", "null"},
      {R"({"jsonrpc":"2.0","id":true,"method":"m"})", "null"},
      {R"({"jsonrpc":"2.0","id":4,"method":5})", "4"},
      {R"({"jsonrpc":"2.0","id":"i","method":"m","params":"p"})", "\"i\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto read = ReadMessage(Json::parse(c.text));
    ASSERT_TRUE(std::holds_alternative<NoMessage>(read));
    EXPECT_EQ(WriteJsonText(std::get<NoMessage>(read).id), c.id);
    EXPECT_NE(std::get<NoMessage>(read).reason, "");
  }
}

TEST(Message, SaysWhichRequestABrokenAnswerIsFor) {
  const auto answered = [](const char* text) {
    return WriteJsonText(std::get<NoMessage>(ReadMessage(Json::parse(text))).answers);
  };
  EXPECT_EQ(answered(R"({"jsonrpc":"2.0","id":1})"), "1");
  EXPECT_EQ(answered(R"({"jsonrpc":"2.0","id":"7","result":1,"error":{}})"), "\"7\"");
  EXPECT_EQ(answered(R"({"id":2,"result":{}})"), "2");
  EXPECT_EQ(answered(R"({"level":"info","id":2})"), "null") << "a log";
  EXPECT_EQ(answered(R"({"jsonrpc":"2.0","id":4,"method":5})"), "null");
}

TEST(Message, KnowsNumbersInEachForm) {
  struct Case {
    const char* id;
    std::optional<uint64_t> number;
  };
  const Case cases[] = {
      {"0", 0},
      {"17", 17},
      {"18446744073709551615", 18446744073709551615U},
      {"17.0", 17},
      {"1.7e1", 17},
      {"\"17\"", 17},
      {"\"18446744073709551615\"", 18446744073709551615U},
      {"-1", std::nullopt},
      {"1.5", std::nullopt},
      {"1e300", std::nullopt},
      {"-1.0", std::nullopt},
      {"null", std::nullopt},
      {"true", std::nullopt},
      {"[1]", std::nullopt},
      {"\"\"", std::nullopt},
      {"\"01\"", std::nullopt},
      {"\" 1\"", std::nullopt},
      {"\"1 \"", std::nullopt},
      {"\"+1\"", std::nullopt},
      {"\"-1\"", std::nullopt},
      {"\"1.0\"", std::nullopt},
      {"\"18446744073709551616\"", std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.id);
    EXPECT_EQ(NumberOfId(Json::parse(c.id)), c.number);
  }
}

}  // namespace
}  // namespace cursorwire::jsonrpc
