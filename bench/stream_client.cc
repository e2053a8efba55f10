#include "stream_client.h"

#include <chrono>
#include <optional>

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;

absl::Status PingPong(connect::Stream& stream, const Work& work, Latencies& latencies) {
  const std::string message(work.shape.message_bytes, 'm');
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

}  // namespace

absl::Status StreamClient::Run(const Work& work, Latencies& latencies) {
  connect::Stream stream =
      channel_.OpenStream(std::string("/") + work.shape.name,
                          {.headers = {{kCountHeader, std::to_string(work.messages)}}});
  size_t messages = 0;
  if (work.shape.kind == ShapeKind::kPingPong) {
    if (absl::Status status = PingPong(stream, work, latencies); !status.ok()) return status;
    messages = work.messages;
  }
  stream.CloseSend();
  for (const absl::StatusOr<std::string>& message : stream) {
    if (!message.ok()) return message.status();
    if (message->size() == work.shape.message_bytes) ++messages;
  }
  if (messages == work.messages) return absl::OkStatus();
  return absl::InternalError("stream: a call with another number of messages");
}

}  // namespace cursorwire::bench
