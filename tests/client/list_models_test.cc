#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/v1/model.pb.h"
#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/model.h"
#include "support/chat_outcome.h"
#include "support/errors.h"
#include "support/status_matchers.h"
#include "support/test_server.h"
#include "wire/available_models.h"

namespace cursorwire::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kUsablePath[] = "/agent.v1.AgentService/GetUsableModels";
constexpr char kAvailablePath[] = "/aiserver.v1.AiService/AvailableModels";

std::vector<std::string> IdsOf(const std::vector<Model>& models) {
  std::vector<std::string> ids;
  for (const Model& model : models) ids.push_back(model.id);
  return ids;
}

std::string UsableBody(const std::string& id) {
  ::agent::v1::GetUsableModelsResponse response;
  response.add_models()->set_model_id(id);
  return response.SerializeAsString();
}

std::string AvailableBody(const std::string& name) {
  AvailableModelsResponse response;
  response.models.push_back({.name = name});
  return EncodeAvailableModelsResponse(response);
}

Behaviour AnswerProto(std::string body) {
  return AnswerHttp(200, "application/proto", std::move(body));
}

Behaviour AnswerError(int http_status, const std::string& code) {
  return AnswerHttp(http_status, "application/json",
                    R"({"code":")" + code + R"(","message":"said by the server"})");
}

Client ClientFor(const std::string& endpoint, const std::string& api_endpoint = "") {
  auto client =
      Client::Create({.endpoint = endpoint, .api_endpoint = api_endpoint, .token = "secret"});
  EXPECT_THAT(client, IsOk());
  return *std::move(client);
}

TEST(ListModels, MergesBothListsOfTheLocalUpstream) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  const auto client = Client::Create({.endpoint = upstream.url(),
                                      .token = "t",
                                      .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_THAT(client, IsOk());
  const absl::StatusOr<ModelList> list = client->ListModels();
  ASSERT_THAT(list, IsOk());
  EXPECT_THAT(list->failures, IsEmpty());
  EXPECT_THAT(IdsOf(list->models), ElementsAre("auto", "acme-5.5", "acme-5.5-high-fast", "bolt-4.6",
                                               "bolt-4.6-low-thinking", "cast-1-codex-max"));
  EXPECT_THAT(list->models[1].efforts, ElementsAre("low", "medium", "high"));
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST(ListModels, AsksTwoHostsWhereThereAreTwo) {
  const TestServer agent({.routes = {{kUsablePath, AnswerProto(UsableBody("from-agent"))}}});
  const TestServer api({.routes = {{kAvailablePath, AnswerProto(AvailableBody("from-api"))}}});
  const auto list = ClientFor(agent.url(), api.url()).ListModels();
  ASSERT_THAT(list, IsOk());
  EXPECT_THAT(list->failures, IsEmpty());
  EXPECT_THAT(IdsOf(list->models), ElementsAre("from-agent", "from-api"));
}

TEST(ListModels, SendsHeadersOfAUnaryCallAndTheKnownBody) {
  std::string body;
  connect::Headers headers;
  Behaviour look = AnswerProto("");
  const auto answer = look.on_end;
  look.on_end = [&](Exchange& exchange) {
    body = exchange.TakeBody();
    headers = exchange.headers();
    answer(exchange);
  };
  {
    const TestServer server({.routes = {{kUsablePath, AnswerProto("")}, {kAvailablePath, look}}});
    ASSERT_THAT(ClientFor(server.url()).ListModels(), IsOk());
  }
  EXPECT_EQ(body, std::string("\x28\x01\x38\x01"));
  EXPECT_EQ(headers.Get("content-type"), "application/proto");
  EXPECT_EQ(headers.Get("authorization"), "Bearer secret");
  EXPECT_EQ(headers.Get("x-cursor-client-type"), "cli");
  EXPECT_FALSE(headers.Get("connect-timeout-ms").has_value());
}

TEST(ListModels, SurvivesTheFailureOfOneCall) {
  const struct {
    const char* name;
    Behaviour usable;
    Behaviour available;
    const char* id;
    absl::StatusCode code;
    const char* failure;
  } kCases[] = {
      {"error of the first", AnswerError(403, "permission_denied"), AnswerProto(AvailableBody("a")),
       "a", absl::StatusCode::kPermissionDenied, "GetUsableModels: said by the server"},
      {"error of the second", AnswerProto(UsableBody("u")), AnswerError(500, "internal"), "u",
       absl::StatusCode::kInternal, "AvailableModels: said by the server"},
      {"reset of the second", AnswerProto(UsableBody("u")), ResetWith(2), "u",
       absl::StatusCode::kInternal, "AvailableModels: "},
      {"broken bytes of the first", AnswerProto("\xFF"), AnswerProto(AvailableBody("a")), "a",
       absl::StatusCode::kInternal, "GetUsableModels: "},
      {"broken bytes of the second", AnswerProto(UsableBody("u")), AnswerProto("\x12\x05"), "u",
       absl::StatusCode::kInternal, "AvailableModels: "},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const TestServer server({.routes = {{kUsablePath, c.usable}, {kAvailablePath, c.available}}});
    const auto list = ClientFor(server.url()).ListModels();
    ASSERT_THAT(list, IsOk());
    EXPECT_THAT(IdsOf(list->models), ElementsAre(c.id));
    ASSERT_THAT(list->failures, SizeIs(1));
    EXPECT_THAT(list->failures[0], StatusIs(c.code, HasSubstr(c.failure)));
  }
}

TEST(ListModels, SurvivesThatOneHostIsNotReached) {
  const TestServer agent({.routes = {{kUsablePath, AnswerProto(UsableBody("u"))}}});
  const auto list = ClientFor(agent.url(), RefusedUrl()).ListModels();
  ASSERT_THAT(list, IsOk());
  EXPECT_THAT(IdsOf(list->models), ElementsAre("u"));
  ASSERT_THAT(list->failures, SizeIs(1));
  EXPECT_THAT(list->failures[0],
              AllOf(StatusIs(absl::StatusCode::kUnavailable, HasSubstr("AvailableModels: ")),
                    HasOrigin(connect::ErrorOrigin::kTransport)));
}

TEST(ListModels, EndsWhenItIsStopped) {
  std::counting_semaphore<> asked(0);
  Behaviour hears;
  hears.on_end = [&asked](Exchange&) { asked.release(); };
  const TestServer server({.routes = {{kUsablePath, hears}, {kAvailablePath, NeverAnswer()}}});
  const Client client = ClientFor(server.url());
  std::stop_source stop;
  std::future<absl::StatusOr<ModelList>> list =
      std::async(std::launch::async, [&] { return client.ListModels(stop.get_token()); });
  asked.acquire();
  stop.request_stop();
  EXPECT_THAT(list.get(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(client.ListModels(stop.get_token()), StatusIs(absl::StatusCode::kCancelled));
}

TEST(ListModels, ReturnsTheErrorThatSaysMoreIfBothFail) {
  const TestServer refusing({.routes = {{kUsablePath, AnswerError(429, "resource_exhausted")},
                                        {kAvailablePath, AnswerError(401, "unauthenticated")}}});
  EXPECT_THAT(ClientFor(refusing.url()).ListModels(),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("AvailableModels: ")));
  EXPECT_THAT(ClientFor(RefusedUrl(), refusing.url()).ListModels(),
              StatusIs(absl::StatusCode::kUnauthenticated));
  const TestServer broken({.routes = {{kUsablePath, AnswerProto("\xFF")}}});
  EXPECT_THAT(ClientFor(broken.url(), RefusedUrl()).ListModels(),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("GetUsableModels: ")));
  const std::string nowhere = RefusedUrl();
  EXPECT_THAT(ClientFor(nowhere).ListModels(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connection refused")));
}

TEST(ListModels, ShowsNoTokenThatTheServerRepeats) {
  const Behaviour echo =
      AnswerHttp(401, "application/json",
                 R"({"code":"unauthenticated","message":"bad Bearer tok_SECRET123"})");
  for (const Behaviour& available : {echo, AnswerProto(AvailableBody("a"))}) {
    const TestServer server({.routes = {{kUsablePath, echo}, {kAvailablePath, available}}});
    auto client = Client::Create({.endpoint = server.url(), .token = "tok_SECRET123"});
    ASSERT_THAT(client, IsOk());
    const auto list = client->ListModels();
    const absl::Status status = list.ok() ? list->failures.at(0) : list.status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnauthenticated,
                                 HasSubstr("GetUsableModels: bad Bearer (redacted)")));
    EXPECT_THAT(status.ToString(), Not(HasSubstr("tok_SECRET123")));
  }
}

TEST(ListModels, RefusesAnAnswerThatIsTooLargeBeforeItIsStored) {
  const TestServer server(
      {.routes = {{kUsablePath, AnswerProto(std::string(1024 * 1024 + 1, '\0'))},
                  {kAvailablePath, AnswerProto(AvailableBody("a"))}}});
  const auto list = ClientFor(server.url()).ListModels();
  ASSERT_THAT(list, IsOk());
  ASSERT_THAT(list->failures, SizeIs(1));
  EXPECT_THAT(list->failures[0], StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(ListModels, MayBeCalledByManyThreads) {
  const LocalUpstream agent = *LocalUpstream::Start({.security = connect::Security::kPlaintext});
  const LocalUpstream api = *LocalUpstream::Start({.security = connect::Security::kPlaintext});
  const Client client = ClientFor(agent.url(), api.url());
  std::vector<std::thread> threads;
  std::vector<size_t> counts(8);
  for (size_t& count : counts) {
    threads.emplace_back([&] {
      const auto list = client.ListModels();
      if (list.ok()) count = list->models.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(counts, ::testing::Each(6u));
}

TEST(ListModels, LeadsToATurnWithTheChosenModel) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  const auto client = Client::Create({.endpoint = upstream.url(),
                                      .token = "t",
                                      .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_THAT(client, IsOk());
  const auto list = client->ListModels();
  ASSERT_THAT(list, IsOk());
  const auto chosen =
      ChooseModel(list->models, {.model = "acme-5.5", .effort = "high", .context = "1m"});
  ASSERT_THAT(chosen, IsOk());
  ChatOutcome outcome;
  ChatStream stream = client->Chat({.prompt = "hi",
                                    .model = chosen->model_id,
                                    .max_mode = chosen->max_mode,
                                    .model_parameters = chosen->parameters});
  while (const auto element = stream.Next()) outcome.Add(*element);
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_THAT(outcome.text,
              HasSubstr("\"acme-5.5\" with max mode, context=1m, reasoning=high, fast=false."));
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::test
