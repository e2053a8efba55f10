#ifndef CURSORWIRE_TESTS_AGENT_RUN_END_STATUSES_H_
#define CURSORWIRE_TESTS_AGENT_RUN_END_STATUSES_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/v1/run.pb.h"
#include "base/error.h"
#include "rpc/end_stream.h"
#include "rpc/streaming_call.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/status_matchers.h"

namespace cursorwire {

using connect::ErrorOrigin;

inline constexpr char kSystemMessage[] = R"({"role":"system","content":"You are an agent."})";

MATCHER(GaveNothing, "") { return arg.outputs.empty() && arg.events.empty(); }

inline std::string PngBytes() { return "\x89PNG\r\n\x1A\n"; }

// What a streaming call says when HTTP ends without an end-stream envelope.
inline absl::Status EndWithoutEndStream() {
  rpc::StreamingCall call({});
  return test::Play(
             call, {.headers = {{":status", "200"}, {"content-type", "application/connect+proto"}}})
      .end();
}

inline absl::Status EndStreamError(const std::string& error) {
  return rpc::DecodeEndStream("{\"error\":" + error + "}", 200).status;
}

inline absl::Status ResetStatus() {
  return MakeError(absl::StatusCode::kInternal, "the server reset the stream",
                   {.origin = ErrorOrigin::kTransport, .http2_code = 2});
}

}  // namespace cursorwire

#endif  // CURSORWIRE_TESTS_AGENT_RUN_END_STATUSES_H_
