#ifndef CURSORWIRE_BENCH_PEERS_PEER_MAIN_H_
#define CURSORWIRE_BENCH_PEERS_PEER_MAIN_H_

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <utility>

#include "bench_client.h"

namespace cursorwire::bench {

// A client that is no part of the project, within a process of its own.
class Peer : public OwnClient {
 public:
  Peer(std::string name, ServerAddress server)
      : name_(std::move(name)), server_(std::move(server)) {}

  std::string name() const final { return name_; }
  absl::Status Hold(size_t) final { return absl::UnimplementedError("idle calls"); }

 protected:
  const ServerAddress& server() const { return server_; }
  absl::Status OtherNumber() const {
    return absl::InternalError(name_ + ": a call with another number of messages");
  }

 private:
  const std::string name_;
  const ServerAddress server_;
};

// The address that a peer's command line names: PORT CA_FILE. nullopt: it does not, which stderr
// was told.
std::optional<ServerAddress> AddressOf(int argc, char** argv);

// Does what peer_client.h says of a peer.
void ServeOrders(Peer& peer);

// The main() of a peer. Returns the exit code.
template <typename ThePeer>
int PeerMain(int argc, char** argv) {
  std::optional<ServerAddress> server = AddressOf(argc, argv);
  if (!server) return 2;
  ThePeer peer(*std::move(server));
  ServeOrders(peer);
  return 0;
}

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_PEERS_PEER_MAIN_H_
