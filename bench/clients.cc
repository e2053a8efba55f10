#include "clients.h"

#include <utility>

#include "cursorwire/connect/channel.h"
#include "observer_client.h"
#include "raw_client.h"
#include "stream_client.h"

namespace cursorwire::bench {
namespace {

using connect::Channel;
using connect::IoThread;

using Factory = absl::StatusOr<std::unique_ptr<BenchClient>> (*)(const char* name,
                                                                 const BenchServer& server);

absl::StatusOr<std::unique_ptr<BenchClient>> MakeRaw(const char*, const BenchServer& server) {
  return std::make_unique<RawClient>(server.port(), server.ca_pem());
}

template <typename Client, connect::IoThread kIoThread>
absl::StatusOr<std::unique_ptr<BenchClient>> MakeOurs(const char* name, const BenchServer& server) {
  absl::StatusOr<Channel> channel =
      Channel::Create("https://localhost:" + std::to_string(server.port()),
                      {.tls = {.ca_pem = server.ca_pem()},
                       .http2 = {.stream_window_bytes = static_cast<uint32_t>(kStreamWindowBytes)},
                       .io_thread = kIoThread});
  if (!channel.ok()) return channel.status();
  return std::make_unique<Client>(name, *std::move(channel));
}

constexpr std::pair<const char*, Factory> kClients[] = {
    {"raw", MakeRaw},
    {"stream", MakeOurs<StreamClient, IoThread::kWhoeverWaits>},
    {"stream-2", MakeOurs<StreamClient, IoThread::kChannelOnly>},
    {"observer", MakeOurs<ObserverClient, IoThread::kWhoeverWaits>},
};

}  // namespace

std::vector<std::string> ClientNames() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : kClients) names.emplace_back(name);
  return names;
}

absl::StatusOr<std::unique_ptr<BenchClient>> MakeClient(const std::string& name,
                                                        const BenchServer& server) {
  for (const auto& [known, factory] : kClients) {
    if (name == known) return factory(known, server);
  }
  return absl::InvalidArgumentError("no such client: " + name);
}

}  // namespace cursorwire::bench
