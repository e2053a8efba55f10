#ifndef CURSORWIRE_SRC_RPC_RAW_CALL_H_
#define CURSORWIRE_SRC_RPC_RAW_CALL_H_

#include <optional>
#include <utility>

#include "base/byte_queue.h"
#include "rpc/protocol_call.h"

namespace cursorwire::rpc {

// Passes bytes through unchanged in both directions. Every HTTP status is handed out and is not an
// error. The boundaries of messages mean nothing. Memory: the bytes that were received and not yet
// taken.
class RawCall final : public ProtocolCall {
 public:
  explicit RawCall(connect::CallOptions options) : options_(std::move(options)) {}

  connect::Headers RequestHeaders() const override { return {}; }
  absl::Status Encode(std::string_view message, std::string& out) override;
  void OnHeaders(int http_status, connect::Headers headers) override;
  size_t OnBody(std::string_view bytes) override;
  void OnEnd(connect::Headers trailers) override;
  void Fail(const absl::Status& status) override;
  void Abandon(const absl::Status& status) override;
  std::optional<connect::CallEvent> NextEvent() override;
  bool saw_end() const override { return false; }

 private:
  const connect::CallOptions options_;
  std::optional<connect::ResponseHead> head_;
  ByteQueue body_;
  size_t taken_bytes_ = 0;
  std::optional<connect::CallEnd> end_;
  bool done_ = false;
};

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_RAW_CALL_H_
