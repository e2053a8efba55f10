#include "rpc/streaming_call.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "rpc/compression.h"
#include "rpc/content_type.h"
#include "rpc/end_stream.h"
#include "rpc/error_json.h"
#include "rpc/limits.h"
#include "rpc/timeout.h"
#include "wire/gzip.h"

namespace cursorwire::rpc {
namespace {

// Without compression the compressed flag is an error, so no slack is needed.
size_t SlackOf(const connect::CallOptions& options) {
  return options.accept_compression == connect::Compression::kIdentity
             ? 0
             : CompressionSlack(options.max_receive_bytes);
}

}  // namespace

StreamingCall::StreamingCall(const connect::CallOptions& options)
    : options_(options), decoder_(options.max_receive_bytes, SlackOf(options)) {}

connect::Headers StreamingCall::RequestHeaders() const {
  connect::Headers headers = {
      {"content-type", ContentType(connect::CallKind::kStreaming, options_.codec)},
      {"connect-protocol-version", "1"}};
  if (options_.send_compression != connect::Compression::kIdentity) {
    headers.Add(kStreamingEncoding, CompressionName(options_.send_compression));
  }
  if (options_.accept_compression != connect::Compression::kIdentity) {
    headers.Add(kStreamingAcceptEncoding, CompressionName(options_.accept_compression));
  }
  AddTimeoutHeader(options_, headers);
  return headers;
}

absl::Status StreamingCall::Encode(std::string_view message, std::string& out) {
  if (absl::Status status = CheckSendSize(message.size(), options_); !status.ok()) return status;
  if (!ShouldCompress(message.size(), options_)) return wire::AppendEnvelope(0, message, out);
  return wire::AppendEnvelope(wire::kEnvelopeCompressed, wire::Gzip(message), out);
}

void StreamingCall::OnHeaders(int http_status, connect::Headers headers) {
  http_status_ = http_status;
  if (http_status == 200) {
    absl::Status status = CheckContentType(headers, connect::CallKind::kStreaming, options_.codec);
    const absl::StatusOr<connect::Compression> compression =
        ResponseCompression(headers, kStreamingEncoding, options_.accept_compression);
    status.Update(compression.status());
    if (compression.ok()) compression_ = *compression;
    if (!status.ok()) failure_ = std::move(status);
  }
  location_ = headers.Get("location").value_or("");
  head_ = connect::ResponseHead{http_status, std::move(headers)};
}

size_t StreamingCall::OnBody(std::string_view bytes) {
  if (http_status_ != 200) {
    error_body_.append(bytes.substr(0, kMaxErrorBodyBytes - error_body_.size()));
    return 0;
  }
  if (done_ || failure_) return 0;
  return decoder_.Feed(bytes);
}

void StreamingCall::OnEnd(connect::Headers) { http_ended_ = true; }

void StreamingCall::Fail(const absl::Status& status) {
  if (failure_ || http_ended_) return;
  // An end-stream envelope may still wait in the decoder; TakeEnd() gives it precedence.
  failure_ = status;
}

void StreamingCall::Abandon(const absl::Status& status) {
  abandoned_ = true;
  head_.reset();
  failure_ = status;
}

std::optional<connect::CallEvent> StreamingCall::NextEvent() {
  if (done_) return std::nullopt;
  if (head_) return std::exchange(head_, std::nullopt);
  if (abandoned_) {
    done_ = true;
    return connect::CallEnd{*failure_, {}};
  }
  if (!end_) {
    if (std::optional<connect::CallEvent> event = NextEnvelope()) return event;
  }
  return TakeEnd();
}

std::optional<connect::MessageView> StreamingCall::NextMessage() {
  if (done_ || head_ || abandoned_ || end_) return std::nullopt;
  const std::optional<wire::EnvelopeView> envelope = decoder_.NextPlain();
  if (!envelope) return std::nullopt;
  growth_ = 0;
  return connect::MessageView{envelope->payload, envelope->credit};
}

std::optional<connect::CallEvent> StreamingCall::NextEnvelope() {
  absl::StatusOr<std::optional<wire::EnvelopeView>> envelope = decoder_.Next();
  if (!envelope.ok()) {
    failure_ = envelope.status();
    return std::nullopt;
  }
  if (!envelope->has_value()) return std::nullopt;
  return TakeEnvelope(**envelope);
}

std::optional<connect::CallEvent> StreamingCall::TakeEnvelope(const wire::EnvelopeView& envelope) {
  constexpr uint8_t kKnownFlags = wire::kEnvelopeCompressed | wire::kEnvelopeEndStream;
  if ((envelope.flags & ~kKnownFlags) != 0) {
    return Break(ProtocolError(absl::StrCat("envelope with unknown flags ", envelope.flags)));
  }
  wire::EnvelopeView plain = envelope;
  growth_ = 0;
  const bool is_end = (envelope.flags & wire::kEnvelopeEndStream) != 0;
  const size_t max_bytes = is_end ? kMaxEndStreamBytes : options_.max_receive_bytes;
  if ((envelope.flags & wire::kEnvelopeCompressed) != 0) {
    if (compression_ == connect::Compression::kIdentity) {
      return Break(ProtocolError("compressed envelope, but no compression was negotiated"));
    }
    absl::StatusOr<std::string> bytes = Decompress(envelope.payload, max_bytes);
    if (!bytes.ok()) return Break(bytes.status());
    decompressed_ = *std::move(bytes);
    plain.payload = decompressed_;
    growth_ = decompressed_.size() - std::min(decompressed_.size(), envelope.credit);
    plain.credit += growth_;
  }
  if (!is_end) return connect::MessageView{plain.payload, plain.credit};
  TakeEndStream(plain.payload);
  return std::nullopt;
}

// The peer broke the protocol: the call ends at once.
std::optional<connect::CallEvent> StreamingCall::Break(absl::Status status) {
  failure_ = std::move(status);
  done_ = true;
  return connect::CallEnd{*failure_, {}};
}

void StreamingCall::TakeEndStream(std::string_view payload) {
  EndStreamMessage message = DecodeEndStream(payload, http_status_);
  end_ = connect::CallEnd{std::move(message.status), std::move(message.metadata)};
}

std::optional<connect::CallEvent> StreamingCall::TakeEnd() {
  if (end_) {
    if (decoder_.buffered_bytes() > 0) {
      done_ = true;
      return connect::CallEnd{ProtocolError("bytes after the end-stream envelope"), {}};
    }
    if (!http_ended_ && !failure_) return std::nullopt;
    done_ = true;
    return *std::move(end_);
  }
  if (!failure_ && !http_ended_) return std::nullopt;
  done_ = true;
  return connect::CallEnd{failure_ ? *failure_ : StatusAtHttpEnd(), {}};
}

absl::Status StreamingCall::StatusAtHttpEnd() const {
  if (http_status_ != 200) return StatusFromErrorBody(error_body_, http_status_, location_);
  if (absl::Status status = decoder_.Finish(); !status.ok()) return status;
  return MakeError(absl::StatusCode::kInternal, "the response ended without an end-stream envelope",
                   {.origin = connect::ErrorOrigin::kTransport, .http_status = http_status_});
}

}  // namespace cursorwire::rpc
