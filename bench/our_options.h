#ifndef CURSORWIRE_BENCH_OUR_OPTIONS_H_
#define CURSORWIRE_BENCH_OUR_OPTIONS_H_

#include <cstdint>
#include <string>

#include "bench_client.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/channel_options.h"

namespace cursorwire::bench {

inline std::string UrlOf(const ServerAddress& server) {
  return "https://localhost:" + std::to_string(server.port);
}

// How the clients of this library connect.
inline connect::ChannelOptions ChannelOptionsFor(const ServerAddress& server,
                                                 connect::IoThread io_thread) {
  return {.tls = {.ca_pem = server.ca_pem},
          .http2 = {.stream_window_bytes = static_cast<uint32_t>(kStreamWindowBytes)},
          .io_thread = io_thread};
}

inline connect::CallOptions CallOptionsFor(const Work& work) {
  connect::CallOptions options;
  for (const auto& [name, value] : HeadersOf(work)) options.headers.Add(name, value);
  return options;
}

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_OUR_OPTIONS_H_
