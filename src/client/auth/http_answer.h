#ifndef CURSORWIRE_SRC_CLIENT_AUTH_HTTP_ANSWER_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_HTTP_ANSWER_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/call_target.h"
#include "cursorwire/connect/headers.h"

namespace cursorwire {

// A request of plain HTTP. A value.
struct HttpQuestion {
  std::string path{};
  connect::HttpMethod method = connect::HttpMethod::kPost;
  connect::Headers headers{};
  std::string body{};
  std::chrono::milliseconds timeout{15'000};
};

struct HttpAnswer {
  int status = 0;
  std::string body{};
};

inline constexpr size_t kMaxHttpAnswerBytes = size_t{64} * 1024;

// Asks, and waits for the whole answer; any status is one.
//   kCancelled          `stop` was requested
//   kResourceExhausted  the body is larger than kMaxHttpAnswerBytes
//   kDeadlineExceeded   it takes longer than the timeout
//   and what the connection says
absl::StatusOr<HttpAnswer> AskHttp(const connect::CallTarget& host, const HttpQuestion& question,
                                   const std::stop_token& stop);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_HTTP_ANSWER_H_
