#ifndef CURSORWIRE_SRC_CLIENT_WAITING_CHAT_STREAM_EVENTS_H_
#define CURSORWIRE_SRC_CLIENT_WAITING_CHAT_STREAM_EVENTS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "channel/waiting/batch_queue.h"
#include "client/turn/chat_sink.h"
#include "cursorwire/chat_stream.h"

namespace cursorwire {

// Passes the events of a turn to a thread that waits for them.
class ChatStream::Events final : public ChatSink {
 public:
  // The user's side.
  std::optional<Element> Next(const connect::Call& call) { return events_.Pop(call); }

  // The channel's side.
  void Open(std::shared_ptr<connect::internal::CreditAccount> account) override {
    events_.Open(std::move(account));
  }
  void Push(ChatEvent&& event, size_t credit) override { events_.Push(std::move(event), credit); }
  void PushText(std::string_view text, size_t credit) override {
    events_.Push(TextDelta{std::string(text)}, credit);
  }
  void Flush() override { events_.Flush(); }
  void Close(absl::Status status) override { events_.Close(std::move(status)); }

 private:
  connect::internal::BatchQueue<ChatEvent> events_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_WAITING_CHAT_STREAM_EVENTS_H_
