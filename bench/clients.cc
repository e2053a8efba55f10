#include "clients.h"

#include <utility>

#include "chat_client.h"
#include "cursorwire/connect/channel.h"
#include "observer_client.h"
#include "our_options.h"
#include "raw_client.h"
#include "stream_client.h"

namespace cursorwire::bench {
namespace {

using connect::Channel;
using connect::IoThread;

using Made = absl::StatusOr<std::unique_ptr<OwnClient>>;
using Factory = Made (*)(const char* name, const ServerAddress& server);

template <Parse kParse>
Made MakeRaw(const char* name, const ServerAddress& server) {
  return std::make_unique<RawClient>(name, server, kParse);
}

template <typename Client, IoThread kIoThread>
Made MakeOurs(const char* name, const ServerAddress& server) {
  absl::StatusOr<Channel> channel =
      Channel::Create(UrlOf(server), ChannelOptionsFor(server, kIoThread));
  if (!channel.ok()) return channel.status();
  return std::make_unique<Client>(name, *std::move(channel));
}

Made MakeChat(const char* name, const ServerAddress& server) {
  absl::StatusOr<Client> client =
      Client::Create({.endpoint = UrlOf(server),
                      .token = "any",
                      .channel = ChannelOptionsFor(server, IoThread::kWhoeverWaits),
                      .environment = Environment{}});
  if (!client.ok()) return client.status();
  return std::make_unique<ChatClient>(name, *std::move(client));
}

constexpr std::pair<const char*, Factory> kClients[] = {
    {"raw", MakeRaw<Parse::kNothing>},
    {"arena", MakeRaw<Parse::kOnArena>},
    {"stream", MakeOurs<StreamClient, IoThread::kWhoeverWaits>},
    {"stream-2", MakeOurs<StreamClient, IoThread::kChannelOnly>},
    {"observer", MakeOurs<ObserverClient, IoThread::kWhoeverWaits>},
    {"chat", MakeChat},
};

}  // namespace

std::vector<std::string> ClientNames() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : kClients) names.emplace_back(name);
  return names;
}

absl::StatusOr<std::unique_ptr<OwnClient>> MakeClient(const std::string& name,
                                                      const ServerAddress& server) {
  for (const auto& [known, factory] : kClients) {
    if (name == known) return factory(known, server);
  }
  return absl::InvalidArgumentError("no such client: " + name);
}

}  // namespace cursorwire::bench
