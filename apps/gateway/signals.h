#ifndef CURSORWIRE_APPS_GATEWAY_SIGNALS_H_
#define CURSORWIRE_APPS_GATEWAY_SIGNALS_H_

#include <functional>
#include <memory>

#include "http/event_loop.h"

namespace cursor_gateway {

// Calls a function on the loop's thread for the first SIGTERM or SIGINT. The second one ends the
// process at once, behind `last`, with 128 and the number of the signal as its exit code.
class Signals {
 public:
  Signals(EventLoop& loop, std::function<void()> first, std::function<void()> last);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_SIGNALS_H_
