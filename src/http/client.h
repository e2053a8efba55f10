#ifndef CURSORWIRE_SRC_HTTP_CLIENT_H_
#define CURSORWIRE_SRC_HTTP_CLIENT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cursorwire/connect/channel_options.h"
#include "cursorwire/connect/time_point.h"
#include "http/message.h"
#include "net/poller.h"

namespace cursorwire::http {

struct ClientOptions {
  std::string url{};
  // Of each connection.
  std::chrono::milliseconds connect_timeout{10000};
  // PEM text of certificates, which alone are trusted. Default: those of libcurl.
  std::string ca_pem{};
  connect::ProxyChoice proxy{.from_environment = true};
};

// Makes requests of one URL, with libcurl: HTTP/1.1 and HTTP/2, the system's certificates.
// Redirects with 307 and 308 are followed on the same origin alone, so that headers never leave it.
// Nothing blocks. Thread-compatible.
//
// Order: in a loop, Watch(), the poll, Handle(), NextEvent() until it returns nullopt.
class Client {
 public:
  //   kInvalidArgument    this is no URL of http or https, or a bad proxy
  //   kResourceExhausted  there is no memory for it
  //   kUnavailable        libcurl cannot be loaded
  static absl::StatusOr<std::unique_ptr<Client>> Create(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Its events follow, up to an End.
  void Start(const Request& request);
  // No events of that exchange follow. Ignored if it has ended.
  void Abort(uint64_t id);

  // While `wants_output` is false, no bodies are read.
  void Watch(net::Poller& poller, bool wants_output);
  void Handle(const net::Poller& poller);
  std::optional<Event> NextEvent();
  std::optional<connect::TimePoint> deadline() const;

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::http

#endif  // CURSORWIRE_SRC_HTTP_CLIENT_H_
