#ifndef CURSORWIRE_LOCAL_UPSTREAM_H_
#define CURSORWIRE_LOCAL_UPSTREAM_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/connect/tls_options.h"

namespace cursorwire {

// A value.
struct LocalUpstreamOptions {
  connect::Security security = connect::Security::kTls;
  // Between two words of an answer, so that it can be seen to stream. 0: as fast as they go.
  std::chrono::milliseconds word_interval{0};
};

// A stand-in for the agent service, in this process and on this machine alone: a real HTTP/2 server
// with TLS, for demonstrations and for tests of programs that use this library.
//
// It is strict: a request that breaks the protocol as docs/protocol.md states it is refused and
// noted in violations(). Its answer is no model's; it is made from the request: it fetches the
// blobs that the request names, asks for the request context, quotes what the user said, and
// explains itself. It also tells a small list of models, as made up as the answer.
//
//   absl::StatusOr<LocalUpstream> upstream = LocalUpstream::Start();
//   auto client = Client::Create(
//       {.endpoint = upstream->url(), .ca_pem = upstream->ca_pem(), .token = "any"});
//
// It listens on 127.0.0.1, on a port that the system chooses, and serves in a thread of its own
// until it is destroyed. Thread-safe.
class LocalUpstream {
 public:
  //   kUnavailable  no socket, file descriptor or thread can be had
  static absl::StatusOr<LocalUpstream> Start(LocalUpstreamOptions options = {});
  ~LocalUpstream();
  LocalUpstream(LocalUpstream&&) noexcept;
  LocalUpstream& operator=(LocalUpstream&&) noexcept;

  // For ClientOptions::endpoint: "https://localhost:PORT", or "http://" without TLS.
  std::string url() const;
  // For ClientOptions::ca_pem: the certificate of an authority that was made at the start and is
  // known to no one else. Empty without TLS.
  std::string ca_pem() const;
  // What clients did that the protocol does not allow, in words, in order.
  std::vector<std::string> violations() const;

 private:
  class Impl;
  explicit LocalUpstream(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOCAL_UPSTREAM_H_
