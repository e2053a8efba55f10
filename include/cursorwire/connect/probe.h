// Room: src/channel
#ifndef CURSORWIRE_CONNECT_PROBE_H_
#define CURSORWIRE_CONNECT_PROBE_H_

#include <absl/status/status.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/channel_options.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// One step on the way to a host. A value.
struct ProbeStep {
  absl::Status status{};
  std::string detail{};  // what was found, in words; nothing secret
  std::chrono::microseconds time{};
};

// How far a host can be reached. What was not tried, since a step before failed, or there is no
// proxy or no TLS, is nullopt. A value.
struct ProbeReport {
  std::optional<ProbeStep> name_resolution{};  // the addresses, of the proxy if there is one
  std::optional<ProbeStep> tcp{};              // the address that took the connection
  std::optional<ProbeStep> proxy{};            // it has made a tunnel to the host
  std::optional<ProbeStep> tls{};              // version, ALPN, the certificate and who signed it
  std::optional<ProbeStep> http2{};            // its first frame has come
};

// Tries each step to the host of a URL by itself, and says how it went: for diagnosis, where a
// Channel would say only that it cannot connect. Makes two connections, sends no request, and
// blocks up to `timeout` for each step. Of `options`, which are those of the Channel, trust, proxy
// and plaintext count. A bad URL, or one that the options do not allow, is the failure of the first
// step.
CURSORWIRE_EXPORT ProbeReport Probe(std::string_view url, const ChannelOptions& options = {},
                                    std::chrono::milliseconds timeout = std::chrono::seconds(10));

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_PROBE_H_
