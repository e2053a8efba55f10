#ifndef CURSORWIRE_SRC_MCP_HTTP_CLIENT_H_
#define CURSORWIRE_SRC_MCP_HTTP_CLIENT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cursorwire/connect/time_point.h"
#include "mcp/http_message.h"
#include "net/poller.h"

namespace cursorwire::mcp {

// Makes requests of one URL, with libcurl: HTTP/1.1 and HTTP/2, the system's certificates and
// proxies. Redirects with 307 and 308 are followed on the same origin alone, so that headers never
// leave it. Nothing blocks. Thread-compatible.
//
// Order: in a loop, Watch(), the poll, Handle(), NextEvent() until it returns nullopt.
class HttpClient {
 public:
  // `connect_timeout` is that of each connection.
  //   kInvalidArgument    this is no URL of http or https
  //   kResourceExhausted  there is no memory for it
  //   kUnavailable        libcurl cannot be loaded
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(
      const std::string& url, std::chrono::milliseconds connect_timeout);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Its events follow, up to an HttpEnd.
  void Start(const HttpRequest& request);
  // No events of that exchange follow. Ignored if it has ended.
  void Abort(uint64_t id);

  // While `wants_output` is false, no bodies are read.
  void Watch(net::Poller& poller, bool wants_output);
  void Handle(const net::Poller& poller);
  std::optional<HttpEvent> NextEvent();
  std::optional<connect::TimePoint> deadline() const;

 private:
  class Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_HTTP_CLIENT_H_
