// Room: src/upstream
#ifndef CURSORWIRE_LOCAL_UPSTREAM_H_
#define CURSORWIRE_LOCAL_UPSTREAM_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/connect/tls_options.h"
#include "cursorwire/export.h"
#include "cursorwire/local_account.h"
#include "cursorwire/script.h"
#include "cursorwire/script_file.h"

namespace cursorwire {

// A value.
struct LocalUpstreamOptions {
  connect::Security security = connect::Security::kTls;
  // Between two words of an answer, so that it can be seen to stream. 0: as fast as they go.
  std::chrono::milliseconds word_interval{0};
  // 0: one that the system chooses.
  uint16_t port = 0;
  // How many streams a client may open on a connection at a time.
  uint32_t max_concurrent_streams = 1000;
  // What runs play in place of the assistant. The n-th run plays the n-th script, and after the
  // last that again; a script with WhenPrompt() is not among those, and is played by each run whose
  // prompt matches. None: the assistant answers.
  std::vector<Script> scripts{};
  // Who logs in here, renews tokens and asks for the usage.
  LocalAccount account{};
};

// A stand-in for the agent service, in this process and on this machine alone: a real HTTP/2 server
// with TLS, for demonstrations and for tests of programs that use this library.
//
// Without a script, an assistant answers. It is not a model: its answer is made from the request.
// It fetches the blobs that the request names and asks for the request context; for a question
// about the user's folder it looks there, by actions that the client serves or refuses; else it
// quotes what the user said, now and in the turns before. It also tells a small list of models, as
// made up as the answer. With scripts, runs go as those say; see script.h.
//
// It is strict: a request that breaks the protocol as docs/protocol.md states it is refused and
// noted in violations(), and so is what a script did not expect.
//
//   absl::StatusOr<LocalUpstream> upstream = LocalUpstream::Start();
//   auto client = Client::Create({.endpoint = upstream->url(),
//                                 .token = "any",
//                                 .channel = {.tls = {.ca_pem = upstream->ca_pem()}}});
//
// It listens on 127.0.0.1 and serves in a thread of its own until it is destroyed, which closes all
// connections. One that was moved from may only be destroyed or assigned to. Thread-safe.
class CURSORWIRE_EXPORT LocalUpstream {
 public:
  //   kInvalidArgument  a bad script; the message names the script, the step and the field
  //   kUnavailable      the port is in use; no socket, file descriptor or thread can be had
  static absl::StatusOr<LocalUpstream> Start(LocalUpstreamOptions options = {});
  // Each run plays this script.
  static absl::StatusOr<LocalUpstream> Start(const Script& script,
                                             LocalUpstreamOptions options = {});
  ~LocalUpstream();
  LocalUpstream(LocalUpstream&&) noexcept;
  LocalUpstream& operator=(LocalUpstream&&) noexcept;

  // For ClientOptions::endpoint: "https://localhost:PORT", or "http://" without TLS.
  std::string url() const;
  // For `channel.tls.ca_pem` of ClientOptions: the certificate of an authority that was made at the
  // start and is known to no one else. Empty without TLS.
  std::string ca_pem() const;
  // What clients did that the protocol, or a script, does not allow, in words, in order.
  std::vector<std::string> violations() const;
  // How often a login, a renewal and the usage were asked for.
  AccountCounts account_counts() const;
  // Runs whose stream is gone: ended by both sides, reset, or lost with the connection. What they
  // did wrong is in violations() by then. A request that was refused by its headers does not count
  // as a run.
  size_t runs_ended() const;
  // Waits until so many runs have ended since the start; false if they have not within the time.
  bool WaitForRuns(size_t runs, std::chrono::milliseconds timeout) const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit LocalUpstream(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOCAL_UPSTREAM_H_
