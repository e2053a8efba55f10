#ifndef CURSORWIRE_APPS_CURSOR_CHAT_STOP_EVENT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_STOP_EVENT_H_

#include <functional>
#include <stop_token>

#include "base/file_descriptor.h"

namespace cursor_chat {

// A descriptor that becomes readable once `stop` is requested, which ends a poll().
class StopEvent {
 public:
  explicit StopEvent(const std::stop_token& stop);

  // Negative: no descriptor was available.
  int fd() const { return event_.get(); }

 private:
  cursorwire::FileDescriptor event_;
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_STOP_EVENT_H_
