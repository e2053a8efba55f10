#include "gateway_figures.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/chat_stream.h"
#include "http_client.h"

namespace cursorwire::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kFirstWord[] = R"("content":"word)";
constexpr char kEndOfStream[] = "[DONE]";
constexpr char kEndOfBody[] = "0\r\n\r\n";
constexpr char kEndOfModels[] = "]";

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

absl::StatusOr<std::vector<HttpClient>> ConnectAll(const ServerProcess& gateway, size_t count) {
  std::vector<HttpClient> clients;
  for (size_t i = 0; i < count; ++i) {
    auto client = HttpClient::Connect(gateway.port());
    if (!client.ok()) return client.status();
    clients.push_back(*std::move(client));
  }
  return clients;
}

}  // namespace

absl::StatusOr<TurnTimes> TurnOfLibrary(const Client& client) {
  TurnTimes times;
  const Clock::time_point start = Clock::now();
  ChatStream stream = client.Chat({.prompt = "Go on."});
  for (const auto& event : stream) {
    if (!event.ok()) return event.status();
    if (times.first_ms == 0 && event->As<TextDelta>() != nullptr) times.first_ms = MsSince(start);
  }
  times.total_ms = MsSince(start);
  return times;
}

absl::StatusOr<TurnTimes> TurnOfGateway(const ServerProcess& gateway) {
  auto client = HttpClient::Connect(gateway.port());
  if (!client.ok()) return client.status();
  TurnTimes times;
  const Clock::time_point start = Clock::now();
  absl::Status status = client->Send(StreamRequest());
  if (status.ok()) status = client->ReadUntil(kFirstWord);
  times.first_ms = MsSince(start);
  if (status.ok()) status = client->ReadUntil(kEndOfStream);
  if (status.ok()) status = client->ReadUntil(kEndOfBody);
  times.total_ms = MsSince(start);
  if (!status.ok()) return status;
  return times;
}

absl::StatusOr<HeldStreams> HoldStreams(const ServerProcess& gateway, size_t count) {
  const double before = gateway.ResidentKib();
  const Clock::time_point start = Clock::now();
  auto clients = ConnectAll(gateway, count);
  if (!clients.ok()) return clients.status();
  const std::string request = StreamRequest();
  for (HttpClient& client : *clients) {
    if (absl::Status status = client.Send(request); !status.ok()) return status;
  }
  for (HttpClient& client : *clients) {
    if (absl::Status status = client.ReadUntil(kFirstWord); !status.ok()) return status;
  }
  return HeldStreams{.first_words_ms = MsSince(start),
                     .kib_each = (gateway.ResidentKib() - before) / static_cast<double>(count),
                     .threads = gateway.Threads()};
}

absl::StatusOr<RequestRate> AskForModels(const ServerProcess& gateway, size_t count,
                                         size_t connections) {
  auto clients = ConnectAll(gateway, connections);
  if (!clients.ok()) return clients.status();
  const std::string request = ModelsRequest();
  const double cpu = gateway.CpuSeconds();
  const Clock::time_point start = Clock::now();
  // One is on its way on each connection all the time.
  for (size_t asked = 0, answered = 0; answered < count;) {
    if (asked < count && asked < answered + connections) {
      absl::Status status = (*clients)[asked++ % connections].Send(request);
      if (!status.ok()) return status;
      continue;
    }
    absl::Status status = (*clients)[answered++ % connections].ReadUntil(kEndOfModels);
    if (!status.ok()) return status;
  }
  const double seconds = MsSince(start) / 1e3;
  const auto number = static_cast<double>(count);
  return RequestRate{.per_second = number / seconds,
                     .cpu_us_each = (gateway.CpuSeconds() - cpu) * 1e6 / number};
}

}  // namespace cursorwire::bench
