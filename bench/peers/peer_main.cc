#include "peers/peer_main.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace cursorwire::bench {

std::optional<ServerAddress> AddressOf(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: PROGRAM PORT CA_FILE\n";
    return std::nullopt;
  }
  std::ostringstream pem;
  pem << std::ifstream(argv[2]).rdbuf();
  return ServerAddress{.port = std::atoi(argv[1]), .ca_pem = pem.str()};
}

void ServeOrders(Peer& peer) {
  std::string name;
  Work work{};
  while (std::cin >> name >> work.messages >> work.shape.message_bytes) {
    const Shape* shape = FindShape(name);
    if (shape == nullptr) {
      std::cout << "unsupported" << std::endl;
      continue;
    }
    work.shape.kind = shape->kind;
    work.shape.name = shape->name;
    const absl::StatusOr<Sample> sample = peer.Measure(work);
    if (sample.ok()) {
      std::cout << sample->cpu << " " << sample->wall << " " << sample->p50 << " " << sample->p99
                << std::endl;
    } else if (absl::IsUnimplemented(sample.status())) {
      std::cout << "unsupported" << std::endl;
    } else {
      std::cout << "error " << sample.status().message() << std::endl;
    }
  }
}

}  // namespace cursorwire::bench
