// Measures what a message of a stream costs our client, compared with a bare loop.

#include <absl/status/statusor.h>

#include <iostream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "bench_server.h"
#include "clients.h"
#include "options.h"
#include "series.h"
#include "shape_service.h"

namespace cursorwire::bench {
namespace {

constexpr size_t kWarmUpMessages = 100;

using Clients = std::vector<std::unique_ptr<BenchClient>>;

absl::StatusOr<Clients> MakeClients(const Options& options, const BenchServer& server) {
  Clients clients;
  for (const std::string& name : options.clients.empty() ? ClientNames() : options.clients) {
    auto client = MakeClient(name, server);
    if (!client.ok()) return client.status();
    clients.push_back(*std::move(client));
  }
  return clients;
}

// Measures the clients in turn in each repetition. The first call of each client opens its
// connection and is not counted.
absl::Status MeasureShape(const Shape& shape, const Options& options, const Clients& clients,
                          std::vector<Series>& all) {
  const size_t messages = options.messages > 0 ? options.messages : shape.default_messages;
  const size_t first = all.size();
  for (const auto& client : clients) {
    const auto warm_up = TakeSample(*client, {.shape = shape, .messages = kWarmUpMessages});
    if (!warm_up.ok()) return warm_up.status();
    all.push_back({.shape = &shape, .client = client->name(), .messages = messages});
  }
  for (size_t repetition = 0; repetition < options.repetitions; ++repetition) {
    for (size_t i = 0; i < clients.size(); ++i) {
      const auto sample = TakeSample(*clients[i], {.shape = shape, .messages = messages});
      if (!sample.ok()) return sample.status();
      all[first + i].samples.push_back(*sample);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Series>> MeasureAll(const Options& options) {
  ShapeService service;
  const absl::StatusOr<BenchServer> server = BenchServer::Start(service);
  if (!server.ok()) return server.status();
  const absl::StatusOr<Clients> clients = MakeClients(options, *server);
  if (!clients.ok()) return clients.status();
  std::vector<std::string> names = options.shapes;
  if (names.empty()) {
    for (const Shape& shape : kShapes) names.emplace_back(shape.name);
  }
  std::vector<Series> all;
  for (const std::string& name : names) {
    absl::Status status = MeasureShape(*FindShape(name), options, *clients, all);
    if (!status.ok()) return status;
  }
  return all;
}

}  // namespace
}  // namespace cursorwire::bench

int main(int argc, char** argv) {
  using namespace cursorwire::bench;
  const std::variant<Options, int> parsed = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  const auto& options = std::get<Options>(parsed);
  const absl::StatusOr<std::vector<Series>> all = MeasureAll(options);
  if (!all.ok()) {
    std::cerr << "stream-bench: error: " << all.status() << "\n";
    return kExitFailed;
  }
  std::cout << (options.json ? Json(*all) : Table(*all));
  return kExitOk;
}
