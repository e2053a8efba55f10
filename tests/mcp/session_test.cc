#include "mcp/session.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/for_each_split.h"
#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using std::chrono::milliseconds;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum absl::StatusCode;

constexpr const char* kHello =
    R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{}},)"
    R"("serverInfo":{"name":"s","version":"1"},"instructions":"Be kind."})";

std::string EventText(const SessionReady& /*event*/) { return "ready"; }
std::string EventText(const ToolsChanged& /*event*/) { return "tools changed"; }
std::string EventText(const CallEnded& event) {
  return absl::StrCat("call ", event.call, " ",
                      event.result.ok() ? jsonrpc::WriteJsonText(*event.result)
                                        : std::string(event.result.status().message()));
}
std::string EventText(const SessionFailed& event) {
  return absl::StrCat("failed: ", event.status.message());
}
std::string EventText(const SessionNotice& event) { return absl::StrCat("notice: ", event.text); }

// A session and what a server does.
class SessionTest : public testing::Test {
 protected:
  explicit SessionTest(SessionOptions options = {.client_version = "7"})
      : session_(std::move(options), now_) {}

  // What was sent since the last time, each without what all messages have.
  std::vector<std::string> Sent() {
    std::vector<std::string> sent;
    std::string output = session_.TakeOutput();
    for (size_t end = 0; (end = output.find('\n')) != output.npos; output.erase(0, end + 1)) {
      Json message = Json::parse(output.substr(0, end));
      EXPECT_EQ(message["jsonrpc"], "2.0");
      message.erase("jsonrpc");
      sent.push_back(message.dump());
    }
    return sent;
  }
  std::vector<std::string> Events() {
    std::vector<std::string> events;
    while (const auto event = session_.NextEvent()) {
      events.push_back(std::visit([](const auto& what) { return EventText(what); }, *event));
    }
    return events;
  }
  void Receive(const std::string& line) { session_.Receive(line + "\n", now_); }
  void Answer(uint64_t id, const std::string& result) {
    Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)", result, "}"));
  }
  void Refuse(uint64_t id, int code, const std::string& message) {
    Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"error":{"code":)", code,
                         R"(,"message":")", message, "\"}}"));
  }
  void Notify(const std::string& method, const std::string& params = "{}") {
    Receive(absl::StrCat(R"({"jsonrpc":"2.0","method":")", method, R"(","params":)", params, "}"));
  }
  // Until the session is ready, with one tool.
  void GetReady() {
    Answer(1, kHello);
    Answer(2, R"({"tools":[{"name":"t"}]})");
    EXPECT_THAT(Events(), ElementsAre("ready"));
    Sent();
  }
  void Pass(milliseconds time) {
    now_ += time;
    session_.OnDeadline(now_);
  }

  connect::TimePoint now_ = connect::TimePoint() + std::chrono::hours(1);
  Session session_;
};

TEST_F(SessionTest, ShakesHandsAndListsTools) {
  EXPECT_THAT(Sent(), ElementsAre(R"({"id":1,"method":"initialize","params":{"capabilities":{},)"
                                  R"("clientInfo":{"name":"cursorwire","version":"7"},)"
                                  R"("protocolVersion":"2025-11-25"}})"));
  EXPECT_EQ(session_.CallTool("t", Json::object(), now_).status().code(), kFailedPrecondition);
  Receive(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_THAT(Sent(), ElementsAre(R"({"id":"p","result":{}})"));
  Answer(1, kHello);
  EXPECT_THAT(Sent(), ElementsAre(R"({"method":"notifications/initialized"})",
                                  R"({"id":2,"method":"tools/list","params":{}})"));
  EXPECT_THAT(Events(), IsEmpty());
  Answer(2, R"({"tools":[{"name":"a"}],"nextCursor":""})");
  EXPECT_THAT(Sent(), ElementsAre(R"({"id":3,"method":"tools/list","params":{"cursor":""}})"));
  Answer(3, R"({"tools":[{"name":"b"},{"name":"a"}],"nextCursor":null})");
  EXPECT_THAT(Events(), ElementsAre("ready"));
  ASSERT_EQ(session_.tools().size(), 2u);
  EXPECT_EQ(session_.tools()[1].name, "b");
  EXPECT_EQ(session_.server_name(), "s");
  EXPECT_EQ(session_.protocol_version(), "2025-06-18");
  EXPECT_EQ(session_.instructions(), "Be kind.");
  EXPECT_EQ(session_.deadline(), std::nullopt);
}

TEST_F(SessionTest, IsTheSameHoweverTheBytesAreSplit) {
  const std::string input = "starting...\n" +
                            absl::StrCat(R"({"jsonrpc":"2.0","id":1,"result":)", kHello, "}\r\n") +
                            R"({"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"ä"}]}})"
                            "\n";
  test::ForEachSplit(input, [this](const auto& pieces) {
    Session session({}, now_);
    for (const std::string_view piece : pieces) session.Receive(piece, now_);
    ASSERT_TRUE(std::holds_alternative<SessionNotice>(*session.NextEvent()));
    ASSERT_TRUE(std::holds_alternative<SessionReady>(*session.NextEvent()));
    EXPECT_EQ(session.tools()[0].name, "ä");
  });
}

TEST_F(SessionTest, AsksNothingOfAServerWithoutTools) {
  Sent();
  Answer(1, R"({"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{}})");
  EXPECT_THAT(Sent(), ElementsAre(R"({"method":"notifications/initialized"})"));
  EXPECT_THAT(Events(),
              ElementsAre("notice: it says that it has neither tools nor resources", "ready"));
  EXPECT_FALSE(session_.has_tools());
  Notify("notifications/tools/list_changed");
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_THAT(session_.ListResources(std::nullopt, now_), StatusIs(kUnimplemented));
}

TEST_F(SessionTest, TakesEachVersionWithAHandshake) {
  for (const char* version :
       {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"}) {
    SCOPED_TRACE(version);
    Session session({}, now_);
    session.Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":")",
                                 version, R"(","capabilities":{"resources":{}}}})", "\n"),
                    now_);
    EXPECT_TRUE(std::holds_alternative<SessionReady>(*session.NextEvent()));
    EXPECT_EQ(session.protocol_version(), version);
  }
}

TEST_F(SessionTest, EndsWithAVersionThatItDoesNotKnow) {
  Answer(1, R"({"protocolVersion":"2031-01-01","capabilities":{}})");
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("failed: it speaks version '2031-01-01'")));
  Answer(1, kHello);
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(SessionTest, GoesOnWithoutHandshakeWhereItIsRefused) {
  Sent();
  Refuse(1, -32022, "unsupported");
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/clientCapabilities":{},)"
      R"("io.modelcontextprotocol/clientInfo":{"name":"cursorwire","version":"7"},)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"})";
  EXPECT_THAT(Sent(),
              ElementsAre(R"({"id":2,"method":"server/discover","params":{)" + meta + "}}"));
  Answer(2, R"({"resultType":"complete","supportedVersions":["2026-07-28"],)"
            R"("capabilities":{"tools":{}},"serverInfo":{"name":"m","version":"2"}})");
  EXPECT_THAT(Sent(), ElementsAre(R"({"id":3,"method":"tools/list","params":{)" + meta + "}}"));
  Answer(3, R"({"resultType":"complete","tools":[{"name":"t"}]})");
  EXPECT_THAT(Events(), ElementsAre("ready"));
  EXPECT_EQ(session_.server_name(), "m");
  EXPECT_TRUE(session_.CallTool("t", Json::object(), now_).ok());
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr(R"(protocolVersion":"2026-07-28","progressToken":1)")));
}

constexpr const char* kToolOfHeaders =
    R"({"tools":[{"name":"t","inputSchema":{"properties":{"region":{"x-mcp-header":"Region"}}}}]})";

// A session over HTTP.
class HttpSessionTest : public SessionTest {
 protected:
  HttpSessionTest() : SessionTest({.over_http = true}) {}
};

TEST_F(HttpSessionTest, LeavesOutToolsWhoseArgumentsGoIntoHeaders) {
  Refuse(1, -32022, "unsupported");
  Answer(2, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
  Answer(3, kToolOfHeaders);
  EXPECT_THAT(
      Events(),
      ElementsAre(AllOf(HasSubstr("tool 't' is left out"), HasSubstr("x-mcp-header")), "ready"));
  EXPECT_THAT(session_.tools(), IsEmpty());
}

TEST_F(HttpSessionTest, OffersThemWhereTheRevisionHasNoSuchHeaders) {
  Answer(1, kHello);
  Answer(2, kToolOfHeaders);
  EXPECT_THAT(Events(), ElementsAre("ready"));
  EXPECT_THAT(session_.tools(), SizeIs(1));
}

TEST_F(SessionTest, OffersToolsWhoseArgumentsGoIntoHeadersWhereThereAreNone) {
  Refuse(1, -32022, "unsupported");
  Answer(2, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
  Answer(3, kToolOfHeaders);
  EXPECT_THAT(Events(), ElementsAre("ready"));
  EXPECT_THAT(session_.tools(), SizeIs(1));
}

TEST_F(SessionTest, SaysWhyTheHandshakeWasRefused) {
  Refuse(1, -32000, "bad key");
  Refuse(2, -32601, "no such method");
  EXPECT_THAT(Events(), ElementsAre("failed: it refuses initialize: bad key (error -32000)"));
}

TEST_F(SessionTest, TakesAnErrorWithoutIdForARefusal) {
  Receive(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what"}})");
  Receive(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"again"}})");
  EXPECT_THAT(Events(), ElementsAre("failed: it refuses initialize: what (error -32600)"));
}

TEST_F(SessionTest, TakesOneRefusalOfTheHandshake) {
  Sent();
  Receive(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}})");
  Refuse(1, -32000, "and once more");
  Answer(1, kHello);
  EXPECT_THAT(Sent(), SizeIs(1)) << "server/discover";
  Answer(2, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
  EXPECT_THAT(Sent(), SizeIs(1)) << "tools/list";
  Answer(2, R"({"supportedVersions":["2026-07-28"]})");
  Answer(3, R"({"tools":[]})");
  Answer(3, R"({"tools":[]})");
  EXPECT_THAT(Events(), ElementsAre("ready"));
}

TEST_F(SessionTest, FailsIfItIsNotReadyInTime) {
  Sent();
  EXPECT_EQ(session_.deadline(), now_ + milliseconds(30'000));
  Pass(milliseconds(29'999));
  EXPECT_THAT(Events(), IsEmpty());
  Answer(1, kHello);
  Pass(milliseconds(1));
  EXPECT_THAT(Events(), ElementsAre("failed: it was not ready within 30000 ms"));
  // The handshake is never cancelled.
  for (const std::string& line : Sent()) EXPECT_THAT(line, Not(HasSubstr("cancelled")));
  EXPECT_EQ(session_.deadline(), std::nullopt);
}

TEST_F(SessionTest, FailsWithoutAList) {
  Answer(1, kHello);
  Refuse(2, -32603, "broken");
  EXPECT_THAT(Events(), ElementsAre("failed: its list of tools: broken (error -32603)"));
}

TEST_F(SessionTest, CallsSeveralToolsAtATime) {
  GetReady();
  EXPECT_EQ(*session_.CallTool("t", {{"x", 1}}, now_), 3u);
  EXPECT_EQ(*session_.CallTool("u", Json::object(), now_), 4u);
  EXPECT_EQ(*session_.ReadResource("a://b", now_), 5u);
  EXPECT_THAT(
      Sent(),
      ElementsAre(
          R"({"id":3,"method":"tools/call","params":{"_meta":{"progressToken":1},"arguments":{"x":1},"name":"t"}})",
          R"({"id":4,"method":"tools/call","params":{"_meta":{"progressToken":2},"arguments":{},"name":"u"}})",
          R"({"id":5,"method":"resources/read","params":{"_meta":{"progressToken":3},"uri":"a://b"}})"));
  Refuse(4, -32602, "unknown tool");
  Answer(3, R"({"content":[]})");
  Answer(3, R"({"content":[1]})");
  Answer(2, R"({"content":[1]})");
  EXPECT_THAT(Events(),
              ElementsAre("call 4 unknown tool (error -32602)", R"(call 3 {"content":[]})"));
  EXPECT_EQ(session_.calls_under_way(), 1u);
}

TEST_F(SessionTest, TellsOfErrorsThatAServerLogs) {
  GetReady();
  const auto log = [this](const std::string& params) { Notify("notifications/message", params); };
  log(R"({"level":"info","data":"all is well"})");
  log(R"({"level":"error","data":"no\nkey"})");
  log(R"({"level":"critical","data":{"code":7}})");
  log(R"({"level":7})");
  log("[]");
  EXPECT_THAT(Events(), ElementsAre("notice: it logs: no key", R"(notice: it logs: {"code":7})"));
}

TEST_F(SessionTest, AsksForPagesOfResources) {
  GetReady();
  EXPECT_EQ(*session_.ListResources(std::nullopt, now_), 3u);
  EXPECT_EQ(*session_.ListResources("", now_), 4u);
  EXPECT_THAT(
      Sent(),
      ElementsAre(
          R"({"id":3,"method":"resources/list","params":{"_meta":{"progressToken":1}}})",
          R"({"id":4,"method":"resources/list","params":{"_meta":{"progressToken":2},"cursor":""}})"));
  EXPECT_EQ(*session_.ReadResource("a://b", now_), 5u);
  Refuse(5, -32002, "none");
  const std::optional<SessionEvent> ended = session_.NextEvent();
  ASSERT_TRUE(ended);
  EXPECT_THAT(std::get<CallEnded>(*ended).result,
              StatusIs(absl::StatusCode::kNotFound, "none (error -32002)"));
}

TEST_F(SessionTest, CancelsACallAndIgnoresItsAnswer) {
  GetReady();
  const uint64_t call = *session_.CallTool("t", Json::object(), now_);
  Sent();
  session_.CancelCall(call, "the user stopped");
  EXPECT_THAT(Sent(), ElementsAre(R"({"method":"notifications/cancelled","params":)"
                                  R"({"reason":"the user stopped","requestId":3}})"));
  Answer(call, R"({"content":[]})");
  session_.CancelCall(call, "again");
  EXPECT_THAT(Events(), IsEmpty());
  EXPECT_THAT(Sent(), IsEmpty());
}

TEST_F(SessionTest, LetsProgressMoveTheTimeoutButNotTheLimit) {
  GetReady();
  const uint64_t call = *session_.CallTool("t", Json::object(), now_);
  const connect::TimePoint start = now_;
  EXPECT_EQ(session_.deadline(), start + milliseconds(600'000));
  now_ += milliseconds(500'000);
  Notify("notifications/progress", R"({"progressToken":9,"progress":1})");
  EXPECT_EQ(session_.deadline(), start + milliseconds(600'000));
  Notify("notifications/progress", R"({"progressToken":1,"progress":1})");
  EXPECT_EQ(session_.deadline(), start + milliseconds(1'100'000));
  Sent();
  Pass(milliseconds(600'000));
  EXPECT_THAT(Events(), ElementsAre(absl::StrCat("call ", call,
                                                 " no answer and no progress within 600000 ms")));
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr(R"("reason":"timeout","requestId":3)")));

  const uint64_t long_call = *session_.CallTool("t", Json::object(), now_);
  for (int i = 0; i < 7; ++i) {
    Pass(milliseconds(510'000));
    Notify("notifications/progress", R"({"progressToken":2,"progress":1})");
  }
  EXPECT_THAT(Events(), IsEmpty());
  Pass(milliseconds(30'000));
  EXPECT_THAT(Events(),
              ElementsAre(absl::StrCat("call ", long_call, " no answer within 3600000 ms")));
}

TEST_F(SessionTest, ListsAgainWhenToolsHaveChanged) {
  Answer(1, kHello);
  Notify("notifications/tools/list_changed");
  Answer(2, R"({"tools":[{"name":"t"}]})");
  EXPECT_THAT(Events(), ElementsAre("ready"));
  Sent();
  // A while later, once for any number of changes.
  Notify("notifications/tools/list_changed");
  EXPECT_EQ(session_.deadline(), now_ + milliseconds(1'000));
  Pass(milliseconds(999));
  EXPECT_THAT(Sent(), IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr("tools/list")));
  Answer(3, R"({"tools":[{"name":"t"},{"name":"u"}]})");
  EXPECT_THAT(Events(), ElementsAre("tools changed"));
  EXPECT_EQ(session_.tools().size(), 2u);
  Pass(milliseconds(5'000));
  Notify("notifications/tools/list_changed");
  Refuse(4, -32603, "not now");
  EXPECT_THAT(Events(),
              ElementsAre("notice: its list of tools: not now (error -32603); the old one stays"));
  Pass(milliseconds(5'000));
  Notify("notifications/tools/list_changed");
  Pass(milliseconds(30'000));
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("no answer within 30000 ms; the old one stays")));
  EXPECT_EQ(session_.tools().size(), 2u);
}

TEST_F(SessionTest, RefusesWhatItDoesNotClaim) {
  GetReady();
  for (const char* method :
       {"roots/list", "sampling/createMessage", "elicitation/create", "tasks/get"}) {
    SCOPED_TRACE(method);
    Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":8,"method":")", method, "\"}"));
    EXPECT_THAT(Sent(),
                ElementsAre(HasSubstr(absl::StrCat(
                    R"({"error":{"code":-32601,"message":"this client does not serve )", method))));
  }
  for (const char* method : {"notifications/message", "notifications/cancelled", "what"}) {
    Notify(method, R"({"requestId":1})");
  }
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(SessionTest, EndsCallsWhenTheServerIsGone) {
  GetReady();
  const uint64_t call = *session_.CallTool("t", Json::object(), now_);
  session_.OnClosed(absl::UnavailableError("it has ended with exit code 3"));
  session_.OnClosed(absl::UnavailableError("again"));
  EXPECT_THAT(Events(), ElementsAre(absl::StrCat("call ", call, " it has ended with exit code 3"),
                                    "failed: it has ended with exit code 3"));
  EXPECT_THAT(session_.CallTool("t", Json::object(), now_), StatusIs(kFailedPrecondition));
  Answer(call, "{}");
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(SessionTest, TakesIdsThatAreTexts) {
  Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":"1","result":)", kHello, "}"));
  Receive(R"({"jsonrpc":"2.0","id":"2","result":{"tools":[{"name":"t"}]}})");
  EXPECT_THAT(Events(), ElementsAre("ready"));
  const uint64_t call = *session_.CallTool("t", Json::object(), now_);
  Receive(R"({"jsonrpc":"2.0","id":"3","result":{}})");
  EXPECT_THAT(Events(), ElementsAre(absl::StrCat("call ", call, " {}")));
}

TEST_F(SessionTest, FailsAtOnceWhereTheHandshakeIsAnsweredWithAnotherId) {
  for (const char* id : {"0", "null", "\"a\"", "17"}) {
    SCOPED_TRACE(id);
    Session session({}, now_);
    session.Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)", kHello, "}\n"),
                    now_);
    EXPECT_EQ(EventText(std::get<SessionFailed>(*session.NextEvent())),
              absl::StrCat("failed: it answers a request that was not made: id ", id));
  }
  Answer(1, kHello);
  Answer(17, R"({"tools":[]})");
  EXPECT_THAT(
      Events(),
      ElementsAre("notice: it answers a request that was not made: id 17",
                  "failed: its list of tools: it answers a request that was not made: id 17"));
}

TEST_F(SessionTest, EndsCallsThatAreAnsweredWithOtherIds) {
  GetReady();
  // Some servers answer notifications.
  const uint64_t one = *session_.CallTool("t", Json::object(), now_);
  for (const char* id : {"0", "null", "\"\""}) {
    Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":{}})"));
  }
  EXPECT_THAT(Events(), IsEmpty());
  Sent();
  Receive(R"({"jsonrpc":"2.0","id":"one","result":{}})");
  EXPECT_THAT(Events(),
              ElementsAre("notice: it answers a request that was not made: id \"one\"",
                          absl::StrCat("call ", one,
                                       " it answers a request that was not made: id \"one\"")));
  EXPECT_THAT(Sent(), ElementsAre(HasSubstr("notifications/cancelled")));
  // Of several, it cannot be told which is meant until the others are over.
  const uint64_t two = *session_.CallTool("t", Json::object(), now_);
  const uint64_t three = *session_.CallTool("t", Json::object(), now_);
  Receive(R"({"jsonrpc":"2.0","id":"two","result":{}})");
  EXPECT_THAT(Events(), IsEmpty());
  Answer(three, "{}");
  EXPECT_THAT(Events(),
              ElementsAre(absl::StrCat("call ", three, " {}"),
                          absl::StrCat("call ", two,
                                       " it answers a request that was not made: id \"two\"")));
  // A stray answer while nothing is open is for nothing that comes later.
  Receive(R"({"jsonrpc":"2.0","id":"x","result":{}})");
  ASSERT_TRUE(session_.CallTool("t", Json::object(), now_).ok());
  EXPECT_THAT(Events(), IsEmpty());
  EXPECT_EQ(session_.calls_under_way(), 1u);
}

TEST_F(SessionTest, EndsACallWhoseAnswerIsNoMessage) {
  GetReady();
  ASSERT_EQ(*session_.CallTool("t", Json::object(), now_), 3u);
  Receive(R"({"id":3,"result":{}})");
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("call 3 its answer cannot be used: it is not of")));
}

TEST_F(SessionTest, LeavesAToolOutWhoseSchemaIsTooDeepForAnyReader) {
  std::string deep = R"({"type":"object"})";
  for (int i = 0; i < 200; ++i) deep = R"({"type":"object","properties":{"a":)" + deep + "}}";
  Answer(1, kHello);
  Answer(2,
         R"({"tools":[{"name":"a"},{"name":"deep","inputSchema":)" + deep + R"(},{"name":"b"}]})");
  EXPECT_THAT(
      Events(),
      ElementsAre("notice: tool 'deep' is left out: its schema is nested deeper than 31", "ready"));
  EXPECT_THAT(session_.tools(), SizeIs(2));
}

TEST_F(SessionTest, EndsWithALineOverTheBound) {
  GetReady();
  const uint64_t call = *session_.CallTool("t", Json::object(), now_);
  const std::string mib(size_t{1} << 20, 'x');
  for (int i = 0; i < 33; ++i) session_.Receive(mib, now_);
  const std::string why = "what it sends is over a bound: a line is longer than 33554432 bytes";
  EXPECT_THAT(Events(),
              ElementsAre(absl::StrCat("call ", call, " ", why), absl::StrCat("failed: ", why)));
}

TEST_F(SessionTest, TellsOfNoiseOnce) {
  Receive("\x1b[32mlistening\x1b[0m");
  Receive("more");
  EXPECT_THAT(Events(),
              ElementsAre("notice: it writes to standard output what is no message (this is not "
                          "JSON): [32mlistening[0m"));
  GetReady();
}

TEST_F(SessionTest, GivesUpAServerThatFloods) {
  GetReady();
  for (int i = 0; i < 20'000; ++i) Notify("notifications/message");
  EXPECT_THAT(Events(), IsEmpty());
  Notify("notifications/message");
  EXPECT_THAT(Events(), ElementsAre(HasSubstr("messages a second")));
}

TEST_F(SessionTest, TakesMessagesInLists) {
  Receive(absl::StrCat(R"([{"jsonrpc":"2.0","method":"notifications/message"},)"
                       R"({"jsonrpc":"2.0","id":1,"result":)",
                       kHello, "}]"));
  Answer(2, R"({"tools":[]})");
  EXPECT_THAT(Events(), ElementsAre("ready"));
}

TEST_F(SessionTest, BoundsWhatItSends) {
  GetReady();
  EXPECT_THAT(session_.CallTool("t", {{"x", std::string(size_t{11} << 20, 'x')}}, now_),
              StatusIs(kResourceExhausted));
  EXPECT_EQ(session_.calls_under_way(), 0u);
}

}  // namespace
}  // namespace cursorwire::mcp
