#include "mcp/http_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <variant>

#include "cursorwire/mcp/servers.h"
#include "jsonrpc/json_text.h"
#include "mcp/web_server.h"
#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using jsonrpc::Json;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kJsonType[] = "Content-Type: application/json\r\n";

// What a server with one tool answers; the tool says what `text` is.
std::string AnswerAsServer(const WebServer::Request& request, const std::string& text) {
  if (request.head.starts_with("GET")) return WebServer::Answer("405 Not Here", "", "");
  if (request.head.starts_with("DELETE")) return WebServer::Answer("204 Gone", "", "");
  const Json message = Json::parse(request.body);
  const std::string method = message.value("method", "");
  Json result;
  if (method == "initialize") {
    result = {{"protocolVersion", "2025-11-25"},
              {"capabilities", {{"tools", Json::object()}}},
              {"serverInfo", {{"name", "web"}, {"version", "1"}}}};
  } else if (method == "tools/list") {
    result = {{"tools", Json::array({{{"name", "say"}}})}};
  } else if (method == "tools/call") {
    result = {{"content", Json::array({{{"type", "text"}, {"text", text}}})}};
  } else {
    return WebServer::Answer("202 Accepted", "", "");
  }
  const Json answer = {{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", result}};
  const std::string session = method == "initialize" ? "Mcp-Session-Id: session-1\r\n" : "";
  return WebServer::Answer("200 OK", kJsonType + session, answer.dump());
}

ServerConfig ConfigOf(const std::string& url) {
  return {.name = "web",
          .folder = "/",
          .url = url,
          .headers = {{"X-Key", "key-of-a-test"}, {"Authorization", "Bearer short-key-1"}}};
}

ToolResult CallSay(const Servers& servers) {
  ToolRegistry registry;
  servers.AddTools(registry);
  auto promise = std::make_shared<std::promise<ToolResult>>();
  registry.Call({.name = "web_say", .arguments_json = "{}"},
                ToolReply([promise](const absl::StatusOr<ToolResult>& result) {
                  promise->set_value(result.ok() ? *result : ToolResult::Error("no tool"));
                }));
  return promise->get_future().get();
}
std::string TextOf(const ToolResult& result) { return std::get<std::string>(result.content.at(0)); }

std::string FailureOf(const std::string& url) {
  Servers servers({ConfigOf(url)});
  servers.WaitUntilSettled();
  EXPECT_EQ(servers.reports()[0].state, ServerState::kFailed);
  return std::string(servers.reports()[0].error.message());
}

TEST(HttpTransport, UsesAServer) {
  WebServer server([](const auto& request) { return AnswerAsServer(request, "hello"); });
  {
    Servers servers({ConfigOf(server.url())});
    servers.WaitUntilSettled();
    const ServerReport report = servers.reports()[0];
    EXPECT_EQ(report.state, ServerState::kReady) << report.error;
    EXPECT_EQ(report.server_name, "web");
    EXPECT_EQ(TextOf(CallSay(servers)), "hello");
  }
  const auto requests = server.requests();
  ASSERT_GE(requests.size(), 5U);
  EXPECT_THAT(requests.front().head,
              AllOf(StartsWith("POST /mcp HTTP/1.1\r\n"), HasSubstr("X-Key: key-of-a-test\r\n"),
                    HasSubstr("User-Agent: cursorwire/"), Not(HasSubstr("Mcp-Session-Id"))));
  EXPECT_THAT(requests.back().head,
              AllOf(StartsWith("DELETE"), HasSubstr("Mcp-Session-Id: session-1\r\n"),
                    HasSubstr("MCP-Protocol-Version: 2025-11-25\r\n")));
}

TEST(HttpTransport, ReadsEventsAndLongAnswers) {
  const std::string text(size_t{300} * 1024, 'x');
  WebServer server([&](const WebServer::Request& request) {
    const std::string answer = AnswerAsServer(request, text);
    if (request.body.find("tools/call") == std::string::npos) return answer;
    return "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\n: hi\n\n"
           "data: " +
           answer.substr(answer.find("\r\n\r\n") + 4) + "\n\n";
  });
  Servers servers({ConfigOf(server.url())});
  servers.WaitUntilSettled();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(TextOf(CallSay(servers)), text);
}

TEST(HttpTransport, FollowsRedirectsOnItsOriginAlone) {
  WebServer other([](const auto& request) { return AnswerAsServer(request, "other"); });
  WebServer server([](const WebServer::Request& request) {
    const bool is_moved = request.head.find(" /moved ") != std::string::npos;
    return is_moved ? AnswerAsServer(request, "moved")
                    : WebServer::Answer("307 Moved", "Location: /moved\r\n", "not here");
  });
  {
    Servers servers({ConfigOf(server.url())});
    servers.WaitUntilSettled();
    EXPECT_EQ(TextOf(CallSay(servers)), "moved");
  }
  WebServer away([&other](const auto& /*request*/) {
    return WebServer::Answer("308 Away", "Location: " + other.url() + "\r\n", "");
  });
  EXPECT_THAT(FailureOf(away.url()), HasSubstr("HTTP 308: it leads to " + other.url() + ";"));
  EXPECT_TRUE(other.requests().empty()) << "headers may be keys";
  WebServer round([](const auto& /*request*/) {
    return WebServer::Answer("307 Round", "Location: /mcp\r\n", "");
  });
  EXPECT_THAT(FailureOf(round.url()), HasSubstr("HTTP 307"));
  EXPECT_EQ(round.requests().size(), 6U);
}

TEST(HttpTransport, TellsWhyAServerCannotBeUsed) {
  std::string gone;
  {
    WebServer server([](const auto& /*request*/) { return std::string(); });
    EXPECT_THAT(FailureOf(server.url()), HasSubstr("mpty reply"));
    gone = server.url();
  }
  EXPECT_THAT(FailureOf(gone), HasSubstr("connect"));
  EXPECT_THAT(FailureOf("http://"), HasSubstr("no URL"));
  EXPECT_THAT(FailureOf("ftp://localhost/"), HasSubstr("no URL"));
  WebServer locked([](const auto& /*request*/) {
    return WebServer::Answer("401 Who", "Content-Type: text/plain\r\n", "key-of-a-test is wrong");
  });
  EXPECT_THAT(FailureOf(locked.url()), AllOf(HasSubstr("headers"), Not(HasSubstr("key-of-a"))));
  WebServer broken([](const auto& /*request*/) {
    return WebServer::Answer("500 Oops", "Content-Type: text/plain\r\n", "key-of-a-test is wrong");
  });
  EXPECT_THAT(FailureOf(broken.url()), AllOf(HasSubstr("HTTP 500"), Not(HasSubstr("key-of-a"))));
  // A short key after the word of its scheme.
  WebServer repeats([](const auto& /*request*/) {
    return WebServer::Answer("500 Oops", "Content-Type: text/plain\r\n", "invalid: short-key-1");
  });
  EXPECT_THAT(FailureOf(repeats.url()), AllOf(HasSubstr("invalid: "), Not(HasSubstr("short-key"))));
}

TEST(HttpTransport, RefusesHeadersThatCannotBeSent) {
  ServerConfig config = ConfigOf("http://localhost");
  config.headers = {{"X-Key", "a\r\nX-Other: b"}};
  EXPECT_THAT(HttpTransport::Start(config), StatusIs(absl::StatusCode::kInvalidArgument));
  config.headers = {{"X Key", "a"}};
  EXPECT_THAT(HttpTransport::Start(config), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(HttpTransport, EndsCallsOfAServerThatGoesAway) {
  WebServer server([](const WebServer::Request& request) {
    const std::string answer = AnswerAsServer(request, "half of it");
    const bool is_call = request.body.find("tools/call") != std::string::npos;
    return is_call ? answer.substr(0, answer.size() - 5) : answer;
  });
  Servers servers({ConfigOf(server.url())});
  servers.WaitUntilSettled();
  const ToolResult result = CallSay(servers);
  EXPECT_TRUE(result.is_error);
  EXPECT_THAT(TextOf(result), HasSubstr("web: "));
  // The next call is made, once.
  EXPECT_TRUE(CallSay(servers).is_error);
  size_t calls = 0;
  for (const auto& request : server.requests()) {
    calls += request.body.find("tools/call") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(calls, 2U);
}

TEST(HttpTransport, MakesNoCallAgainOnAConnectionThatEnds) {
  // What a server does that was ended while it worked: libcurl would try once more.
  WebServer server([](const WebServer::Request& request) {
    const bool is_call = request.body.find("tools/call") != std::string::npos;
    return is_call ? std::string() : AnswerAsServer(request, "");
  });
  Servers servers({ConfigOf(server.url())});
  servers.WaitUntilSettled();
  EXPECT_TRUE(CallSay(servers).is_error);
  size_t calls = 0;
  for (const auto& request : server.requests()) {
    calls += request.body.find("tools/call") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(calls, 1U);
}

TEST(HttpTransport, TellsWhyACallIsNotLetIn) {
  WebServer server([](const WebServer::Request& request) {
    if (request.body.find("tools/call") == std::string::npos) return AnswerAsServer(request, "");
    return WebServer::Answer(
        "401 Expired",
        "WWW-Authenticate: Basic realm=\"x\"\r\nwww-authenticate: Bearer error=\"invalid_token\", "
        "error_description=\"key-of-a-test expired\"\r\n",
        "");
  });
  Servers servers({ConfigOf(server.url())});
  servers.WaitUntilSettled();
  const std::string text = TextOf(CallSay(servers));
  EXPECT_THAT(text, AllOf(StartsWith("web: HTTP 401: "), HasSubstr("expired (invalid_token); it "),
                          HasSubstr("that are set"), Not(HasSubstr("key-of-a-test"))));
}

TEST(HttpTransport, BeginsALostSessionAnewForTheNextCall) {
  std::atomic<bool> lost = false;
  std::atomic<int> sessions = 0;
  WebServer server([&](const WebServer::Request& request) {
    if (request.body.find("\"initialize\"") != std::string::npos) {
      ++sessions;
      lost = false;
    }
    if (!lost) return AnswerAsServer(request, "done");
    return WebServer::Answer("400 Bad Request", kJsonType,
                             R"({"error":{"code":-32000,"message":"Invalid session ID"}})");
  });
  Servers servers({ConfigOf(server.url())});
  servers.WaitUntilSettled();
  EXPECT_EQ(TextOf(CallSay(servers)), "done");
  lost = true;
  EXPECT_THAT(TextOf(CallSay(servers)), HasSubstr("make the call again"));
  EXPECT_EQ(TextOf(CallSay(servers)), "done");
  EXPECT_EQ(sessions, 2);
}

TEST(HttpTransport, TriesAServerAgainThatWasAwayAtTheStart) {
  std::atomic<bool> away = true;
  WebServer server([&away](const WebServer::Request& request) {
    return away ? WebServer::Answer("502 Away", "", "") : AnswerAsServer(request, "here");
  });
  ServerConfig config = ConfigOf(server.url());
  config.restart_pause = std::chrono::milliseconds(1);
  config.longest_restart_pause = std::chrono::milliseconds(4);
  std::promise<void> ready;
  Servers servers({config}, [&ready](const ServerReport& report) {
    if (report.state == ServerState::kReady) ready.set_value();
  });
  servers.WaitUntilSettled();
  EXPECT_EQ(servers.reports()[0].state, ServerState::kFailed);
  EXPECT_THAT(std::string(servers.reports()[0].error.message()), HasSubstr("HTTP 502"));
  away = false;
  ready.get_future().wait();
  EXPECT_EQ(TextOf(CallSay(servers)), "here");
}

TEST(HttpTransport, TakesKeysOfTheUrlOutOfErrors) {
  WebServer server([](const WebServer::Request& request) {
    const std::string path = request.head.substr(0, request.head.find(" HTTP"));
    return WebServer::Answer("500 Oops", "Content-Type: text/plain\r\n", "no " + path);
  });
  const std::string message = FailureOf(server.url() + "/key-in-the-path?token=key-in-the-query");
  EXPECT_THAT(message, AllOf(HasSubstr("HTTP 500"), Not(HasSubstr("key-in"))));
}

}  // namespace
}  // namespace cursorwire::mcp
