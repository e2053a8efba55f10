#include "bench_server.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/error.h"

namespace cursorwire::bench {

absl::StatusOr<BenchServer> BenchServer::Start(upstream::Service& service,
                                               connect::Security security) {
  const auto server = upstream::SocketServer::Open(security);
  if (!server.ok()) return server.status();
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    return TransportError("pipe: no file descriptor left", Replay::kSafe);
  }
  FileDescriptor read_end(fds[0]);
  FileDescriptor write_end(fds[1]);
  const pid_t process = ::fork();
  if (process < 0) return TransportError("fork: no process left", Replay::kSafe);
  if (process == 0) {
    write_end.Reset();
    server->Run(read_end.get(), service);
    ::_exit(0);
  }
  return BenchServer(process, std::move(write_end), server->port(), server->ca_pem());
}

BenchServer::BenchServer(pid_t process, FileDescriptor lifeline, int port, std::string ca_pem)
    : process_(process), lifeline_(std::move(lifeline)), port_(port), ca_pem_(std::move(ca_pem)) {}

BenchServer::BenchServer(BenchServer&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      lifeline_(std::move(other.lifeline_)),
      port_(other.port_),
      ca_pem_(std::move(other.ca_pem_)) {}

BenchServer::~BenchServer() {
  if (process_ < 0) return;
  lifeline_.Reset();
  ::waitpid(process_, nullptr, 0);
}

}  // namespace cursorwire::bench
