#include "core/client_transport.h"

#include <memory>
#include <string>
#include <utility>

#include "cursorwire/connect/tls_options.h"
#include "tls/client_context.h"
#include "tls/engine.h"

namespace cursorwire::core {
namespace {

// Host of "host", "host:port", "[::1]" and "[::1]:port".
std::string HostOf(const std::string& authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

}  // namespace

absl::StatusOr<tls::Transport> MakeClientTransport(const connect::ConnectionOptions& options) {
  if (options.security != connect::Security::kTls) return tls::Transport();
  std::shared_ptr<const connect::TlsContext> context = options.tls_context;
  if (context == nullptr) {
    auto created = connect::TlsContext::Create(options.tls);
    if (!created.ok()) return created.status();
    context = *std::move(created);
  }
  const std::string host =
      options.tls.server_name.empty() ? HostOf(options.authority) : options.tls.server_name;
  auto engine = tls::Engine::Connect(tls::ClientContext::From(*context), host);
  if (!engine.ok()) return engine.status();
  return tls::Transport(*std::move(engine));
}

}  // namespace cursorwire::core
