#ifndef CURSORWIRE_SRC_COLLAB_LIVE_SOCKET_INBOX_H_
#define CURSORWIRE_SRC_COLLAB_LIVE_SOCKET_INBOX_H_

#include <absl/status/status.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace cursorwire::collab {

// What a WebSocket has told, for a thread that takes it later. Thread-safe.
class SocketInbox {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Opened {
    uint64_t connection = 0;
  };
  struct Message {
    std::string bytes{};
  };
  struct Closed {
    absl::Status why{};
    std::chrono::milliseconds retry_in{};
  };
  using Item = std::variant<Opened, Message, Closed>;

  // `on_ready` may be nullptr; it is called by who puts something in, without a lock.
  explicit SocketInbox(std::function<void()> on_ready) : on_ready_(std::move(on_ready)) {}

  // Returns what all messages in it take, in bytes.
  size_t Put(Item item);
  // Takes all messages out. What follows them must be a Closed.
  void DropMessages();
  std::optional<Item> Take();
  // Something is due: calls `on_ready`.
  void TellReady();
  // The same, and ends WaitUntil().
  void Wake();
  // Until there is something, or Wake() was called since the last call: that returns false.
  bool WaitUntil(TimePoint end);

 private:
  const std::function<void()> on_ready_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;  // guarded by mutex_, like all that follows
  size_t bytes_ = 0;
  bool woken_ = false;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_LIVE_SOCKET_INBOX_H_
