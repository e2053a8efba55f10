#ifndef CURSORWIRE_SRC_RPC_STREAMING_CALL_H_
#define CURSORWIRE_SRC_RPC_STREAMING_CALL_H_

#include <optional>
#include <string>

#include "rpc/protocol_call.h"
#include "wire/envelope.h"

namespace cursorwire::rpc {

// A call with any number of messages in both directions. Source: Connect protocol, "Streaming
// RPCs".
//
// A body without an end-stream envelope is kInternal with origin transport; bytes after that
// envelope are kInternal with origin protocol. Memory: that of wire::EnvelopeDecoder, and at most 1
// MiB of the body of an HTTP error.
class StreamingCall final : public ProtocolCall {
 public:
  explicit StreamingCall(const connect::CallOptions& options);

  connect::Headers RequestHeaders() const override;
  absl::Status Encode(std::string_view message, std::string& out) override;
  void OnHeaders(int http_status, connect::Headers headers) override;
  size_t OnBody(std::string_view bytes) override;
  void OnEnd(connect::Headers trailers) override;
  void Fail(const absl::Status& status) override;
  void Abandon(const absl::Status& status) override;
  std::optional<connect::CallEvent> NextEvent() override;
  size_t get_growth() const override { return growth_; }
  std::optional<connect::MessageView> NextMessage() override;
  bool saw_end() const override { return end_.has_value(); }

 private:
  std::optional<connect::CallEvent> NextEnvelope();
  std::optional<connect::CallEvent> TakeEnvelope(const wire::EnvelopeView& envelope);
  std::optional<connect::CallEvent> Break(absl::Status status);
  void TakeEndStream(std::string_view payload);
  std::optional<connect::CallEvent> TakeEnd();
  absl::Status StatusAtHttpEnd() const;

  const connect::CallOptions options_;
  std::optional<connect::ResponseHead> head_;
  int http_status_ = 0;
  std::string location_;  // the header; empty: there is none
  connect::Compression compression_ = connect::Compression::kIdentity;  // of the response
  std::string error_body_;    // of a response that is not 200
  std::string decompressed_;  // the last message
  size_t growth_ = 0;         // of the last message
  wire::EnvelopeDecoder decoder_;
  std::optional<connect::CallEnd> end_;  // what the end-stream envelope said
  std::optional<absl::Status> failure_;  // ends the call once the decoder is empty
  bool http_ended_ = false;
  bool abandoned_ = false;
  bool done_ = false;
};

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_STREAMING_CALL_H_
