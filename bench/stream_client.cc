#include "stream_client.h"

#include <chrono>
#include <optional>

#include "our_options.h"
#include "text_message.h"

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;

absl::Status PingPong(connect::Stream& stream, const Work& work, Latencies& latencies) {
  const std::string message = TextMessage(work.shape.message_bytes);
  for (size_t i = 0; i < work.messages; ++i) {
    const auto start = steady_clock::now();
    if (absl::Status status = stream.Send(message); !status.ok()) return status;
    const auto answer = stream.Next();
    if (!answer) return absl::InternalError("stream: ended too soon");
    if (!answer->ok()) return answer->status();
    latencies.push_back(steady_clock::now() - start);
  }
  return absl::OkStatus();
}

absl::Status OtherNumber() {
  return absl::InternalError("stream: a call with another number of messages");
}

}  // namespace

// Several calls are read in turns, a message of each.
absl::Status StreamClient::Run(const Work& work, Latencies& latencies) {
  std::vector<connect::Stream> streams;
  for (size_t i = 0; i < work.streams; ++i) {
    streams.push_back(channel_.OpenStream(kRunPath, CallOptionsFor(work)));
  }
  size_t messages = 0;
  if (work.shape.kind == ShapeKind::kPingPong) {
    if (absl::Status status = PingPong(streams[0], work, latencies); !status.ok()) return status;
    messages = work.messages;
  }
  for (connect::Stream& stream : streams) stream.CloseSend();
  for (size_t ended = 0; ended < streams.size();) {
    for (connect::Stream& stream : streams) {
      const auto message = stream.Next();
      if (!message) {
        ++ended;
      } else if (!message->ok()) {
        return message->status();
      } else {
        ++messages;
      }
    }
  }
  return messages == work.total() ? absl::OkStatus() : OtherNumber();
}

absl::Status StreamClient::Hold(size_t streams) {
  const Work idle{.shape = *FindShape("idle"), .messages = 1};
  for (size_t i = 0; i < streams; ++i) {
    held_.push_back(channel_.OpenStream(kRunPath, CallOptionsFor(idle)));
    held_.back().CloseSend();
  }
  for (connect::Stream& stream : held_) {
    const auto message = stream.Next();
    if (!message) return OtherNumber();
    if (!message->ok()) return message->status();
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::bench
