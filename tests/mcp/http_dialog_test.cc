#include "mcp/http_dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using connect::TimePoint;
using jsonrpc::Json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr char kInitialize[] =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";
constexpr char kInitializeAnswer[] =
    R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})";
constexpr char kInitialized[] = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
constexpr char kJson[] = "application/json";
constexpr char kEvents[] = "text/event-stream";

std::string Call(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":"t"}})";
}
std::string Answer(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})";
}

class HttpDialogTest : public ::testing::Test {
 protected:
  void Send(const std::string& line) { dialog_.Send(line + "\n", now_); }

  std::vector<http::Request> Requests() {
    std::vector<http::Request> requests;
    while (auto request = dialog_.NextRequest()) requests.push_back(*request);
    return requests;
  }
  http::Request Request() {
    auto requests = Requests();
    EXPECT_THAT(requests, SizeIs(1));
    return requests.empty() ? http::Request() : requests.front();
  }
  std::vector<uint64_t> Aborts() {
    std::vector<uint64_t> aborts;
    while (auto abort = dialog_.NextAbort()) aborts.push_back(*abort);
    return aborts;
  }
  void Head(uint64_t id, int status, const std::string& type = "",
            const std::string& session = "") {
    dialog_.OnEvent({id, http::Head{.status = status, .content_type = type, .session_id = session}},
                    now_);
  }
  void Body(uint64_t id, const std::string& bytes) {
    dialog_.OnEvent({id, http::Body{bytes}}, now_);
  }
  void End(uint64_t id, const absl::Status& status = absl::OkStatus()) {
    dialog_.OnEvent({id, http::End{status}}, now_);
  }
  void AnswerJson(uint64_t id, const std::string& body, const std::string& session = "") {
    Head(id, 200, kJson, session);
    Body(id, body);
    End(id);
  }
  void Accept(uint64_t id) {
    Head(id, 202);
    End(id);
  }
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    std::string output = dialog_.TakeOutput();
    for (size_t end = 0; (end = output.find('\n')) != output.npos; output.erase(0, end + 1)) {
      lines.push_back(output.substr(0, end));
    }
    EXPECT_EQ(output, "");
    return lines;
  }
  // The error of the only line.
  std::string Error() {
    const auto lines = Lines();
    EXPECT_THAT(lines, SizeIs(1));
    if (lines.empty()) return "";
    return Json::parse(lines.front()).at("error").at("message").get<std::string>();
  }

  // Up to where calls can be made. `listening_` is the exchange that listens.
  void ShakeHands(const std::string& session = "s1") {
    Send(kInitialize);
    AnswerJson(Request().id, kInitializeAnswer, session);
    Send(kInitialized);
    Accept(Request().id);
    listening_ = Request().id;
    EXPECT_THAT(Lines(), ElementsAre(kInitializeAnswer));
  }
  uint64_t SendCall(int id) {
    Send(Call(id));
    return Request().id;
  }

  TimePoint now_{seconds(1000)};
  HttpDialog dialog_{http::Headers{{"Authorization", "Bearer of-the-server"}}};
  uint64_t listening_ = 0;
};

TEST_F(HttpDialogTest, ShakesHands) {
  Send(kInitialize);
  const http::Request first = Request();
  EXPECT_EQ(first.method, "POST");
  EXPECT_EQ(first.body, kInitialize);
  EXPECT_THAT(first.headers, ElementsAre(Pair("Authorization", "Bearer of-the-server"),
                                         Pair("Accept", "application/json, text/event-stream"),
                                         Pair("Content-Type", "application/json")));
  AnswerJson(first.id, kInitializeAnswer, "s1");
  EXPECT_THAT(Lines(), ElementsAre(kInitializeAnswer));
  // What follows waits until the server knows that hands are shaken.
  Send(std::string(kInitialized) + "\n" + Call(2));
  const http::Request second = Request();
  EXPECT_EQ(second.body, kInitialized);
  EXPECT_THAT(second.headers, AllOf(Contains(Pair("MCP-Protocol-Version", "2025-06-18")),
                                    Contains(Pair("Mcp-Session-Id", "s1"))));
  Accept(second.id);
  const auto more = Requests();
  ASSERT_THAT(more, SizeIs(2));
  EXPECT_EQ(more[0].method, "GET");
  EXPECT_THAT(more[0].headers, Contains(Pair("Accept", kEvents)));
  EXPECT_EQ(more[1].body, Call(2));
}

TEST_F(HttpDialogTest, TakesAnswersOfBothForms) {
  ShakeHands();
  AnswerJson(SendCall(2), "{\"jsonrpc\":\"2.0\",\r\n \"id\":2,\"result\":{}}");
  EXPECT_THAT(Lines(), ElementsAre(R"({"jsonrpc":"2.0",   "id":2,"result":{}})"));
  const uint64_t id = SendCall(3);
  Head(id, 200, kEvents);
  Body(id, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n");
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("progress")));
  Body(id, "data: " + Answer(3) + "\n\n");
  EXPECT_THAT(Lines(), ElementsAre(Answer(3)));
  EXPECT_THAT(Aborts(), ElementsAre(id)) << "nobody waits for the end of the stream";
}

TEST_F(HttpDialogTest, GoesOnWithAStreamThatWasCut) {
  ShakeHands();
  const uint64_t id = SendCall(2);
  Head(id, 200, kEvents);
  Body(id, "id: e1\nretry: 300\ndata:\n\n");
  End(id, absl::UnavailableError("reset"));
  EXPECT_THAT(Requests(), IsEmpty());
  ASSERT_EQ(dialog_.deadline(), now_ + milliseconds(300));
  now_ += milliseconds(300);
  dialog_.OnDeadline(now_);
  const http::Request again = Request();
  EXPECT_EQ(again.method, "GET");
  EXPECT_EQ(again.body, "");
  EXPECT_THAT(again.headers,
              AllOf(Contains(Pair("Last-Event-ID", "e1")), Contains(Pair("Mcp-Session-Id", "s1"))));
  Head(again.id, 200, kEvents);
  Body(again.id, "data: " + Answer(2) + "\n\n");
  EXPECT_THAT(Lines(), ElementsAre(Answer(2)));
}

TEST_F(HttpDialogTest, GivesUpToResumeAtSomePoint) {
  ShakeHands();
  uint64_t id = SendCall(2);
  Head(id, 200, kEvents);
  Body(id, "id: e1\ndata:\n\n");
  int attempts = 0;
  for (End(id); dialog_.deadline(); End(id), ++attempts) {
    ASSERT_LT(attempts, 100);
    now_ = *dialog_.deadline();
    dialog_.OnDeadline(now_);
    id = Request().id;
    Head(id, 200, kEvents);
  }
  EXPECT_EQ(attempts, 5);
  EXPECT_THAT(Error(), HasSubstr("no result"));
}

TEST_F(HttpDialogTest, NeverSendsACallTwice) {
  ShakeHands();
  const uint64_t cut = SendCall(2);
  Head(cut, 200, kEvents);
  Body(cut, "data: {}\n\n");  // no id
  End(cut, absl::UnavailableError("reset by the server"));
  EXPECT_THAT(Requests(), IsEmpty());
  EXPECT_EQ(dialog_.deadline(), std::nullopt);
  const auto lines = Lines();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[1], HasSubstr("reset by the server"));
  End(SendCall(3), absl::UnavailableError("no connection"));
  EXPECT_THAT(Error(), HasSubstr("no connection"));
  EXPECT_THAT(dialog_.failure(), test::IsOk());
}

TEST_F(HttpDialogTest, TellsErrorsOfHttp) {
  ShakeHands();
  const auto error_of = [this](int id, int status, const std::string& type,
                               const std::string& body) {
    const uint64_t exchange = SendCall(id);
    Head(exchange, status, type);
    Body(exchange, body);
    End(exchange);
    return Error();
  };
  EXPECT_EQ(error_of(2, 500, "text/plain", "out of\norder"), "HTTP 500: out of order");
  EXPECT_EQ(error_of(3, 502, "text/html", "<html>"), "HTTP 502");
  EXPECT_EQ(error_of(4, 401, "", ""),
            R"(HTTP 401: it does not accept the "headers" that are set for it)");
  EXPECT_EQ(error_of(5, 400, kJson, R"({"error":{"code":-32602,"message":"bad name"}})"),
            "bad name");
  EXPECT_THAT(error_of(6, 200, "text/html", "<html>"), HasSubstr("neither JSON nor events"));
  EXPECT_THAT(error_of(7, 202, "", ""), HasSubstr("no result"));
  EXPECT_THAT(error_of(8, 307, "", ""), HasSubstr("HTTP 307"));
  const uint64_t without_id = SendCall(9);
  AnswerJson(without_id, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"boom"}})");
  EXPECT_THAT(Lines().back(), AllOf(HasSubstr(R"("id":9)"), HasSubstr("boom")));
  EXPECT_EQ(error_of(10, 400, kJson, R"({"error":{"code":-32602,"message":"no such session"}})"),
            "no such session");
}

TEST_F(HttpDialogTest, FailsWhereHandsCannotBeShaken) {
  const auto failure_of = [](const http::Head& head, const absl::Status& status) {
    HttpDialog dialog{http::Headers()};
    dialog.Send(std::string(kInitialize) + "\n", {});
    const uint64_t id = dialog.NextRequest()->id;
    if (head.status != 0) dialog.OnEvent({id, head}, {});
    dialog.OnEvent({id, http::End{status}}, {});
    EXPECT_EQ(dialog.TakeOutput(), "");
    return std::string(dialog.failure().message());
  };
  EXPECT_THAT(failure_of({}, absl::UnavailableError("refused")), HasSubstr("refused"));
  EXPECT_THAT(failure_of({.status = 403}, absl::OkStatus()), HasSubstr("set \"headers\""));
  EXPECT_THAT(failure_of({.status = 503}, absl::OkStatus()), HasSubstr("HTTP 503"));
}

TEST_F(HttpDialogTest, LetsTheClientTryTheOtherVersion) {
  Send(kInitialize);
  const uint64_t id = Request().id;
  Head(id, 405);
  End(id);
  EXPECT_THAT(Error(), AllOf(HasSubstr("HTTP 405"), HasSubstr("HTTP+SSE")));
  Send(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"grüße","_meta":)"
       R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  const http::Request call = Request();
  EXPECT_THAT(call.headers, AllOf(Contains(Pair("MCP-Protocol-Version", "2026-07-28")),
                                  Contains(Pair("Mcp-Method", "tools/call")),
                                  Contains(Pair("Mcp-Name", "=?base64?Z3LDvMOfZQ==?="))));
  // A resource is named by its URI.
  Send(R"({"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"a://b","_meta":)"
       R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_THAT(Request().headers, Contains(Pair("Mcp-Name", "a://b")));
  // The end of the stream is the cancel.
  Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_THAT(Requests(), IsEmpty());
  EXPECT_THAT(Aborts(), ElementsAre(call.id));
  EXPECT_EQ(dialog_.Close(), std::nullopt);
}

TEST_F(HttpDialogTest, CancelsAndGivesTheExchangeUp) {
  ShakeHands();
  const uint64_t id = SendCall(2);
  Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_THAT(Request().body, HasSubstr("notifications/cancelled"));
  EXPECT_THAT(Aborts(), ElementsAre(id));
  AnswerJson(id, Answer(2));
  EXPECT_THAT(Lines(), IsEmpty());
}

TEST_F(HttpDialogTest, BeginsAForgottenSessionAnew) {
  ShakeHands("s1");
  const uint64_t two = SendCall(2);
  const uint64_t three = SendCall(3);
  Head(two, 404);
  End(two);
  EXPECT_THAT(Aborts(), ElementsAre(listening_));
  const http::Request handshake = Request();
  EXPECT_EQ(handshake.body, kInitialize);
  EXPECT_THAT(handshake.headers, Not(Contains(Pair("Mcp-Session-Id", "s1"))));
  Head(three, 404);
  End(three);
  Send(Call(4));  // waits
  EXPECT_THAT(Requests(), IsEmpty());
  AnswerJson(handshake.id, kInitializeAnswer, "s2");
  const http::Request initialized = Request();
  EXPECT_EQ(initialized.body, kInitialized);
  EXPECT_THAT(initialized.headers, Contains(Pair("Mcp-Session-Id", "s2")));
  Accept(initialized.id);
  const auto again = Requests();
  ASSERT_THAT(again, SizeIs(4));
  EXPECT_EQ(again[0].method, "GET");
  EXPECT_EQ(again[1].body, Call(2));
  EXPECT_EQ(again[2].body, Call(3));
  EXPECT_EQ(again[3].body, Call(4));
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("tools/list_changed")));
  // Not forever.
  Head(again[1].id, 404, "text/plain");
  Body(again[1].id, "who are you?");
  End(again[1].id);
  EXPECT_THAT(Error(), HasSubstr("HTTP 404: who are you?"));
  EXPECT_THAT(Requests(), IsEmpty());
}

TEST_F(HttpDialogTest, TakesIdsThatAreTexts) {
  Send(kInitialize);
  const std::string hello =
      R"({"jsonrpc":"2.0","id":"1","result":{"protocolVersion":"2025-06-18"}})";
  AnswerJson(Request().id, hello, "s1");
  EXPECT_THAT(Lines(), ElementsAre(hello));
  Send(kInitialized);
  Accept(Request().id);
  Request();
  const std::string answer = R"({"jsonrpc":"2.0","id":"2","result":{}})";
  AnswerJson(SendCall(2), answer);
  EXPECT_THAT(Lines(), ElementsAre(answer));
  const uint64_t events = SendCall(3);
  Head(events, 200, kEvents);
  Body(events, "data: {\"jsonrpc\":\"2.0\",\"id\":\"3\",\"result\":{}}\n\n");
  EXPECT_THAT(Lines(), SizeIs(1));
  EXPECT_THAT(Aborts(), ElementsAre(events));
}

TEST_F(HttpDialogTest, EndsACallAtOnceThatIsAnsweredWithAnotherId) {
  ShakeHands();
  const std::string other = R"({"jsonrpc":"2.0","id":"two","result":{}})";
  AnswerJson(SendCall(2), other);
  EXPECT_EQ(Error(), R"(it answers a request that was not made: id "two")");
  const uint64_t events = SendCall(3);
  Head(events, 200, kEvents);
  Body(events, "data: " + other + "\n\n");
  EXPECT_EQ(Error(), R"(it answers a request that was not made: id "two")");
  EXPECT_THAT(Aborts(), ElementsAre(events));
  // One that another request waits for is only in the wrong place.
  const uint64_t four = SendCall(4);
  const uint64_t five = SendCall(5);
  Head(four, 200, kEvents);
  Body(four, "data: " + Answer(5) + "\n\n");
  EXPECT_THAT(Lines(), ElementsAre(Answer(5)));
  EXPECT_THAT(Aborts(), IsEmpty());
  End(five);

  HttpDialog dialog{http::Headers()};
  dialog.Send(std::string(kInitialize) + "\n", {});
  const uint64_t id = dialog.NextRequest()->id;
  dialog.OnEvent({id, http::Head{.status = 200, .content_type = kJson}}, {});
  dialog.OnEvent({id, http::Body{R"({"jsonrpc":"2.0","id":0,"result":{}})"}}, {});
  dialog.OnEvent({id, http::End{}}, {});
  EXPECT_EQ(dialog.failure().message(), "it answers a request that was not made: id 0");
}

TEST_F(HttpDialogTest, ReadsAnswersHoweverDeep) {
  ShakeHands();
  const std::string deep = R"({"jsonrpc":"2.0","id":2,"result":{"a":)" + std::string(500, '[') +
                           std::string(500, ']') + "}}";
  AnswerJson(SendCall(2), deep);
  EXPECT_THAT(Lines(), ElementsAre(deep));
}

// As servers do that were made from older examples.
constexpr char kLost[] =
    R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null})";

TEST_F(HttpDialogTest, BeginsASessionAnewThatIsLostByItsText) {
  ShakeHands("s1");
  const auto lose = [this](uint64_t id) {
    Head(id, 400, kJson);
    Body(id, kLost);
    End(id);
  };
  AnswerJson(SendCall(2), Answer(2));
  Lines();
  // Calls are not made again, since a text is no proof that nothing was done; what only looks is.
  const uint64_t three = SendCall(3);
  Send(R"({"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"a://b"}})");
  const uint64_t four = Request().id;
  lose(three);
  EXPECT_EQ(Error(), "its session was lost (HTTP 400: " + std::string(kLost) +
                         "), and another one is begun: make the call again");
  const http::Request handshake = Request();
  EXPECT_EQ(handshake.body, kInitialize);
  lose(four);
  AnswerJson(handshake.id, kInitializeAnswer, "s2");
  Accept(Request().id);
  auto again = Requests();
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[0].method, "GET");
  EXPECT_THAT(again[1].body, HasSubstr("resources/read"));
  EXPECT_THAT(again[1].headers, Contains(Pair("Mcp-Session-Id", "s2")));
  Lines();
  // Not forever, and not for a session in which nothing has worked.
  lose(again[1].id);
  EXPECT_THAT(Error(), HasSubstr("No valid session ID"));
  lose(SendCall(5));
  EXPECT_EQ(Error(), "Bad Request: No valid session ID provided");
  AnswerJson(SendCall(6), Answer(6));
  EXPECT_THAT(Lines(), ElementsAre(Answer(6)));
  EXPECT_THAT(dialog_.failure(), test::IsOk());
}

TEST_F(HttpDialogTest, TellsTheErrorOfASessionThatIsLostAgainAndAgainByItsText) {
  ShakeHands("s1");
  int renewals = 0;
  for (int i = 2; i < 20; i += 2) {
    AnswerJson(SendCall(i), Answer(i));
    const uint64_t id = SendCall(i + 1);
    Head(id, 400, kJson);
    Body(id, kLost);
    End(id);
    const auto requests = Requests();
    if (requests.empty()) continue;
    ++renewals;
    AnswerJson(requests.front().id, kInitializeAnswer, "s" + std::to_string(i));
    Accept(Request().id);
    Requests();
  }
  EXPECT_EQ(renewals, 3);
  EXPECT_THAT(dialog_.failure(), test::IsOk());
}

TEST_F(HttpDialogTest, FailsIfNoOtherSessionBegins) {
  ShakeHands("s1");
  const uint64_t two = SendCall(2);
  Head(two, 404);
  End(two);
  const uint64_t handshake = Request().id;
  Head(handshake, 503);
  End(handshake);
  EXPECT_THAT(std::string(dialog_.failure().message()),
              AllOf(HasSubstr("forgotten"), HasSubstr("HTTP 503")));
}

TEST_F(HttpDialogTest, ListensForWhatComesUnasked) {
  ShakeHands();
  Head(listening_, 200, kEvents);
  Body(listening_, "id: 5\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n");
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("ping")));
  Send(R"({"jsonrpc":"2.0","id":"p","result":{}})");
  const http::Request pong = Request();
  EXPECT_EQ(pong.method, "POST");
  Accept(pong.id);
  End(listening_);
  ASSERT_TRUE(dialog_.deadline());
  now_ = *dialog_.deadline();
  dialog_.OnDeadline(now_);
  const http::Request again = Request();
  EXPECT_EQ(again.method, "GET");
  EXPECT_THAT(again.headers, Contains(Pair("Last-Event-ID", "5")));
  Head(again.id, 405);
  End(again.id);
  EXPECT_EQ(dialog_.deadline(), std::nullopt) << "servers need not offer it";
}

TEST_F(HttpDialogTest, EndsItsSession) {
  ShakeHands("s1");
  const uint64_t id = SendCall(2);
  const auto farewell = dialog_.Close();
  ASSERT_TRUE(farewell);
  EXPECT_EQ(farewell->method, "DELETE");
  EXPECT_THAT(farewell->headers, AllOf(Contains(Pair("Mcp-Session-Id", "s1")),
                                       Contains(Pair("Authorization", "Bearer of-the-server"))));
  EXPECT_THAT(Aborts(), ElementsAre(listening_, id));
}

TEST_F(HttpDialogTest, GoesOnWithAStreamThatWasCutWithinAnEvent) {
  ShakeHands();
  const uint64_t id = SendCall(2);
  Head(id, 200, kEvents);
  Body(id, "id: e1\nretry: 0\ndata:\n\nid: e2\ndata: {\"half");
  End(id, absl::UnavailableError("reset"));
  EXPECT_EQ(dialog_.deadline(), now_ + milliseconds(100)) << "no faster, whatever it says";
  now_ += milliseconds(100);
  dialog_.OnDeadline(now_);
  const http::Request again = Request();
  EXPECT_THAT(again.headers, Contains(Pair("Last-Event-ID", "e1")));
  Head(again.id, 200, kEvents);
  Body(again.id, "id: e2\ndata: " + Answer(2) + "\n\n");
  EXPECT_THAT(Lines(), ElementsAre(Answer(2)));
}

TEST_F(HttpDialogTest, SaysWhatMustNotBeSentTwice) {
  Send(kInitialize);
  EXPECT_FALSE(Request().once);
  AnswerJson(1, kInitializeAnswer);
  Send(kInitialized);
  Accept(Request().id);
  Requests();
  Send(Call(2));
  EXPECT_TRUE(Request().once);
}

TEST_F(HttpDialogTest, SendsNoCallThatWasGivenUpMeanwhile) {
  ShakeHands("s1");
  const uint64_t two = SendCall(2);
  Head(two, 404);
  End(two);
  const uint64_t handshake = Request().id;
  Send(Call(3));
  for (const char* id : {"2", "3"}) {
    Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
         std::string(id) + "}}");
  }
  AnswerJson(handshake, kInitializeAnswer, "s2");
  Accept(Request().id);
  for (const http::Request& request : Requests()) {
    EXPECT_THAT(request.body, Not(HasSubstr("tools/call")));
  }
}

TEST_F(HttpDialogTest, WaitsForARenewalForAWhile) {
  ShakeHands("s1");
  const uint64_t two = SendCall(2);
  Head(two, 404);
  End(two);
  const uint64_t handshake = Request().id;
  Aborts();
  now_ += seconds(30);
  ASSERT_EQ(dialog_.deadline(), now_);
  dialog_.OnDeadline(now_);
  EXPECT_THAT(Aborts(), ElementsAre(handshake));
  EXPECT_THAT(std::string(dialog_.failure().message()), HasSubstr("does not answer"));
}

TEST_F(HttpDialogTest, GivesAServerUpThatForgetsAgainAndAgain) {
  ShakeHands("s0");
  for (int i = 1; dialog_.failure().ok(); ++i) {
    ASSERT_LT(i, 100);
    const uint64_t call = SendCall(10 * i);
    Head(call, 404);
    End(call);
    if (!dialog_.failure().ok()) {
      EXPECT_EQ(i, 4);
      break;
    }
    AnswerJson(Request().id, kInitializeAnswer, "s" + std::to_string(i));
    Accept(Request().id);
    for (const http::Request& request : Requests()) {
      if (request.method == "POST") AnswerJson(request.id, Answer(10 * i));
    }
  }
  EXPECT_THAT(std::string(dialog_.failure().message()), HasSubstr("again and again"));
}

TEST_F(HttpDialogTest, ReadsTheListOnceMoreInAnotherSession) {
  ShakeHands("s1");
  Send(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}})");
  const uint64_t list = Request().id;
  Head(list, 404);
  End(list);
  AnswerJson(Request().id, kInitializeAnswer, "s2");
  EXPECT_THAT(Lines(), IsEmpty()) << "it is asked again in any case";
}

TEST_F(HttpDialogTest, BoundsWhatNeedsNoAnswer) {
  ShakeHands();
  for (int i = 0; i < 100; ++i) Send(R"({"jsonrpc":"2.0","id":"p","result":{}})");
  const auto first = Requests();
  EXPECT_THAT(first, SizeIs(16));
  EXPECT_FALSE(dialog_.wants_input());
  EXPECT_EQ(SendCall(2), first.back().id + 1) << "requests go on";
  Accept(first.front().id);
  EXPECT_THAT(Requests(), SizeIs(1));
  now_ += seconds(10);
  dialog_.OnDeadline(now_);
  EXPECT_THAT(Aborts(), SizeIs(16));
  EXPECT_THAT(Requests(), SizeIs(16));
}

// A session that has not begun refuses what is sent in it.
TEST_F(HttpDialogTest, KeepsWhatNeedsNoAnswerWhileASessionBeginsAnew) {
  constexpr char kNote[] = R"({"jsonrpc":"2.0","id":"p","result":{}})";
  ShakeHands("s1");
  const uint64_t call = SendCall(2);
  for (int i = 0; i < 17; ++i) Send(kNote);
  const auto notes = Requests();
  ASSERT_THAT(notes, SizeIs(16));
  Head(call, 404);
  End(call);
  const uint64_t renewal = Request().id;
  Accept(notes[0].id);
  EXPECT_THAT(Requests(), IsEmpty());
  AnswerJson(renewal, kInitializeAnswer, "s2");
  const http::Request initialized = Request();
  EXPECT_EQ(initialized.body, kInitialized);
  Accept(notes[1].id);
  EXPECT_THAT(Requests(), IsEmpty());
  Accept(initialized.id);
  const auto after = Requests();
  ASSERT_THAT(after, SizeIs(3));
  EXPECT_EQ(after[0].method, "GET");
  EXPECT_EQ(after[1].body, kNote);
  EXPECT_THAT(after[1].headers, Contains(Pair("Mcp-Session-Id", "s2")));
  EXPECT_EQ(after[2].body, Call(2));
}

TEST_F(HttpDialogTest, PutsNothingOfTheServersIntoHeadersThatIsNoWord) {
  Send(kInitialize);
  const uint64_t id = Request().id;
  Head(id, 200, kJson, "s1\nX-Evil: yes");
  Body(id, R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25\r\nX-Evil: yes"}})");
  End(id);
  Send(kInitialized);
  for (const auto& [name, value] : Request().headers) {
    EXPECT_THAT(value, Not(HasSubstr("Evil"))) << name;
  }
  EXPECT_EQ(dialog_.Close(), std::nullopt);
}

TEST_F(HttpDialogTest, TakesAnswersAlone) {
  ShakeHands();
  for (const std::string body :
       {R"({"jsonrpc":"2.0","id":2})", R"({"jsonrpc":"2.0","id":1,"result":{}})", "no JSON"}) {
    AnswerJson(SendCall(2), body);
    const auto lines = Lines();
    ASSERT_FALSE(lines.empty());
    EXPECT_THAT(lines.back(), HasSubstr("no result")) << body;
  }
  std::string many_values = R"({"jsonrpc":"2.0","id":2,"result":[0)";
  for (int i = 0; i < 4 * 1024 * 1024; ++i) many_values += ",0";
  AnswerJson(SendCall(2), many_values + "]}");
  EXPECT_THAT(Error(), HasSubstr("JSON of more than 4194304 values"));
  Json many = Json::array();
  for (int i = 0; i < 1001; ++i) many.push_back(Json::parse(Answer(2)));
  AnswerJson(SendCall(2), many.dump());
  EXPECT_THAT(Error(), HasSubstr("too many"));
}

TEST_F(HttpDialogTest, GoesOnWhereTheHandshakeIsAnsweredByAnOpenStream) {
  Send(kInitialize);
  AnswerJson(Request().id, kInitializeAnswer);
  Send(std::string(kInitialized) + "\n" + Call(2));
  Head(Request().id, 200, kEvents);
  EXPECT_THAT(Requests(), SizeIs(2));
}

TEST_F(HttpDialogTest, IsBounded) {
  ShakeHands();
  const std::string mib(size_t{1024} * 1024, 'x');
  const uint64_t json = SendCall(2);
  Head(json, 200, kJson);
  for (int i = 0; i < 40; ++i) Body(json, mib);
  EXPECT_THAT(Aborts(), ElementsAre(json));
  EXPECT_THAT(Error(), HasSubstr("too long"));
  const uint64_t events = SendCall(3);
  Head(events, 200, kEvents);
  for (int i = 0; i < 40; ++i) Body(events, mib);
  EXPECT_THAT(Aborts(), ElementsAre(events));
  EXPECT_THAT(Error(), HasSubstr("too long"));
}

}  // namespace
}  // namespace cursorwire::mcp
