#ifndef CURSORWIRE_TESTS_SUPPORT_SCRIPTED_H_
#define CURSORWIRE_TESTS_SUPPORT_SCRIPTED_H_

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/connect/connection.h"
#include "cursorwire/connect/error_info.h"
#include "support/frame_script.h"
#include "support/pair.h"
#include "wire/envelope.h"

namespace cursorwire::test {

inline const connect::Headers kStreamingOk = {{":status", "200"},
                                              {"content-type", "application/connect+proto"}};
inline const connect::Headers kStreamingGzipOk = {{":status", "200"},
                                                  {"content-type", "application/connect+proto"},
                                                  {"connect-content-encoding", "gzip"}};
inline const connect::Headers kUnaryOk = {{":status", "200"},
                                          {"content-type", "application/proto"}};

inline std::string Envelope(std::string_view payload, uint8_t flags = 0) {
  std::string bytes;
  EXPECT_TRUE(wire::AppendEnvelope(flags, payload, bytes).ok());
  return bytes;
}

inline std::string EndStream(std::string_view json = "{}") {
  return Envelope(json, wire::kEnvelopeEndStream);
}

// A Connection without TLS whose server is a script of frames, on a clock of the test.
class Scripted {
 public:
  explicit Scripted(connect::ConnectionOptions options = {}) : connection_(Adapt(options), now_) {}

  connect::Connection& connection() { return connection_; }
  FrameScript& server() { return server_; }
  connect::TimePoint now() const { return now_; }
  connect::CallId Start(const connect::CallRequest& request) {
    return connection_.StartCall(request, now_);
  }

  void Advance(std::chrono::milliseconds time) {
    now_ += time;
    connection_.OnDeadline(now_);
  }

  // The server's bytes.
  void Receive(std::string_view bytes) { connection_.Receive(bytes, now_); }
  // With the acknowledgement that makes our settings, the window among them, count.
  void ReceivePreface() { Receive(FrameScript::Settings() + FrameScript::SettingsAck()); }

  // What the client has to say now.
  std::vector<Frame> Take() {
    std::string bytes;
    for (auto out = connection_.PendingOutput(); !out.empty(); out = connection_.PendingOutput()) {
      bytes += out;
      connection_.ConsumeOutput(out.size());
    }
    return server_.Read(bytes);
  }
  std::vector<Frame> Take(FrameType type) {
    std::vector<Frame> frames = Take();
    std::erase_if(frames, [type](const Frame& frame) { return frame.type != type; });
    return frames;
  }

  // Every event as a line.
  std::vector<std::string> Events() {
    std::vector<std::string> lines;
    while (auto event = NextEvent()) lines.push_back(Describe(*event));
    return lines;
  }
  // The events of one call, and the status of its end.
  absl::Status EndOf(connect::CallId call) {
    while (auto event = connection_.PollEvent()) {
      if (event->call != call) continue;
      if (auto* end = std::get_if<connect::CallEnd>(&event->what)) return end->status;
    }
    ADD_FAILURE() << "the call has not ended";
    return absl::OkStatus();
  }

 private:
  static connect::ConnectionOptions Adapt(connect::ConnectionOptions options) {
    options.authority = "localhost:1234";
    options.security = connect::Security::kPlaintext;
    return options;
  }

  // Messages come by PollMessage() every second time.
  std::optional<connect::ConnectionEvent> NextEvent() {
    polls_messages_ = !polls_messages_;
    if (polls_messages_) {
      if (const std::optional<connect::CallMessage> message = connection_.PollMessage()) {
        return connect::ConnectionEvent{.call = message->call, .what = message->message};
      }
    }
    return connection_.PollEvent();
  }

  static std::string Describe(const connect::ConnectionEvent& event) {
    const std::string who = event.call == 0 ? "" : std::to_string(event.call) + " ";
    if (const auto* head = std::get_if<connect::ResponseHead>(&event.what)) {
      return who + "head " + std::to_string(head->http_status);
    }
    if (const auto* message = std::get_if<connect::MessageView>(&event.what)) {
      return who + "message " + std::string(message->bytes);
    }
    if (const auto* end = std::get_if<connect::CallEnd>(&event.what)) {
      return who + "end " + std::string(absl::StatusCodeToString(end->status.code()));
    }
    if (std::holds_alternative<connect::Writable>(event.what)) return who + "writable";
    if (std::holds_alternative<connect::ConnectionUp>(event.what)) return who + "up";
    if (std::holds_alternative<connect::ConnectionDown>(event.what)) return who + "down";
    return who + "goaway";
  }

  connect::TimePoint now_ = StartOfTime();
  connect::Connection connection_;
  FrameScript server_;
  bool polls_messages_ = false;
};

inline connect::CallRequest Streaming(connect::CallOptions options = {}) {
  return {.path = "/s.S/M", .kind = connect::CallKind::kStreaming, .options = std::move(options)};
}

inline connect::CallRequest Unary(connect::CallOptions options = {}) {
  return {.path = "/s.S/U", .kind = connect::CallKind::kUnary, .options = std::move(options)};
}

inline connect::ErrorInfo InfoOf(const absl::Status& status) {
  const auto info = connect::GetErrorInfo(status);
  EXPECT_TRUE(info.has_value()) << status;
  return info.value_or(connect::ErrorInfo{});
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_SCRIPTED_H_
