#ifndef CURSORWIRE_SRC_MCP_HTTP_TRANSPORT_H_
#define CURSORWIRE_SRC_MCP_HTTP_TRANSPORT_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cursorwire/mcp/server_config.h"
#include "http/client.h"
#include "mcp/http_dialog.h"
#include "mcp/transport.h"

namespace cursorwire::mcp {

// A server that is a URL.
class HttpTransport final : public Transport {
 public:
  // Connects when something is written.
  //   kInvalidArgument    the URL is none, or a header cannot be sent
  //   kResourceExhausted  there is no memory for it
  static absl::StatusOr<std::unique_ptr<Transport>> Start(const ServerConfig& config);

  void Watch(net::Poller& poller, bool wants_output) override;
  void Handle(const net::Poller& poller) override;
  std::string ReadOutput() override;
  void Write(std::string_view bytes) override;
  bool wants_input() const override { return dialog_.wants_input(); }
  // The server is told that the session is over, and has a while to take note of it.
  void Close(connect::TimePoint now) override;
  bool Advance(connect::TimePoint now) override;
  std::optional<connect::TimePoint> deadline() const override;
  bool at_end(connect::TimePoint now) const override;
  std::string ExitText() const override { return std::string(dialog_.failure().message()); }

 private:
  HttpTransport(std::unique_ptr<http::Client> client, http::Headers headers)
      : client_(std::move(client)), dialog_(std::move(headers)) {}

  // Carries between the client and the dialog until both have nothing to say.
  void Pump(connect::TimePoint now);

  const std::unique_ptr<http::Client> client_;
  HttpDialog dialog_;
  std::string output_;  // of the dialog
  bool closed_ = false;
  uint64_t farewell_ = 0;  // the exchange; 0: none
  connect::TimePoint end_at_{};
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_HTTP_TRANSPORT_H_
