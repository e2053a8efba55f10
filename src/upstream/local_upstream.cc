#include "cursorwire/local_upstream.h"

#include <thread>
#include <utility>

#include "net/thread.h"
#include "net/waker.h"
#include "upstream/account/account_state.h"
#include "upstream/agent_service.h"
#include "upstream/script/script_json.h"
#include "upstream/script/script_queue.h"
#include "upstream/server/socket_server.h"
#include "upstream/server/violations.h"

namespace cursorwire {

class LocalUpstream::Impl {
 public:
  Impl(upstream::SocketServer server, std::shared_ptr<net::Waker> waker,
       std::vector<upstream::CompiledScript> scripts, LocalUpstreamOptions options)
      : server_(std::move(server)),
        waker_(std::move(waker)),
        max_concurrent_streams_(options.max_concurrent_streams),
        runs_(std::move(scripts)),
        account_(std::move(options.account)),
        service_(options.word_interval, violations_, &runs_, &account_) {}

  ~Impl() {
    waker_->Wake();
    if (thread_.joinable()) thread_.join();
  }

  bool StartServing() {
    return net::StartThread(
        thread_, [this] { server_.Run(waker_->fd(), service_, max_concurrent_streams_); });
  }

  const upstream::SocketServer& server() const { return server_; }
  std::vector<std::string> violations() const { return violations_.list(); }
  const upstream::ScriptQueue& runs() const { return runs_; }
  const upstream::AccountState& account() const { return account_; }

 private:
  const upstream::SocketServer server_;
  const std::shared_ptr<net::Waker> waker_;  // shared only because Waker::Create() returns it so
  const uint32_t max_concurrent_streams_;
  upstream::Violations violations_;
  upstream::ScriptQueue runs_;
  upstream::AccountState account_;
  upstream::AgentService service_;
  std::thread thread_;  // uses all members above
};

absl::StatusOr<LocalUpstream> LocalUpstream::Start(LocalUpstreamOptions options) {
  absl::StatusOr<std::vector<upstream::CompiledScript>> scripts =
      upstream::CompileScripts(options.scripts);
  if (!scripts.ok()) return scripts.status();
  auto server = upstream::SocketServer::Open(options.security, options.port);
  if (!server.ok()) return server.status();
  auto waker = net::Waker::Create();
  if (!waker.ok()) return waker.status();
  auto impl = std::make_unique<Impl>(*std::move(server), *std::move(waker), *std::move(scripts),
                                     std::move(options));
  if (!impl->StartServing()) return net::NoThreadError();
  return LocalUpstream(std::move(impl));
}

absl::StatusOr<LocalUpstream> LocalUpstream::Start(const Script& script,
                                                   LocalUpstreamOptions options) {
  options.scripts = {script};
  return Start(std::move(options));
}

LocalUpstream::LocalUpstream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalUpstream::~LocalUpstream() = default;
LocalUpstream::LocalUpstream(LocalUpstream&&) noexcept = default;
LocalUpstream& LocalUpstream::operator=(LocalUpstream&&) noexcept = default;

std::string LocalUpstream::url() const { return impl_->server().url(); }
std::string LocalUpstream::ca_pem() const { return impl_->server().ca_pem(); }
std::vector<std::string> LocalUpstream::violations() const { return impl_->violations(); }
AccountCounts LocalUpstream::account_counts() const { return impl_->account().counts(); }
size_t LocalUpstream::runs_ended() const { return impl_->runs().ended(); }
bool LocalUpstream::WaitForRuns(size_t runs, std::chrono::milliseconds timeout) const {
  return impl_->runs().WaitForEnded(runs, timeout);
}

}  // namespace cursorwire
