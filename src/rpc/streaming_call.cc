#include "rpc/streaming_call.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "rpc/content_type.h"
#include "rpc/end_stream.h"
#include "rpc/error_json.h"
#include "rpc/limits.h"

namespace cursorwire::rpc {

StreamingCall::StreamingCall(const connect::CallOptions& options)
    : options_(options), decoder_(options.max_receive_bytes) {}

connect::Headers StreamingCall::RequestHeaders() const {
  return ProtocolHeaders(connect::CallKind::kStreaming, options_);
}

absl::Status StreamingCall::Encode(std::string_view message, std::string& out) {
  if (absl::Status status = CheckSendSize(message.size(), options_); !status.ok()) return status;
  return wire::AppendEnvelope(0, message, out);
}

void StreamingCall::OnHeaders(int http_status, connect::Headers headers) {
  http_status_ = http_status;
  if (http_status == 200) {
    absl::Status status = CheckResponseHeaders(headers, connect::CallKind::kStreaming,
                                               options_.codec, "connect-content-encoding");
    if (!status.ok()) failure_ = std::move(status);
  }
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

std::optional<connect::CallEvent> StreamingCall::NextEvent() {
  if (done_) return std::nullopt;
  if (head_) return std::exchange(head_, std::nullopt);
  if (!end_) {
    if (std::optional<connect::CallEvent> event = NextEnvelope()) return event;
  }
  return TakeEnd();
}

std::optional<connect::CallEvent> StreamingCall::NextEnvelope() {
  absl::StatusOr<std::optional<wire::EnvelopeView>> envelope = decoder_.Next();
  if (!envelope.ok()) {
    failure_ = envelope.status();
    return std::nullopt;
  }
  if (!envelope->has_value()) return std::nullopt;
  const wire::EnvelopeView& view = **envelope;
  switch (view.flags) {
    case 0:
      return connect::MessageView{view.payload, view.credit};
    case wire::kEnvelopeEndStream:
      TakeEndStream(view.payload);
      return std::nullopt;
    case wire::kEnvelopeCompressed:
    case wire::kEnvelopeCompressed | wire::kEnvelopeEndStream:
      failure_ = ProtocolError("compressed envelope, but no compression was negotiated");
      break;
    default:
      failure_ = ProtocolError(absl::StrCat("envelope with unknown flags ", view.flags));
  }
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
      return connect::CallEnd{ProtocolError("bytes behind the end-stream envelope"), {}};
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
  if (http_status_ != 200) return StatusFromErrorBody(error_body_, http_status_);
  if (absl::Status status = decoder_.Finish(); !status.ok()) return status;
  return MakeError(absl::StatusCode::kInternal, "the response ended without an end-stream envelope",
                   {.origin = connect::ErrorOrigin::kTransport, .http_status = http_status_});
}

}  // namespace cursorwire::rpc
