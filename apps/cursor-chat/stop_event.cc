#include "stop_event.h"

#include <sys/eventfd.h>

namespace cursor_chat {

StopEvent::StopEvent(const std::stop_token& stop)
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      callback_(stop, [this] { ::eventfd_write(event_.get(), 1); }) {}

}  // namespace cursor_chat
