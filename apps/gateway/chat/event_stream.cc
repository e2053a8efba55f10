#include "chat/event_stream.h"

#include <utility>

#include "api/concat.h"
#include "chat/turn_host.h"

namespace cursor_gateway {

EventStream::EventStream(EventLoop& loop, std::shared_ptr<HttpExchange> exchange, Kind kind)
    : loop_(loop), exchange_(std::move(exchange)) {
  exchange_->OnGone([this] {
    gone_ = true;
    headers_timer_.reset();
    keep_alive_timer_.reset();
    if (const auto on_gone = std::exchange(on_gone_, nullptr)) on_gone();
  });
  if (kind == Kind::kEvents) headers_timer_ = loop_.After(kHeadersWait, [this] { Start(); });
}

EventStream::~EventStream() {
  exchange_->OnGone(nullptr);
  exchange_->OnWritable(nullptr);
  if (!ended()) exchange_->Abort();
}

void EventStream::Start() {
  headers_timer_.reset();
  if (ended() || std::exchange(started_, true)) return;
  exchange_->StartStream(200, {{"Content-Type", "text/event-stream; charset=utf-8"},
                               {"Cache-Control", "no-cache, no-transform"},
                               {"X-Accel-Buffering", "no"}});
  written_ = last_event_ = loop_.Now();
  KeepAlive();
}

void EventStream::Write(const std::string& events) {
  if (ended() || events.empty()) return;
  Start();
  exchange_->Write(events);
  written_ = last_event_ = loop_.Now();
}

void EventStream::End() {
  if (ended()) return;
  Start();
  ended_ = true;
  keep_alive_timer_.reset();
  exchange_->EndStream();
}

void EventStream::Answer(HttpAnswer answer) {
  if (ended()) return;
  ended_ = true;
  headers_timer_.reset();
  exchange_->Answer(std::move(answer));
}

void EventStream::Note(const cursorwire::Usage& usage) {
  if (!usage.input_tokens && !usage.output_tokens) return;
  exchange_->AddNote(Concat("tokens ", usage.input_tokens.value_or(0), " in, ",
                            usage.output_tokens.value_or(0), " out"));
}

// Proxies and clients take a long silence for a dead connection.
void EventStream::KeepAlive() {
  // What waits to be sent is no silence; more would be kept for a client that does not read.
  if (unsent_bytes() > kMaxUnsentBytes) written_ = last_event_ = loop_.Now();
  const bool is_silent = make_event_ && loop_.Now() - last_event_ >= kEventInterval;
  if (const std::string event = is_silent ? make_event_() : ""; !event.empty()) {
    Write(event);
  } else if (!ended() && loop_.Now() - written_ >= kKeepAliveInterval) {
    exchange_->Write(keep_alive_);
    written_ = loop_.Now();
  }
  if (ended()) return;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(written_ + kKeepAliveInterval - loop_.Now());
  keep_alive_timer_ = loop_.After(left, [this] { KeepAlive(); });
}

}  // namespace cursor_gateway
