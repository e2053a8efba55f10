#ifndef CURSORWIRE_SRC_COLLAB_SOCKET_EVENT_LOOP_IMPL_H_
#define CURSORWIRE_SRC_COLLAB_SOCKET_EVENT_LOOP_IMPL_H_

// Boost 1.74 uses std::exchange without its header.
#include <utility>
// What asks for it has this before.
#include <boost/asio/io_context.hpp>

#include "collab/socket/event_loop.h"

namespace cursorwire::collab {

class EventLoop::Io {
 public:
  boost::asio::io_context context{1};
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_SOCKET_EVENT_LOOP_IMPL_H_
