#ifndef CURSORWIRE_APPS_GATEWAY_SIGNALS_H_
#define CURSORWIRE_APPS_GATEWAY_SIGNALS_H_

#include <functional>
#include <memory>

#include "http/event_loop.h"

namespace cursor_gateway {

// Keeps SIGTERM and SIGINT from ending the process, for Handle(). Create it before anything that
// must not be left behind.
class Signals {
 public:
  explicit Signals(EventLoop& loop);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Calls `first` on the loop's thread for the first signal, be it one that came before. The second
  // one ends the process at once, after `last`, with 128 and the number of the signal as its exit
  // code. Call once.
  void Handle(std::function<void()> first, std::function<void()> last);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_SIGNALS_H_
