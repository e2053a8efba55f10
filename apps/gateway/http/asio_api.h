#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_ASIO_API_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_ASIO_API_H_

// Boost 1.74 uses std::exchange without its header.
#include <array>
#include <utility>
// What asks for it has this before.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "http/event_loop.h"

namespace cursor_gateway {

class EventLoop::Io {
 public:
  boost::asio::io_context context{1};
  boost::asio::steady_timer wake{context};
  std::array<char, 65536> read_buffer{};  // of the connection that reads just now
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_ASIO_API_H_
