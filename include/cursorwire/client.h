// Room: src/client
#ifndef CURSORWIRE_CLIENT_H_
#define CURSORWIRE_CLIENT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cursorwire/account_usage.h"
#include "cursorwire/chat.h"
#include "cursorwire/chat_observer.h"
#include "cursorwire/chat_stream.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/credentials.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/export.h"
#include "cursorwire/id_source.h"
#include "cursorwire/model.h"
#include "cursorwire/query_handler.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

class AsyncChat;
class Conversation;
class Trace;
struct ConversationOptions;

// How a Client reaches the service. A value; the defaults suit a user with an account.
struct ClientOptions {
  // "https://host[:port]". The host must be, or be below, cursor.sh or cursor.com, or be this
  // machine: the token goes nowhere else. "http://" is for this machine only. Empty: environment
  // variable CURSORWIRE_AGENT_URL, else CURSOR_AGENT_URL, else what the official CLI keeps in its
  // cli-config.json, else the service. The same check holds for all of them.
  std::string endpoint{};
  // The same for what another host serves, the models. Empty: environment variable
  // CURSORWIRE_API_URL, else `endpoint` if that is this machine, else the service.
  std::string api_endpoint{};
  // Access token of the user's own account, which is not renewed. Empty: that of `token_source`.
  std::string token{};
  // Where the token comes from, and is renewed. nullptr, and no `token`: the user's login in
  // `token_places`, as Credentials finds it.
  std::shared_ptr<TokenSource> token_source{};
  // Where a login is looked for, in this order. Empty: nowhere.
  std::vector<CredentialPlace> token_places = CredentialsOptions{}.places;
  // How the hosts are reached: trust, timeouts, windows, interceptors. `plaintext_hosts` can forbid
  // "http://", but allows no host that is not this machine.
  connect::ChannelOptions channel{};
  // What the client says it is: see client_version.h. Empty: environment variable
  // CURSORWIRE_CLIENT_VERSION, else the newest official CLI that is installed, else that of
  // RunOptions. Source: docs/protocol.md, request headers.
  std::string client_version{};
  // Privacy mode, header `x-ghost-mode`.
  bool ghost_mode = true;
  // Between signs of life of the client in a turn. 0: none are sent, and the service may give up.
  std::chrono::milliseconds heartbeat_interval = RunOptions{}.heartbeat_interval;
  // Added to each request, after its own. One that HTTP does not allow ends each call with
  // kInvalidArgument; more than 64 KiB of headers in all, with kResourceExhausted.
  connect::Headers extra_headers{};
  // Where ids come from; empty: random ones.
  std::shared_ptr<IdSource> ids{};
  // What the agent is told of this machine. nullopt: DetectEnvironment(), and what `exec_handler`
  // adds by ExecHandler::Describe().
  std::optional<Environment> environment{};
  // Does what the agent asks for on this machine; several clients may share it. nullptr: all of
  // that is refused.
  std::shared_ptr<ExecHandler> exec_handler{};
  // Answers what the agent asks the user; several clients may share it. nullptr: all is rejected.
  std::shared_ptr<QueryHandler> query_handler{};
  // When a silent turn is given up.
  WatchdogOptions watchdog{};
  // How a turn goes on after a lost connection.
  RetryPolicy retry{};
  // Records all calls to both hosts: see trace.h. It becomes the last of the interceptors; several
  // clients may share it. nullptr: nothing is recorded.
  std::shared_ptr<Trace> trace{};
};

// The system, the user's shell and time zone, as this process sees them; no workspace. What cannot
// be found out is empty. Thread-safe, as long as nobody changes environment variables.
CURSORWIRE_EXPORT Environment DetectEnvironment();

// A connection to the agent service for one user. It connects with the first request, shares the
// connection among all, and makes a new one when it was lost.
// What it reads of the environment and of files, Create() reads. One that was moved from may only
// be destroyed or assigned to. Thread-safe. Destroying it ends all streams with kCancelled. It
// waits for the actions, questions and tool calls that handlers are doing at that moment, which are
// told to stop: no handler may destroy its Client. It waits for the network only if a turn
// was given up a moment before: up to 500 ms, so that the service hears of it; or if a login is
// being renewed: up to two seconds, for the answer that may be needed to log in again. It may be
// destroyed within a callback of one of its turns: that waits for nothing, and the turns end on the
// same thread afterwards. The handlers of all turns share eight threads: handlers that each wait
// for another turn can block each other forever.
class CURSORWIRE_EXPORT Client {
 public:
  // Blocks where ClientOptions::token_source does, and where a login must be renewed: see
  // Credentials::GetToken(), which is told of `stop`.
  //   kCancelled        `stop` was requested meanwhile
  //   kUnauthenticated  no token; the message says where to get one
  //   kInvalidArgument  a bad endpoint or one that is not allowed, bad certificates, a bad token or
  //                     client version, a negative time
  //   kUnavailable      no file descriptor or thread is left
  //   and what the token source says
  static absl::StatusOr<Client> Create(ClientOptions options = {},
                                       const std::stop_token& stop = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // Several turns that know of each other.
  Conversation NewConversation() const;
  Conversation NewConversation(const ConversationOptions& options) const;

  // Asks, in a conversation of its own. Returns at once; every error comes through the stream.
  ChatStream Chat(const ChatRequest& request) const;
  // The same with callbacks: for programs that must not wait. nullptr: what comes is thrown away.
  ChatCall Chat(const ChatRequest& request, std::shared_ptr<ChatObserver> observer) const;
  // The same for coroutines; include async_chat.h. `executor` says where they go on: see
  // connect/coroutine.h.
  AsyncChat ChatAsync(const ChatRequest& request, connect::Executor executor = {}) const;

  // What the service sent in all turns that this library does not know: see DriftLog
  // (run_options.h).
  std::map<std::string, uint64_t> DriftCounts() const;

  // Asks both hosts for the models that this account may use. Blocks for up to 15 seconds: do not
  // call it from a handler or an observer. One call may fail: what the other tells is returned,
  // with the failure in it.
  //   the error that says more, if both failed; the codes are those of ChatStream
  //   kCancelled    `stop` was requested before both had answered
  //   kUnavailable  also: no file descriptor or thread is left for the second host
  absl::StatusOr<ModelList> ListModels(const std::stop_token& stop = {}) const;

  // Asks what the account has used of its plan. Blocks for up to 10 seconds, and for a refused
  // token that is renewed: do not call it from a handler or an observer.
  //   kInternal   the answer is not what it should be; otherwise the codes are those of ChatStream
  //   kCancelled  `stop` was requested
  absl::StatusOr<AccountUsage> GetUsage(const std::stop_token& stop = {}) const;

 private:
  friend class Conversation;
  friend class SessionFile;
  class CURSORWIRE_HIDDEN Impl;
  explicit Client(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;  // conversations use it as long as the client is there
};

}  // namespace cursorwire

#include "cursorwire/conversation.h"  // what NewConversation() returns

#endif  // CURSORWIRE_CLIENT_H_
