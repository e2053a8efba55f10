#ifndef CURSORWIRE_TESTS_SUPPORT_CALL_LOG_H_
#define CURSORWIRE_TESTS_SUPPORT_CALL_LOG_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/connect/call_event.h"
#include "rpc/protocol_call.h"
#include "wire/envelope.h"

namespace cursorwire::test {

// What a ProtocolCall gave, copied out of its views.
struct CallLog {
  std::vector<std::string> order{};  // "head", "message" and "end", as they came
  int http_status = -1;
  connect::Headers headers{};
  std::vector<std::string> messages{};
  std::vector<absl::Status> ends{};
  connect::Headers trailers{};
  size_t waiting_bytes = 0;   // returned by OnBody(), in sum
  size_t message_credit = 0;  // of the messages, in sum

  std::string bytes() const {
    std::string all;
    for (const std::string& message : messages) all += message;
    return all;
  }
  // How the call ended. Not exactly one end fails the test.
  absl::Status end() const {
    EXPECT_EQ(ends.size(), 1u);
    return ends.size() == 1 ? ends[0] : absl::DataLossError("not exactly one end");
  }
};

// Takes all events that are ready. One after the end fails the test.
inline void Drain(rpc::ProtocolCall& call, CallLog& log) {
  while (std::optional<connect::CallEvent> event = call.NextEvent()) {
    if (!log.ends.empty()) ADD_FAILURE() << "an event after the end";
    if (auto* head = std::get_if<connect::ResponseHead>(&*event)) {
      log.order.emplace_back("head");
      log.http_status = head->http_status;
      log.headers = std::move(head->headers);
    } else if (auto* message = std::get_if<connect::MessageView>(&*event)) {
      log.order.emplace_back("message");
      log.messages.emplace_back(message->bytes);
      log.message_credit += message->credit;
    } else {
      auto& end = std::get<connect::CallEnd>(*event);
      log.order.emplace_back("end");
      log.ends.push_back(std::move(end.status));
      log.trailers = std::move(end.trailers);
    }
  }
}

struct Response {
  int http_status = 200;
  connect::Headers headers{};
  std::vector<std::string_view> body{};   // the pieces
  std::optional<absl::Status> failure{};  // in place of the end of the response
};

// Plays a response, and takes the events after each step. What comes after the end of the call,
// which must have come then, has no effect.
// No more bytes wait for the user than came, nor is the credit of the messages more than waited.
inline CallLog Play(rpc::ProtocolCall& call, const Response& response) {
  CallLog log;
  call.OnHeaders(response.http_status, response.headers);
  Drain(call, log);
  size_t body_bytes = 0;
  for (std::string_view piece : response.body) {
    const bool over = !log.ends.empty();
    const size_t waiting_bytes = call.OnBody(piece);
    if (over) {
      EXPECT_EQ(waiting_bytes, 0u) << "bytes wait after the end of the call";
    }
    log.waiting_bytes += waiting_bytes;
    body_bytes += piece.size();
    EXPECT_LE(log.waiting_bytes, body_bytes);
    Drain(call, log);
    EXPECT_LE(log.message_credit, log.waiting_bytes);
  }
  if (response.failure) {
    call.Fail(*response.failure);
  } else {
    call.OnEnd({});
  }
  Drain(call, log);
  EXPECT_EQ(log.ends.size(), 1u) << "not exactly one end at the end of the response";
  call.OnEnd({{"late", "trailer"}});
  Drain(call, log);
  call.Fail(absl::DataLossError("late"));
  Drain(call, log);
  EXPECT_EQ(call.OnBody("late"), 0u) << "bytes wait after the end of the call";
  Drain(call, log);
  EXPECT_LE(log.message_credit, log.waiting_bytes);
  return log;
}

inline std::string Envelope(uint8_t flags, std::string_view payload) {
  std::string bytes;
  EXPECT_TRUE(wire::AppendEnvelope(flags, payload, bytes).ok());
  return bytes;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_CALL_LOG_H_
