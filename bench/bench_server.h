#ifndef CURSORWIRE_BENCH_BENCH_SERVER_H_
#define CURSORWIRE_BENCH_BENCH_SERVER_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <string>

#include "base/file_descriptor.h"
#include "cursorwire/connect/tls_options.h"
#include "upstream/server/socket_server.h"

namespace cursorwire::bench {

// A server, with TLS 1.3 unless it is to be without. It is a separate process, so that this
// process's CPU time is only that of the clients. It ends when its owner ends, however that
// happens. Thread-compatible.
class BenchServer {
 public:
  // Forks, so call it before any thread is started. The new process uses `service`.
  //   kUnavailable  no socket, descriptor or process is available
  static absl::StatusOr<BenchServer> Start(upstream::Service& service,
                                           connect::Security security = connect::Security::kTls);
  ~BenchServer();
  BenchServer(BenchServer&& other) noexcept;
  BenchServer& operator=(BenchServer&&) = delete;

  // The port on 127.0.0.1; the certificate is for "localhost".
  int port() const { return port_; }
  const std::string& ca_pem() const { return ca_pem_; }

 private:
  BenchServer(pid_t process, FileDescriptor lifeline, int port, std::string ca_pem);

  pid_t process_;
  FileDescriptor lifeline_;  // the process ends when this is closed
  int port_;
  std::string ca_pem_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_BENCH_SERVER_H_
