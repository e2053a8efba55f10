#ifndef CURSORWIRE_APPS_CURSOR_CHAT_STOP_EVENT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_STOP_EVENT_H_

#include <functional>
#include <stop_token>

#include "file_descriptor.h"

namespace cursor_chat {

// A descriptor that can be read from as soon as `stop` is requested: it ends a poll().
class StopEvent {
 public:
  explicit StopEvent(const std::stop_token& stop);

  // Negative: no descriptor was left.
  int fd() const { return event_.get(); }

 private:
  FileDescriptor event_;
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_STOP_EVENT_H_
