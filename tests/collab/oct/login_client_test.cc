#include "collab/oct/login_client.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "mcp/web_server.h"
#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using cursorwire::test::StatusIs;
using mcp::WebServer;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kSecretOfServer[] = "token-of-the-web-server-0123";

// The answers of a server of rooms below "/mcp", which lets everybody in.
std::string AnswerAsRoomServer(const WebServer::Request& request) {
  const auto asks = [&request](const std::string& what) {
    return request.head.starts_with(absl::StrCat(what, " HTTP/1.1\r\n"));
  };
  const auto answer = [](const json& body) {
    return WebServer::Answer("200 OK", "Content-Type: application/json\r\n", body.dump());
  };
  if (asks("GET /mcp/api/meta")) {
    return answer({{"version", "0.3.1"}, {"transports", {"socket.io"}}});
  }
  if (asks("POST /mcp/api/login/initial")) {
    const json fields = {{{"name", "user"}}, {{"name", "email"}}};
    const json form = {{"type", "form"}, {"endpoint", "/api/login/simple"}, {"fields", fields}};
    return answer(
        {{"pollToken", "confirm-1"},
         {"auth",
          {{"loginPageUrl", "/login.html?token=confirm-1"}, {"providers", json::array({form})}}}});
  }
  if (asks("POST /mcp/api/login/simple")) {
    const json body = json::parse(request.body, nullptr, false);
    const bool is_good = body == json({{"token", "confirm-1"}, {"user", "agent"}, {"email", ""}});
    return WebServer::Answer(is_good ? "200 OK" : "400 No", "", is_good ? "Ok" : "not good");
  }
  if (asks("POST /mcp/api/login/poll/confirm-1")) return answer({{"loginToken", kSecretOfServer}});
  if (request.head.find(absl::StrCat("\r\nx-oct-jwt: ", kSecretOfServer, "\r\n")) ==
      std::string::npos) {
    return WebServer::Answer("403 No", "", "Forbidden resource");
  }
  if (asks("POST /mcp/api/session/join/room%231")) {
    return answer({{"pollToken", "join-1"}, {"roomId", "room#1"}});
  }
  if (asks("POST /mcp/api/session/poll/join-1")) {
    return answer({{"roomId", "room#1"},
                   {"roomToken", "room-token"},
                   {"workspace", {{"name", "demo"}}},
                   {"host", {{"id", "h1"}, {"name", "Hanna"}}}});
  }
  return WebServer::Answer("404 No", "", "Not here");
}

bool AsksForPath(const WebServer::Request& request, const char* path) {
  return request.head.find(absl::StrCat(" ", path, " ")) != std::string::npos;
}

LoginOptions LoginOptionsFor(const std::string& url) { return {.server = url, .room = "room#1"}; }

struct LoginRunOutcome {
  absl::StatusOr<RoomAccess> access;
  std::vector<LoginEvent> events;
};
LoginRunOutcome RunJoin(const LoginOptions& options, const std::stop_token& stop = {}) {
  std::vector<LoginEvent> events;
  const auto listen = [&events](const LoginEvent& event) { events.push_back(event); };
  absl::StatusOr<RoomAccess> access = JoinRoom(options, listen, stop);
  return {std::move(access), std::move(events)};
}

TEST(LoginClient, LogsInWithAFormAndJoins) {
  WebServer server(AnswerAsRoomServer);
  const LoginRunOutcome outcome = RunJoin(LoginOptionsFor(server.url()));
  ASSERT_THAT(outcome.access, cursorwire::test::IsOk());
  EXPECT_EQ(outcome.access->room_id, "room#1");
  EXPECT_EQ(outcome.access->room_token, "room-token");
  EXPECT_EQ(outcome.access->login_token, kSecretOfServer);
  EXPECT_EQ(outcome.access->host.name, "Hanna");
  EXPECT_EQ(outcome.access->workspace, "demo");
  EXPECT_TRUE(outcome.events.empty());
  EXPECT_EQ(server.requests().size(), 6U);
}

TEST(LoginClient, ShowsThePageAndJoins) {
  WebServer server(AnswerAsRoomServer);
  LoginOptions options = LoginOptionsFor(server.url());
  options.mode = LoginMode::kUrl;
  const LoginRunOutcome outcome = RunJoin(options);
  EXPECT_THAT(outcome.access, cursorwire::test::IsOk());
  ASSERT_EQ(outcome.events.size(), 1U);
  ASSERT_TRUE(std::holds_alternative<LoginPage>(outcome.events[0]));
  EXPECT_EQ(std::get<LoginPage>(outcome.events[0]).url,
            server.url() + "/login.html?token=confirm-1");
}

TEST(LoginClient, StopsWhileItPolls) {
  std::promise<void> asked;
  std::promise<void> released;
  const std::shared_future<void> is_released = released.get_future().share();
  WebServer server([&](const WebServer::Request& request) {
    if (!AsksForPath(request, "/mcp/api/session/poll/join-1")) return AnswerAsRoomServer(request);
    asked.set_value();
    is_released.wait();
    return AnswerAsRoomServer(request);
  });
  std::stop_source stop;
  std::future<LoginRunOutcome> outcome = std::async(
      std::launch::async, [&] { return RunJoin(LoginOptionsFor(server.url()), stop.get_token()); });
  cursorwire::test::WaitFor(asked.get_future());
  stop.request_stop();
  EXPECT_THAT(cursorwire::test::WaitFor(outcome).access, StatusIs(absl::StatusCode::kCancelled));
  released.set_value();
}

TEST(LoginClient, DoesNotStartAfterTheStop) {
  WebServer server(AnswerAsRoomServer);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(RunJoin(LoginOptionsFor(server.url()), stop.get_token()).access,
              StatusIs(absl::StatusCode::kCancelled));
}

TEST(LoginClient, StopsOutOfAnEvent) {
  WebServer server(AnswerAsRoomServer);
  LoginOptions options = LoginOptionsFor(server.url());
  options.mode = LoginMode::kUrl;
  std::stop_source stop;
  const auto listen = [&stop](const LoginEvent&) { stop.request_stop(); };
  EXPECT_THAT(JoinRoom(options, listen, stop.get_token()), StatusIs(absl::StatusCode::kCancelled));
}

TEST(LoginClient, RefusesLongAnswers) {
  const std::string body(kMaxLoginAnswerBytes + 100, ' ');
  WebServer server([&](const auto&) { return WebServer::Answer("200 OK", "", body); });
  EXPECT_THAT(RunJoin(LoginOptionsFor(server.url())).access,
              StatusIs(absl::StatusCode::kInternal, HasSubstr("limit")));
}

TEST(LoginClient, FollowsRedirectsOnItsOriginAlone) {
  WebServer other(AnswerAsRoomServer);
  const auto redirect = [](const std::string& status, const std::string& to) {
    return [=](const WebServer::Request& request) {
      if (!AsksForPath(request, "/mcp/api/session/join/room%231"))
        return AnswerAsRoomServer(request);
      return WebServer::Answer(status, "Location: " + to + "\r\n", "");
    };
  };
  for (const char* status : {"307 There", "302 There"}) {
    WebServer server(redirect(status, other.url() + "/api/session/join/room%231"));
    EXPECT_THAT(RunJoin(LoginOptionsFor(server.url())).access,
                StatusIs(absl::StatusCode::kInternal, HasSubstr("same origin")));
  }
  EXPECT_TRUE(other.requests().empty()) << "the token would have left";

  WebServer server([](const WebServer::Request& request) {
    if (AsksForPath(request, "/mcp/api/meta")) {
      return WebServer::Answer("307 There", "Location: /mcp/meta\r\n", "");
    }
    if (AsksForPath(request, "/mcp/meta")) {
      return WebServer::Answer("200 OK", "", R"({"version":"0.3.1","transports":["socket.io"]})");
    }
    return AnswerAsRoomServer(request);
  });
  EXPECT_THAT(RunJoin(LoginOptionsFor(server.url())).access, cursorwire::test::IsOk());
}

TEST(LoginClient, SaysThatThereIsNoServer) {
  std::string url;
  {
    const WebServer gone(AnswerAsRoomServer);
    url = gone.url();
  }
  const LoginRunOutcome outcome = RunJoin(LoginOptionsFor(url));
  EXPECT_THAT(outcome.access, StatusIs(absl::StatusCode::kUnavailable, StartsWith("version: ")));
}

TEST(LoginClient, SaysThatAnAnswerIsMissing) {
  WebServer server([](const WebServer::Request& request) {
    return AsksForPath(request, "/mcp/api/login/initial") ? "" : AnswerAsRoomServer(request);
  });
  EXPECT_THAT(RunJoin(LoginOptionsFor(server.url())).access,
              StatusIs(absl::StatusCode::kUnavailable, StartsWith("login: ")));
}

TEST(LoginClient, JwtInALog) {
  WebServer server([](const WebServer::Request& request) {
    if (!AsksForPath(request, "/mcp/api/session/poll/join-1")) return AnswerAsRoomServer(request);
    return WebServer::Answer("403 No", "", "no: " + request.head);
  });
  const absl::StatusOr<RoomAccess> access = RunJoin(LoginOptionsFor(server.url())).access;
  EXPECT_THAT(access, StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("(redacted)")));
  EXPECT_THAT(access.status().ToString(),
              AllOf(HasSubstr("x-oct-jwt"), Not(HasSubstr(kSecretOfServer))));
}

TEST(LoginClient, ChecksItsOptions) {
  EXPECT_THAT(RunJoin({.server = "https://me@host/", .room = "r"}).access,
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::oct
