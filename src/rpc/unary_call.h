#ifndef CURSORWIRE_SRC_RPC_UNARY_CALL_H_
#define CURSORWIRE_SRC_RPC_UNARY_CALL_H_

#include <optional>
#include <string>
#include <utility>

#include "rpc/protocol_call.h"

namespace cursorwire::rpc {

// A call with one message in each direction, without envelopes. Trailers are the response headers
// with the prefix `trailer-`, which is removed. Source: Connect protocol, "Unary RPCs".
//
// Encode() must be called first, exactly once: the message decides about compression and, for a
// GET, is part of the query. Memory: one message of at most CallOptions::max_receive_bytes (twice
// that if it is compressed), or 1 MiB of an HTTP error.
class UnaryCall final : public ProtocolCall {
 public:
  explicit UnaryCall(const connect::CallRequest& request)
      : options_(request.options), path_(request.path) {}

  bool encodes_first() const override { return true; }
  connect::Headers RequestHeaders() const override;
  std::string_view get_query() const override { return query_; }
  // Call only once.
  absl::Status Encode(std::string_view message, std::string& out) override;
  void OnHeaders(int http_status, connect::Headers headers) override;
  size_t OnBody(std::string_view bytes) override;
  void OnEnd(connect::Headers trailers) override;
  void Fail(const absl::Status& status) override;
  void Abandon(const absl::Status& status) override;
  std::optional<connect::CallEvent> NextEvent() override;
  bool saw_end() const override { return http_ended_; }

 private:
  size_t BodyLimit() const;
  absl::Status DecompressBody();
  absl::Status StatusAtEnd();

  const connect::CallOptions options_;
  const std::string path_;
  bool compressed_ = false;  // the request
  std::string query_;        // of a GET
  std::optional<connect::ResponseHead> head_;
  connect::Headers trailers_;
  int http_status_ = 0;
  std::string location_;  // the header; empty: there is none
  connect::Compression compression_ = connect::Compression::kIdentity;  // of the response
  std::string body_;
  std::optional<absl::Status> failure_;
  bool http_ended_ = false;
  bool message_taken_ = false;
  bool done_ = false;
};

}  // namespace cursorwire::rpc

#endif  // CURSORWIRE_SRC_RPC_UNARY_CALL_H_
