#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_CONNECTION_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_CONNECTION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/asio_api.h"
// Behind it.
#include "http/body_budget.h"
#include "http/http2_session.h"
#include "http/server_connection.h"

namespace cursor_gateway {

// The socket and the timer of an Http2Session. On the loop's thread.
class Http2Connection final : public ServerConnection,
                              public std::enable_shared_from_this<Http2Connection> {
 public:
  Http2Connection(EventLoop& loop, HttpHandler& handler, BodyBudget bodies,
                  boost::asio::ip::tcp::socket socket, Closed closed);

  // `received`: what the client has sent already.
  void Start(std::string_view received);
  void Drain() override;
  void Close() override;

 private:
  void Read();
  void OnRead(std::string_view bytes);
  // What there is to do after each call of the session.
  void Work();
  void PostWork();
  void Flush();
  void OnFlushed();
  void ArmTimer();

  EventLoop& loop_;
  boost::asio::ip::tcp::socket socket_;
  Closed closed_;
  Http2Session session_;
  std::string writing_;  // being sent
  EventLoop::Timer timer_;
  std::optional<TimePoint> timer_time_;
  bool work_posted_ = false;
  bool ending_ = false;        // the time for the end of the connection runs
  bool close_behind_ = false;  // without waiting for the client to read
  bool is_closed_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP2_CONNECTION_H_
