#include "jsonrpc/connection.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/strings.h"
#include "support/for_each_split.h"
#include "support/status_matchers.h"

namespace cursorwire::jsonrpc {
namespace {

using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum absl::StatusCode;

// An event in one line, for comparisons.
std::string Text(const Request& request) { return absl::StrCat("request ", WriteMessage(request)); }
std::string Text(const Notification& notification) {
  return absl::StrCat("notification ", WriteMessage(notification));
}
std::string Text(const Answer& answer) {
  return absl::StrCat("answer ", answer.method, " ",
                      WriteMessage(Response{.id = answer.request_id, .outcome = answer.outcome}));
}
std::string Text(const Cancellation& cancellation) {
  return absl::StrCat("cancel ", WriteJsonText(cancellation.request_id));
}
std::string Text(const StrayError& stray) { return absl::StrCat("stray ", stray.error.message); }
std::string Text(const StrayAnswer& stray) {
  return absl::StrCat("stray answer ", WriteJsonText(stray.id));
}
std::string Text(const Overlong& line) { return absl::StrCat("overlong: ", line.reason); }
std::string Text(const Noise& noise) { return absl::StrCat("noise ", noise.line); }

std::vector<std::string> TakeEvents(Connection& connection) {
  std::vector<std::string> events;
  while (const auto event = connection.Next()) {
    events.push_back(std::visit([](const auto& what) { return Text(what); }, *event));
  }
  return events;
}

std::vector<std::string> EventsOf(Connection& connection, std::string_view bytes) {
  connection.Receive(bytes);
  return TakeEvents(connection);
}

constexpr const char* kCancel = "$/cancel_request";

TEST(Connection, TakesWhatComesHoweverItIsSplit) {
  const std::string input =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xC3\xA4\"}}\n"
      "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"m\"}\r\n\n"
      "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n";
  test::ForEachSplit(input, [](const auto& pieces) {
    Connection connection({});
    ASSERT_TRUE(connection.Call("first", {}).ok());
    EXPECT_EQ(connection.TakeOutput(), "{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"first\"}\n");
    std::vector<std::string> events;
    for (const std::string_view piece : pieces) {
      for (std::string& event : EventsOf(connection, piece)) events.push_back(std::move(event));
    }
    EXPECT_THAT(
        events,
        ElementsAre("answer first {\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"\xC3\xA4\"}}",
                    R"(request {"id":"s","jsonrpc":"2.0","method":"m"})",
                    R"(notification {"jsonrpc":"2.0","method":"n"})"));
    EXPECT_FALSE(connection.has_output());
  });
}

TEST(Connection, AnswersBadLinesAsTheSpecificationSays) {
  struct Case {
    const char* name;
    std::string line;
    const char* code;
    const char* id;
  };
  const Case cases[] = {
      {"no JSON", "hello", "-32700", "null"},
      {"no UTF-8", "{\"jsonrpc\":\"2.0\",\"method\":\"\xFF\"}", "-32700", "null"},
      {"no message", "{}", "-32600", "null"},
      {"no object", "7", "-32600", "null"},
      {"a bad method", R"({"jsonrpc":"2.0","id":9,"method":1})", "-32600", "9"},
      {"a list", R"([{"jsonrpc":"2.0","id":9,"method":"m"}])", "-32600", "null"},
      {"too deep", std::string(500, '['), "-32600", "null"},
      {"too long", "\"" + std::string(2000, 'x') + "\"", "-32600", "null"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Connection connection({.max_line_bytes = 1000});
    EXPECT_THAT(EventsOf(connection, c.line + "\n"), IsEmpty());
    const Json answer = Json::parse(connection.TakeOutput());
    EXPECT_EQ(answer["error"]["code"].dump(), c.code);
    EXPECT_EQ(answer["id"].dump(), c.id);
    EXPECT_THAT(EventsOf(connection, "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n").size(), 1u);
  }
}

TEST(Connection, SkipsNoiseOfAServer) {
  Connection connection({.bad_lines = BadLines::kSkip, .max_line_bytes = 300});
  EXPECT_THAT(EventsOf(connection, "\x1b[32mServer running\n{\"level\":\"info\"}\n" +
                                       std::string(400, 'x') +
                                       "\n"
                                       "{\"jsonrpc\":\"2.0\",\"method\":\"n\xFF\"}\n"),
              ElementsAre("noise \x1b[32mServer running", "noise {\"level\":\"info\"}",
                          "overlong: a line is longer than 300 bytes",
                          "notification {\"jsonrpc\":\"2.0\",\"method\":\"n\xEF\xBF\xBD\"}"));
  EXPECT_THAT(EventsOf(connection, std::string(250, 'y') + "\n"),
              ElementsAre("noise " + std::string(200, 'y')));
  EXPECT_FALSE(connection.has_output());
}

TEST(Connection, SplitsBatches) {
  Connection connection({.bad_lines = BadLines::kSkip, .batches = Batches::kSplit});
  ASSERT_TRUE(connection.Call("a", {}).ok());
  EXPECT_THAT(EventsOf(connection,
                       R"([{"jsonrpc":"2.0","method":"n"},1,{"jsonrpc":"2.0","id":1,"result":2}])"
                       "\n[]\n"),
              ElementsAre(R"(notification {"jsonrpc":"2.0","method":"n"})", HasSubstr("noise [{"),
                          R"(answer a {"id":1,"jsonrpc":"2.0","result":2})", "noise []"));
  std::string large = "[0";
  for (int i = 0; i < 1000; ++i) large += ",0";
  EXPECT_THAT(EventsOf(connection, large + "]\n"),
              ElementsAre("overlong: it is a list of 1001 messages"));
}

TEST(Connection, ReadsAServersAnswersHoweverDeep) {
  Connection connection({.bad_lines = BadLines::kSkip});
  ASSERT_TRUE(connection.Call("a", {}).ok());
  const std::string deep = std::string(500, '[') + std::string(500, ']');
  const auto events = EventsOf(
      connection, R"({"jsonrpc":"2.0","id":1,"result":{"a":)" + deep + R"(,"b":"c"}})" + "\n");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0], ::testing::AllOf(HasSubstr("answer a"), HasSubstr(kDeepValue),
                                          HasSubstr(R"("b":"c")")));
}

TEST(Connection, TakesIdsOfAnswersAsTexts) {
  for (const char* id : {"1", "1.0", "\"1\""}) {
    SCOPED_TRACE(id);
    Connection connection({});
    ASSERT_EQ(*connection.Call("a", {}), 1u);
    EXPECT_THAT(
        EventsOf(connection, absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id, ",\"result\":2}\n")),
        ElementsAre(R"(answer a {"id":1,"jsonrpc":"2.0","result":2})"));
  }
}

TEST(Connection, TellsOfAnswersToRequestsThatWereNeverMade) {
  Connection connection({});
  ASSERT_EQ(*connection.Call("a", {}), 1u);
  for (const char* id : {"0", "2", "-1", "\"a\"", "\"2\"", "1.5", "18446744073709551615", "null"}) {
    SCOPED_TRACE(id);
    EXPECT_THAT(
        EventsOf(connection, absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id, ",\"result\":1}\n")),
        ElementsAre(absl::StrCat("stray answer ", id)));
  }
  EXPECT_EQ(connection.open_requests(), 1u);
}

TEST(Connection, EndsRequestsWhoseAnswersAreNoMessages) {
  struct Case {
    const char* line;
    const char* events;
  };
  const Case cases[] = {
      {R"({"id":1,"result":{}})", "it is not of JSON-RPC 2.0"},
      {R"({"jsonrpc":"2.0","id":"1"})", "it is neither a call nor an answer"},
      {R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})", "it is neither a call nor an answer"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    Connection connection({.bad_lines = BadLines::kSkip});
    ASSERT_TRUE(connection.Call("a", {}).ok());
    EXPECT_THAT(EventsOf(connection, absl::StrCat(c.line, "\n")), ElementsAre(HasSubstr(c.events)));
    EXPECT_EQ(connection.open_requests(), 0u);
    EXPECT_THAT(EventsOf(connection, absl::StrCat(c.line, "\n")), ElementsAre(HasSubstr("noise")));
  }
  Connection connection({.bad_lines = BadLines::kSkip});
  ASSERT_TRUE(connection.Call("a", {}).ok());
  EXPECT_THAT(EventsOf(connection, "{\"level\":\"info\",\"id\":1}\n"),
              ElementsAre(HasSubstr("noise")));
  EXPECT_EQ(connection.open_requests(), 1u);
}

TEST(Connection, IgnoresAnswersThatNobodyWaitsFor) {
  Connection connection({});
  ASSERT_EQ(*connection.Call("a", {}), 1u);
  ASSERT_EQ(*connection.Call("b", {}), 2u);
  EXPECT_TRUE(connection.Cancel(2, ""));
  EXPECT_FALSE(connection.Cancel(2, ""));
  EXPECT_THAT(EventsOf(connection, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":1}\n"), IsEmpty());
  EXPECT_EQ(connection.open_requests(), 1u);
  const std::string answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n";
  EXPECT_THAT(EventsOf(connection, answer + answer).size(), 1u);
  EXPECT_EQ(connection.open_requests(), 0u);
}

TEST(Connection, ReportsAnErrorWithoutRequest) {
  Connection connection({});
  EXPECT_THAT(
      EventsOf(connection, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"eh"}})"
                           "\n"),
      ElementsAre("stray eh"));
}

TEST(Connection, AnswersEachRequestOnceWithItsOwnId) {
  Connection connection({});
  for (const char* id : {"1", "\"1\"", "null", "-7", "1.5", "\"\xC3\xA4\""}) {
    SCOPED_TRACE(id);
    EXPECT_THAT(EventsOf(connection,
                         absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id, ",\"method\":\"m\"}\n"))
                    .size(),
                1u);
  }
  EXPECT_EQ(connection.open_peer_requests(), 6u);
  connection.Respond("1", Json{{"s", true}});
  connection.Respond("1", Json(2));
  connection.Respond("unknown", Json(2));
  connection.Respond(1, RpcError{.code = kMethodNotFound, .message = "no m"});
  EXPECT_EQ(connection.TakeOutput(),
            "{\"id\":\"1\",\"jsonrpc\":\"2.0\",\"result\":{\"s\":true}}\n"
            "{\"error\":{\"code\":-32601,\"message\":\"no m\"},\"id\":1,\"jsonrpc\":\"2.0\"}\n");
}

TEST(Connection, RefusesAnIdThatIsInUse) {
  Connection connection({});
  const std::string request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n";
  EXPECT_THAT(EventsOf(connection, request + request).size(), 1u);
  const Json refusal = Json::parse(connection.TakeOutput());
  EXPECT_EQ(refusal["id"], Json());
  EXPECT_EQ(refusal["error"]["code"], Json(kInvalidRequest));
  connection.Respond(1, Json(1));
  EXPECT_THAT(EventsOf(connection, request).size(), 1u);
}

TEST(Connection, PassesOnCancellationsOfOpenRequests) {
  Connection connection({.cancel_method = kCancel});
  const std::string cancel =
      "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"r\"}}\n";
  EXPECT_THAT(EventsOf(connection, cancel), IsEmpty());
  EXPECT_THAT(
      EventsOf(connection, "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"m\"}\n" + cancel),
      ElementsAre(HasSubstr("request"), "cancel \"r\""));
  connection.Respond("r", Json(1));
  EXPECT_THAT(EventsOf(connection, cancel), IsEmpty());
}

TEST(Connection, TellsThePeerWhatIsCancelled) {
  Connection connection({.cancel_method = kCancel});
  ASSERT_TRUE(connection.Call("a", {}).ok());
  ASSERT_TRUE(connection.Call("b", {}).ok());
  connection.TakeOutput();
  EXPECT_TRUE(connection.Cancel(1, "not wanted"));
  EXPECT_TRUE(connection.Cancel(2, "", Connection::Tell::kNobody));
  EXPECT_EQ(connection.TakeOutput(),
            "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":"
            "{\"reason\":\"not wanted\",\"requestId\":1}}\n");
}

TEST(Connection, BoundsWhatIsOpenAndWhatIsSent) {
  Connection connection(
      {.max_sent_line_bytes = 120, .max_open_requests = 2, .max_output_bytes = 50});
  EXPECT_THAT(connection.Call("a", {{"x", std::string(200, 'x')}}),
              StatusIs(kResourceExhausted, HasSubstr("over the limit of 120")));
  EXPECT_THAT(connection.Notify("a", {{"x", std::string(200, 'x')}}), StatusIs(kResourceExhausted));
  EXPECT_FALSE(connection.has_output());
  EXPECT_EQ(*connection.Call("a", {}), 1u);
  EXPECT_TRUE(connection.wants_input());
  EXPECT_EQ(*connection.Call("a", {}), 2u);
  EXPECT_FALSE(connection.wants_input());
  EXPECT_THAT(connection.Call("a", {}), StatusIs(kResourceExhausted));
  connection.TakeOutput();
  EXPECT_TRUE(connection.wants_input());

  for (int i = 0; i < 3; ++i) {
    connection.Receive(absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", i, ",\"method\":\"m\"}\n"));
  }
  EXPECT_EQ(TakeEvents(connection).size(), 2u);
  EXPECT_EQ(Json::parse(connection.TakeOutput())["id"], Json(2));
  connection.Respond(0, Json(std::string(200, 'x')));
  EXPECT_THAT(connection.TakeOutput(), HasSubstr("over the limit of 120"));
}

}  // namespace
}  // namespace cursorwire::jsonrpc
