#include "channel/loop/link_pool.h"

#include "net/poller.h"

namespace cursorwire::connect::internal {

bool LinkEntry::wanted() const {
  const Connection& connection = link->connection();
  const bool takes_calls = pin_serial == 0 && connection.accepts_calls();
  return pinned || !calls.empty() || takes_calls || connection.has_last_messages();
}

absl::Status LinkPool::Prepare() {
  absl::StatusOr<LinkRoute> route = ChooseRoute(route_.url, options_);
  if (!route.ok()) return route.status();
  route_ = *std::move(route);
  return LoadCertificates();
}

absl::Status LinkPool::LoadCertificates() {
  const TlsOptions& tls = options_.tls;
  const bool given = !tls.ca_pem.empty() || !tls.extra_ca_pem.empty() ||
                     !tls.client_certificate_pem.empty() || !tls.client_key_pem.empty();
  if (!route_.url.https || !given) return absl::OkStatus();
  auto context = TlsContext::Create(options_.tls);
  if (!context.ok()) return context.status();
  tls_context_ = *std::move(context);
  return absl::OkStatus();
}

LinkEntry& LinkPool::ForNewCall() {
  LinkEntry* full = nullptr;  // with the fewest calls
  int shared = 0;
  for (const auto& entry : entries_) {
    const Connection& connection = entry->link->connection();
    if (entry->pin_serial != 0 || entry->link->dead() || !connection.accepts_calls()) continue;
    if (connection.has_free_stream()) return *entry;
    ++shared;
    if (full == nullptr || entry->calls.size() < full->calls.size()) full = entry.get();
  }
  if (full != nullptr && shared >= options_.http2.max_connections) return *full;
  return Open(options_.http2.unused_timeout);
}

LinkEntry& LinkPool::OpenPinned(uint64_t pin_serial, std::shared_ptr<ConnectionObserver> observer) {
  LinkEntry& entry = Open(std::chrono::milliseconds(0));  // it stays as long as its pin
  entry.pin_serial = pin_serial;
  entry.observer = std::move(observer);
  entry.pinned = true;
  return entry;
}

LinkEntry* LinkPool::FindPinned(uint64_t pin_serial) {
  for (const auto& entry : entries_) {
    if (entry->pin_serial == pin_serial) return entry.get();
  }
  return nullptr;
}

LinkEntry* LinkPool::EntryOf(const Call::State& call) {
  if (call.ended) return nullptr;
  for (const auto& entry : entries_) {
    if (entry->link.get() == call.link) return entry.get();
  }
  return nullptr;
}

void LinkPool::RemoveDead() {
  std::erase_if(entries_,
                [](const auto& entry) { return entry->link->dead() && entry->calls.empty(); });
}

std::optional<TimePoint> LinkPool::NextDeadline() {
  std::optional<TimePoint> next;
  for (const auto& entry : entries_) {
    const std::optional<TimePoint> due = entry->link->NextDeadline();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

LinkEntry& LinkPool::Open(std::chrono::milliseconds unused_timeout) {
  ConnectionOptions options{.authority = route_.url.authority(),
                            .security = route_.url.https ? Security::kTls : Security::kPlaintext,
                            .tls = options_.tls,
                            .tls_context = tls_context_,
                            .credit_return = CreditReturn::kManual,
                            .http2 = options_.http2};
  options.http2.unused_timeout = unused_timeout;
  if (route_.url.https && tls_context_ == nullptr) {
    // A failure is the connection's to report: it tries the same again.
    if (auto context = TlsContext::Create(options_.tls); context.ok()) tls_context_ = *context;
    options.tls_context = tls_context_;
  }
  auto entry = std::make_unique<LinkEntry>();
  entry->link = std::make_unique<Link>(route_, std::move(options),
                                       StartLookups(route_, waker_, resolver_), net::Now());
  entries_.push_back(std::move(entry));
  return *entries_.back();
}

}  // namespace cursorwire::connect::internal
