// What a delta takes in the whole of Client::Chat(), over TLS and a socket. The server is a process
// of its own, so nothing of it is counted.
#include <gtest/gtest.h>

#include <string>

#include "bench_server.h"
#include "cost/cost.h"
#include "cursorwire/client.h"
#include "shape_service.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

constexpr Budget kChatBudget{
    .what = "`Client::Chat`", .allocations = 4, .allocated_bytes = 1270, .copied_bytes = 535};

Cost CostOfAnswer(const Client& client, size_t texts) {
  const Cost before = Cost::Now();
  size_t seen = 0;
  ChatStream stream = client.Chat({.prompt = PromptFor(texts)});
  for (const absl::StatusOr<ChatEvent>& event : stream) {
    EXPECT_THAT(event, IsOk());
    if (event.ok() && event->As<TextDelta>() != nullptr) ++seen;
  }
  EXPECT_EQ(seen, texts);
  return Cost::Now().Minus(before);
}

// How many messages come at once depends on the machine, and what is done for each batch with it:
// the least of some attempts is what a message costs.
TEST(CostOfAChat, StaysWithinItsBudgetForADelta) {
  constexpr size_t kTexts = 2000;
  constexpr int kAttempts = 7;
  bench::ShapeService service;
  const auto server = bench::BenchServer::Start(service);
  ASSERT_THAT(server, IsOk());
  const auto client =
      Client::Create({.endpoint = "https://localhost:" + std::to_string(server->port()),
                      .token = "secret-token",
                      .channel = {.tls = {.ca_pem = server->ca_pem()}},
                      .environment = Environment{}});
  ASSERT_THAT(client, IsOk());
  CostOfAnswer(*client, 1);  // what is made once
  Cost start = CostOfAnswer(*client, kTexts);
  Cost answer = CostOfAnswer(*client, 2 * kTexts);
  for (int i = 1; i < kAttempts; ++i) {
    start = start.Least(CostOfAnswer(*client, kTexts));
    answer = answer.Least(CostOfAnswer(*client, 2 * kTexts));
  }
  ExpectWithin(answer.Minus(start).By(kTexts), kChatBudget);
}

TEST(CostOfAChat, HasItsBudgetWrittenDown) { ExpectWrittenDown(kChatBudget); }

}  // namespace
}  // namespace cursorwire::test
