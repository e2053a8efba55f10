// Measures what a message of a stream costs our client, compared with a bare loop.

#include <absl/status/statusor.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "bench_server.h"
#include "ca_file.h"
#include "clients.h"
#include "idle.h"
#include "options.h"
#include "peer_client.h"
#include "series.h"
#include "shape_service.h"

namespace cursorwire::bench {
namespace {

using Clients = std::vector<std::unique_ptr<BenchClient>>;

std::vector<std::string> NamesOfClients(const Options& options) {
  return options.clients.empty() ? ClientNames() : options.clients;
}

absl::StatusOr<Clients> MakeClients(const Options& options, const ServerAddress& server,
                                    const CaFile& ca_file) {
  Clients clients;
  for (const std::string& name : NamesOfClients(options)) {
    auto client = MakeClient(name, server);
    if (!client.ok()) return client.status();
    clients.push_back(*std::move(client));
  }
  for (const PeerCommand& peer : options.peers) {
    auto client = PeerClient::Start(peer.name, peer.command, server.port, ca_file.path());
    if (!client.ok()) return client.status();
    clients.push_back(*std::move(client));
  }
  return clients;
}

// One client and what it measured, with what its calls are.
struct Lane {
  BenchClient* client;
  Series series;
};

// The first call of each client opens its connection and is not counted, unless there is no such
// call. Clients that cannot do this work are left out.
absl::StatusOr<std::vector<Lane>> WarmUp(const Work& work, const Options& options,
                                         const Clients& clients) {
  std::vector<Lane> lanes;
  for (const auto& client : clients) {
    if (options.warm_up > 0) {
      const auto sample = client->Measure(
          {.shape = work.shape, .messages = options.warm_up, .streams = work.streams});
      if (absl::IsUnimplemented(sample.status())) continue;
      if (!sample.ok()) return sample.status();
    }
    lanes.push_back({client.get(), {.work = work, .client = client->name()}});
  }
  return lanes;
}

// Measures the clients in turn in each repetition. Without a warm-up, here it shows which of them
// cannot do this work.
absl::Status MeasureShape(const Work& work, const Options& options, const Clients& clients,
                          std::vector<Series>& all) {
  auto lanes = WarmUp(work, options, clients);
  if (!lanes.ok()) return lanes.status();
  for (size_t repetition = 0; repetition < options.repetitions; ++repetition) {
    for (Lane& lane : *lanes) {
      const auto sample = lane.client->Measure(work);
      if (absl::IsUnimplemented(sample.status())) continue;
      if (!sample.ok()) return sample.status();
      lane.series.samples.push_back(*sample);
    }
  }
  for (Lane& lane : *lanes) {
    if (!lane.series.samples.empty()) all.push_back(std::move(lane.series));
  }
  return absl::OkStatus();
}

Work WorkOf(const Shape& shape, const Options& options) {
  Work work{.shape = shape,
            .messages = options.messages > 0 ? options.messages : shape.default_messages,
            .streams = options.streams};
  if (options.bytes > 0) work.shape.message_bytes = options.bytes;
  return work;
}

absl::StatusOr<std::vector<Series>> MeasureShapes(const Options& options,
                                                  const ServerAddress& server) {
  const absl::StatusOr<CaFile> ca_file = CaFile::Create(server.ca_pem);
  if (!ca_file.ok()) return ca_file.status();
  const absl::StatusOr<Clients> clients = MakeClients(options, server, *ca_file);
  if (!clients.ok()) return clients.status();
  std::vector<Series> all;
  for (const Shape& shape : kShapes) {
    const bool wanted = options.shapes.empty() ? shape.kind != ShapeKind::kIdle
                                               : std::count(options.shapes.begin(),
                                                            options.shapes.end(), shape.name) > 0;
    if (!wanted) continue;
    absl::Status status = MeasureShape(WorkOf(shape, options), options, *clients, all);
    if (!status.ok()) return status;
  }
  return all;
}

absl::StatusOr<std::vector<IdleCost>> MeasureIdleStreams(const Options& options,
                                                         const ServerAddress& server) {
  std::vector<IdleCost> all;
  for (const std::string& name : NamesOfClients(options)) {
    const absl::StatusOr<IdleCost> cost = MeasureIdle(name, server, options.idle);
    if (!cost.ok()) return cost.status();
    all.push_back(*cost);
  }
  return all;
}

absl::StatusOr<std::string> Measure(const Options& options, const ServerAddress& server) {
  if (options.idle > 0) {
    const auto all = MeasureIdleStreams(options, server);
    if (!all.ok()) return all.status();
    return Render(*all, options.format);
  }
  const auto all = MeasureShapes(options, server);
  if (!all.ok()) return all.status();
  return Render(*all, options.format);
}

// Until the standard input ends.
absl::StatusOr<std::string> Serve(const Options& options, const BenchServer& server) {
  if (!(std::ofstream(options.ca_file) << server.ca_pem()).flush()) {
    return LocalError(absl::StatusCode::kInvalidArgument, "cannot write " + options.ca_file);
  }
  std::cout << "listening on https://localhost:" << server.port() << std::endl;
  char c = 0;
  while (::read(STDIN_FILENO, &c, 1) > 0) {
  }
  return "";
}

// What is to be printed.
absl::StatusOr<std::string> Run(const Options& options) {
  if (options.server_port > 0) {
    std::ostringstream pem;
    if (!(pem << std::ifstream(options.ca_file).rdbuf())) {
      return LocalError(absl::StatusCode::kInvalidArgument, "cannot read " + options.ca_file);
    }
    return Measure(options, {.port = static_cast<int>(options.server_port), .ca_pem = pem.str()});
  }
  ShapeService service;
  const absl::StatusOr<BenchServer> server = BenchServer::Start(service);
  if (!server.ok()) return server.status();
  if (options.serve) return Serve(options, *server);
  return Measure(options, {.port = server->port(), .ca_pem = server->ca_pem()});
}

}  // namespace
}  // namespace cursorwire::bench

int main(int argc, char** argv) {
  using namespace cursorwire::bench;
  const std::variant<Options, int> parsed = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  const absl::StatusOr<std::string> text = Run(std::get<Options>(parsed));
  if (!text.ok()) {
    std::cerr << "stream-bench: error: " << text.status() << "\n";
    return kExitFailed;
  }
  std::cout << *text;
  return kExitOk;
}
