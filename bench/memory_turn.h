#ifndef CURSORWIRE_BENCH_MEMORY_TURN_H_
#define CURSORWIRE_BENCH_MEMORY_TURN_H_

#include <absl/status/status.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/connect/connection.h"
#include "cursorwire/id_source.h"
#include "cursorwire/run.h"
#include "shape_service.h"
#include "tls/server_context.h"
#include "upstream/server/server_connection.h"

namespace cursorwire::bench {

// What the server is to a MemoryTurn. `context`: nullptr without TLS; it must outlive the turn.
struct MemoryServer {
  const tls::ServerContext* context = nullptr;
  std::string ca_pem{};
};

// Does what it is given, and measures it.
using ClientWork = std::function<void(const std::function<void()>& work)>;

// One turn of the shape `frame`, in memory: Run over a Connection, joined to ShapeService.
// Everything that is the client's is done within `client_work`, so the server's share can be left
// out. Thread-compatible.
class MemoryTurn {
 public:
  MemoryTurn(const MemoryServer& server, size_t texts, size_t message_bytes,
             ClientWork client_work);

  // Plays the whole turn: the error of the turn, or kInternal if it hangs or has another number of
  // texts.
  absl::Status Play();

 private:
  bool Step();
  void Send();
  void Receive(std::string_view bytes);
  void Apply(const RunOutput& output);

  const size_t wanted_;
  const ClientWork client_work_;
  const connect::TimePoint now_;
  ShapeService service_;
  std::unique_ptr<upstream::ServerConnection> server_;
  std::unique_ptr<connect::Connection> client_;
  std::unique_ptr<Run> run_;
  connect::CallId call_{};
  size_t texts_ = 0;
  absl::Status status_;
};

// Ids for turns that nobody else sees.
class CountedUuids final : public IdSource {
 public:
  std::string Uuid() override;

 private:
  int count_ = 0;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_MEMORY_TURN_H_
