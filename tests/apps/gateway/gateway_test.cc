#include "gateway.h"

#include <cursorwire/script.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "apps/gateway/gateway_fixture.h"
#include "support/scratch_folder.h"

namespace cursor_gateway {
namespace {

using cursorwire::Script;
using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kChat[] = "/v1/chat/completions";

class GatewayTest : public GatewayFixture {
 protected:
  // Status and error of the answer to a request.
  int StatusOf(const std::string& request) {
    RawClient client(port_);
    client.Send(request);
    response_ = client.ReadResponse();
    return std::stoi(response_.substr(9, 3));
  }
  json Error() const {
    const json body = json::parse(BodyOf(response_));
    EXPECT_EQ(body.size(), 1U);
    EXPECT_EQ(body["error"].size(), 4U);
    return body["error"];
  }

  std::string response_;
};

// Its length is known with the head.
TEST_F(GatewayTest, RefusesALargeBodyInTheFormOfItsPath) {
  Start();
  EXPECT_EQ(StatusOf("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Type: application/json\r\nContent-Length: 50331649\r\n\r\n"),
            413);
  EXPECT_EQ(json::parse(BodyOf(response_))["error"]["type"], "request_too_large");
  EXPECT_THAT(Log(), HasSubstr("POST /v1/messages 413"));
}

// It would end the process if it were not taken for what it is.
TEST_F(GatewayTest, RefusesANumberThatIsTooLargeOnEachPath) {
  Start();
  for (const char* path : {"/v1/chat/completions", "/v1/responses", "/v1/responses/compact",
                           "/v1/messages", "/v1/messages/count_tokens", "/api/v1/chat/completions",
                           "/api/v1/chat/plan", "/api/v1/approvals/x"}) {
    EXPECT_EQ(StatusOf(Post(path, R"({"model":"auto","temperature":1e999})")), 400) << path;
    EXPECT_THAT(response_, HasSubstr("too large for JSON")) << path;
  }
  EXPECT_EQ(StatusOf(Get("/healthz")), 200);
}

TEST_F(GatewayTest, IsHealthyUntilItDrains) {
  Start();
  EXPECT_EQ(StatusOf(Get("/healthz?probe=1")), 200);
  EXPECT_THAT(response_, EndsWith(R"({"status":"ok"})"));
  thread_.Do([this] { gateway_->Drain(); });
  EXPECT_EQ(StatusOf(Get("/healthz")), 503);
  EXPECT_THAT(response_, EndsWith(R"({"status":"draining"})"));
  EXPECT_EQ(StatusOf(Get("/v1/models")), 503);
  EXPECT_EQ(Error()["code"], "shutting_down");
  EXPECT_THAT(response_, HasSubstr("Connection: close"));
}

TEST_F(GatewayTest, SaysWhichHttpItSpeaks) {
  Start();
  EXPECT_EQ(StatusOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400);
  EXPECT_THAT(Error()["message"], HasSubstr("speaks HTTP/1.1"));
  EXPECT_THAT(response_, HasSubstr("Connection: close"));
}

TEST_F(GatewayTest, BeginsNoTurnForBodiesThatAreNotCompleteWhenItDrains) {
  Start({Script().Text("one").TurnEnded()});
  RawClient refused(port_);  // by the gateway, which drains before its server
  RawClient dropped(port_);
  const std::string request = Post(kChat, "{}", "Expect: 100-continue\r\n");
  for (RawClient* client : {&refused, &dropped}) {
    client->Send(request.substr(0, request.size() - 2));
    client->ReadUntil("100 Continue\r\n\r\n");
  }
  thread_.Do([&] { gateway_->Drain(); });
  refused.Send("{}");
  EXPECT_THAT(refused.ReadResponse(), HasSubstr("shutting_down"));
  std::promise<void> drained;
  thread_.Do([&] { server_->Drain([&] { drained.set_value(); }); });
  EXPECT_THAT(dropped.ReadToEnd(), HasSubstr("shutting_down"));
  dropped.Close();
  refused.Close();
  EXPECT_EQ(drained.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_EQ(upstream_->runs_ended(), 0U);
}

TEST_F(GatewayTest, ListsTheModels) {
  Start();
  EXPECT_EQ(StatusOf(Get("/v1/models")), 200);
  const json list = json::parse(BodyOf(response_));
  EXPECT_EQ(list["object"], "list");
  EXPECT_EQ(list["data"][0]["id"], "auto");
  EXPECT_EQ(list["data"][0]["object"], "model");
  EXPECT_FALSE(list.contains("models"));
  EXPECT_EQ(StatusOf(Get("/v1/models?client_version=0.171.0")), 200);
  EXPECT_EQ(json::parse(BodyOf(response_))["models"][0]["slug"], "auto");
  EXPECT_EQ(StatusOf(Get("/v1/models/acme-5.5")), 200);
  EXPECT_EQ(json::parse(BodyOf(response_))["context_length"], 272000);
  EXPECT_EQ(StatusOf(Get("/v1/models/nobody%2Fknows")), 404);
  EXPECT_EQ(Error()["code"], "model_not_found");
}

TEST_F(GatewayTest, SaysWhatAPathIsNotFor) {
  Start();
  EXPECT_EQ(StatusOf(Get("/v2/responses")), 404);
  EXPECT_EQ(Error()["message"], "there is no path \"/v2/responses\" here; there is /v1/responses");
  EXPECT_EQ(Error()["type"], "invalid_request_error");
  EXPECT_EQ(StatusOf(Get(kChat)), 405);
  EXPECT_THAT(response_, HasSubstr("Allow: POST\r\n"));
  EXPECT_EQ(StatusOf("DELETE /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"), 405);
  EXPECT_THAT(response_, HasSubstr("Allow: GET, HEAD\r\n"));
  // The preflight of a browser.
  EXPECT_EQ(StatusOf("OPTIONS /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"), 405);
  EXPECT_THAT(response_, Not(HasSubstr("Access-Control")));
  RawClient head(port_);
  const std::string health =
      head.Ask("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(health, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(health, HasSubstr("Content-Length: 15"));
  EXPECT_THAT(health, EndsWith("\r\n\r\n"));
}

TEST_F(GatewayTest, TakesJsonAlone) {
  Start();
  const std::string head = std::string("POST ") + kChat + " HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(StatusOf(head + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"), 415);
  EXPECT_EQ(StatusOf(head + "Content-Length: 2\r\n\r\n{}"), 415);
  EXPECT_EQ(StatusOf(Post(kChat, "{}", "Content-Encoding: gzip\r\n")), 415);
  EXPECT_THAT(response_, HasSubstr("Connection: close"));
}

TEST_F(GatewayTest, RefusesOtherHostsAndPages) {
  Start();
  EXPECT_EQ(StatusOf("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
  EXPECT_EQ(Error()["type"], "permission_error");
  EXPECT_EQ(StatusOf(Get("/healthz", "Origin: http://evil.example\r\n")), 403);
  EXPECT_THAT(response_, Not(HasSubstr("Access-Control")));
  EXPECT_THAT(response_, HasSubstr("Connection: close"));
  EXPECT_EQ(StatusOf("GET /healthz HTTP/1.1\r\n\r\n"), 400);
}

TEST_F(GatewayTest, AnswersPagesThatWereAllowed) {
  cursorwire::LocalUpstreamOptions upstream;
  upstream.scripts = {Script().Text("one").TurnEnded()};
  Start(std::move(upstream), {.keys = ApiKeys::Of("key"), .names = {.origins = {"app://notes"}}});
  const std::string origin = "Origin: app://notes\r\n";
  const std::string key = "x-api-key: key\r\n";
  const std::string allow = "Access-Control-Allow-Origin: app://notes\r\n";
  RawClient preflight(port_);
  preflight.Send(std::string("OPTIONS ") + kChat + " HTTP/1.1\r\nHost: localhost\r\n" + origin +
                 "Access-Control-Request-Method: POST\r\n"
                 "Access-Control-Request-Headers: content-type,x-api-key\r\n\r\n");
  const std::string answer = preflight.ReadUntil("\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(answer, HasSubstr("Access-Control-Allow-Methods: POST\r\n"));
  EXPECT_THAT(answer, HasSubstr("Access-Control-Allow-Headers: content-type, x-api-key\r\n"));
  EXPECT_THAT(answer, HasSubstr(allow));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  const char* body = R"({"model":"auto","stream":true,"messages":[{"role":"user","content":"a"}]})";
  preflight.Send(Post(kChat, body, origin + key));  // the connection was kept
  EXPECT_THAT(preflight.ReadUntil("[DONE]"), HasSubstr(allow));
  EXPECT_EQ(StatusOf(Get("/v1/models", origin + key)), 200);
  EXPECT_THAT(response_, HasSubstr(allow));
  EXPECT_THAT(response_, HasSubstr("Vary: Origin\r\n"));
  for (const std::string& refused : {Get("/v1/models", origin), Get("/nothing", origin + key),
                                     Post(kChat, "{", origin + key), Get(kChat, origin + key)}) {
    EXPECT_GE(StatusOf(refused), 400);
    EXPECT_THAT(response_, HasSubstr(allow));
  }
  EXPECT_EQ(StatusOf(Get("/v1/models", key + "Origin: app://other\r\n")), 403);
  EXPECT_THAT(response_, Not(HasSubstr("Access-Control")));
}

TEST_F(GatewayTest, SaysThatThereAreNoWebSockets) {
  Start({}, {.keys = ApiKeys::Of("key")});
  RawClient client(port_);
  client.Send(
      "GET /v1/responses HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: Upgrade\r\n"
      "Upgrade: websocket\r\n\r\n" +
      Get("/healthz"));
  const std::string answer = client.ReadResponse();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 426 Upgrade Required\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST_F(GatewayTest, AsksForItsKeysBeforeTheBodyIsRead) {
  const cursorwire::test::ScratchFolder folder;
  std::ofstream(folder.path() + "/keys") << "secret-key-1\n";
  Start({}, {.keys = *ApiKeys::Load(folder.path() + "/keys")});
  EXPECT_EQ(StatusOf(Get("/healthz")), 200);
  EXPECT_EQ(StatusOf(Get("/v1/models")), 401);
  EXPECT_EQ(Error()["code"], "invalid_api_key");
  EXPECT_THAT(response_, HasSubstr("WWW-Authenticate: Bearer\r\n"));
  EXPECT_EQ(StatusOf(Get("/metrics", "Authorization: Bearer secret-key-2\r\n")), 401);
  EXPECT_THAT(response_, Not(HasSubstr("secret-key")));
  EXPECT_EQ(StatusOf(Get("/v1/models", "Authorization: Bearer secret-key-1\r\n")), 200);
  EXPECT_EQ(StatusOf(std::string("POST ") + kChat +
                     " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     "Content-Length: 1000000\r\n\r\n"),
            401);
}

TEST_F(GatewayTest, GivesEachAnswerAnIdAndALineOfTheLog) {
  Start();
  StatusOf(Get("/v1/models/some-model-name?q=private"));
  EXPECT_THAT(response_, HasSubstr("x-request-id: req_"));
  const std::string first = response_.substr(response_.find("req_"), 28);
  StatusOf(Get("/nothing/private"));
  EXPECT_THAT(response_, Not(HasSubstr(first)));
  StatusOf("nonsense\r\n\r\n");
  EXPECT_THAT(response_, HasSubstr("x-request-id: req_"));
  StatusOf(Get("/metrics"));
  EXPECT_THAT(
      response_,
      HasSubstr("cursor_gateway_requests_total{path=\"/v1/models/{id}\",status=\"404\"} 1"));
  EXPECT_THAT(response_, HasSubstr("{path=\"other\",status=\"404\"} 1"));
  EXPECT_THAT(response_, HasSubstr("{path=\"other\",status=\"400\"} 1"));
  EXPECT_THAT(Log(), HasSubstr(first + " GET /v1/models/{id} 404 "));
  EXPECT_THAT(Log(), Not(HasSubstr("private")));
}

}  // namespace
}  // namespace cursor_gateway
