#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_LINK_POOL_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_LINK_POOL_H_

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/url.h"
#include "channel/loop/call_state.h"
#include "channel/loop/link.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/export.h"
#include "net/resolver.h"
#include "net/waker.h"

namespace cursorwire::connect::internal {

// A link with the calls on it, and the pin if there is one.
struct CURSORWIRE_HIDDEN LinkEntry {
  std::unique_ptr<Link> link;
  bool used = false;                               // a call was started on it
  uint64_t pin_serial = 0;                         // 0: shared by the calls of the channel
  std::shared_ptr<ConnectionObserver> observer{};  // of a pinned link
  bool pinned = false;
  bool was_up = false;
  absl::flat_hash_map<CallId, std::shared_ptr<Call::State>> calls{};

  // Calls may come, or go on.
  bool wanted() const;
};

// The links of a channel: one for all new calls, former ones that calls are still on, and pinned
// ones. Driver thread only.
class CURSORWIRE_HIDDEN LinkPool {
 public:
  LinkPool(Url url, ChannelOptions options, std::shared_ptr<net::Waker> waker,
           net::Resolver resolver)
      : route_{.url = std::move(url)},
        options_(std::move(options)),
        waker_(std::move(waker)),
        resolver_(std::move(resolver)) {}

  // Once, before any link. Chooses the proxy, and loads the certificates that the options hold:
  // what is wrong with them shows at once. The system's are loaded with the first connection.
  absl::Status Prepare();

  // The entry of a link that takes new calls; opens one if there is none, or if all have as many
  // calls as their server takes and there may be more (Http2Options::max_connections). Calls that
  // come while it connects share it.
  LinkEntry& ForNewCall();
  LinkEntry& OpenPinned(uint64_t pin_serial, std::shared_ptr<ConnectionObserver> observer);
  // nullptr: it is gone.
  LinkEntry* FindPinned(uint64_t pin_serial);
  // Where the call is; nullptr if it has ended.
  LinkEntry* EntryOf(const Call::State& call);

  void RemoveDead();
  void Clear() { entries_.clear(); }
  // When a link has something to do next.
  std::optional<TimePoint> NextDeadline();

  const Url& url() const { return route_.url; }
  const ChannelOptions& options() const { return options_; }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  absl::Status LoadCertificates();
  LinkEntry& Open(std::chrono::milliseconds unused_timeout);

  LinkRoute route_;  // before Prepare() its URL alone
  const ChannelOptions options_;
  const std::shared_ptr<net::Waker> waker_;  // shared with lookups that outlive their link
  const net::Resolver resolver_;
  std::shared_ptr<const TlsContext> tls_context_;
  std::vector<std::unique_ptr<LinkEntry>> entries_;
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_LINK_POOL_H_
