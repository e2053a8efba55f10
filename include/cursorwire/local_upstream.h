// Room: src/upstream/account
#ifndef CURSORWIRE_LOCAL_UPSTREAM_H_
#define CURSORWIRE_LOCAL_UPSTREAM_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/tls_options.h"
#include "cursorwire/export.h"
#include "cursorwire/script.h"

namespace cursorwire {

// The account that a LocalUpstream plays, so that logins, renewals and refused tokens can be tested
// without the service. Its tokens are JSON Web Tokens without a signature, made up at each login
// and renewal. A value.
struct LocalAccount {
  // Claim `sub` of its tokens.
  std::string user = "local|user_1";
  std::chrono::seconds token_life{3600};
  // The HTTP statuses that each of these requests is answered with: the n-th by the n-th, and after
  // the last that again. 200: what the request is for.
  std::vector<int> poll{404, 200};  // GET /auth/poll: has the user logged in
  std::vector<int> exchange{200};   // POST /auth/exchange_user_api_key: a new token
  std::vector<int> usage{200};      // DashboardService/GetCurrentPeriodUsage
  // A renewal gives a new refresh token, too, and the old one is refused from then on.
  bool rotates = false;
  // Everything else wants a token of this account that has not ended; others are refused with 401.
  bool checks_tokens = false;
};

// Reads such an account from JSON: an object with the members above, by their names; `token_life`
// is in seconds.
//   kInvalidArgument  it is none; the message names the member
CURSORWIRE_EXPORT absl::StatusOr<LocalAccount> ParseLocalAccount(std::string_view text);

// How often each of them was asked. A value.
struct AccountCounts {
  size_t polls = 0;
  size_t exchanges = 0;
  size_t usages = 0;
};

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
