#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_EVENT_STREAM_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_EVENT_STREAM_H_

#include <cursorwire/chat.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "http/http_message.h"

namespace cursor_gateway {

// A stream waits so long for its first event, so that an early error still has its own status.
inline constexpr std::chrono::seconds kHeadersWait{10};
inline constexpr std::chrono::seconds kKeepAliveInterval{15};
// Codex and Claude Code count events alone as signs of life: docs/gateway-codex.md, "The stream".
inline constexpr std::chrono::seconds kEventInterval{60};

// The answer to a request as server-sent events, or whole. On the loop's thread.
//
// Order: Write() any number of times and End(); or Answer() once, before any of them. Where it is
// destroyed without that, the connection is closed. Once the client is gone, nothing has an effect.
class EventStream {
 public:
  enum class Kind { kEvents, kWhole };

  EventStream(EventLoop& loop, std::shared_ptr<HttpExchange> exchange, Kind kind);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // Its headers are sent: an error must be told within the stream.
  bool started() const { return started_; }
  bool ended() const { return ended_ || gone_; }
  bool gone() const { return gone_; }

  void Start();
  void Write(const std::string& events);
  void End();
  void Answer(HttpAnswer answer);

  // Makes an event that is sent where none was for kEventInterval. Without it, or where it is
  // empty, there are comments alone.
  void OnSilence(std::function<std::string()> make_event) { make_event_ = std::move(make_event); }

  // What is sent after kKeepAliveInterval without a byte, in place of a comment.
  void SetKeepAlive(std::string bytes) { keep_alive_ = std::move(bytes); }

  // The tokens of the turn, for the log.
  void Note(const cursorwire::Usage& usage);

  size_t unsent_bytes() const { return exchange_->unsent_bytes(); }
  void OnWritable(std::function<void()> on_writable) {
    exchange_->OnWritable(std::move(on_writable));
  }
  // Called when the client leaves before the end.
  void OnGone(std::function<void()> on_gone) { on_gone_ = std::move(on_gone); }

 private:
  // Looks from time to time, rather than at each write.
  void KeepAlive();

  EventLoop& loop_;
  std::shared_ptr<HttpExchange> exchange_;
  bool started_ = false;
  bool ended_ = false;
  bool gone_ = false;
  std::function<void()> on_gone_;
  EventLoop::Timer headers_timer_;
  EventLoop::Timer keep_alive_timer_;
  std::string keep_alive_ = ": keepalive\n\n";  // a comment is no event
  TimePoint written_{};
  TimePoint last_event_{};
  std::function<std::string()> make_event_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_EVENT_STREAM_H_
