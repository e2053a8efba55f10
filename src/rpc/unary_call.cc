#include "rpc/unary_call.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "rpc/content_type.h"
#include "rpc/error_json.h"
#include "rpc/limits.h"

namespace cursorwire::rpc {
namespace {

constexpr std::string_view kTrailerPrefix = "trailer-";

}  // namespace

connect::Headers UnaryCall::RequestHeaders() const {
  return ProtocolHeaders(connect::CallKind::kUnary, options_);
}

absl::Status UnaryCall::Encode(std::string_view message, std::string& out) {
  if (absl::Status status = CheckSendSize(message.size(), options_); !status.ok()) return status;
  out.append(message);
  return absl::OkStatus();
}

void UnaryCall::OnHeaders(int http_status, connect::Headers headers) {
  http_status_ = http_status;
  connect::ResponseHead head{http_status, {}};
  for (const connect::Header& header : headers) {
    if (std::string_view(header.name).starts_with(kTrailerPrefix)) {
      trailers_.Add(std::string_view(header.name).substr(kTrailerPrefix.size()), header.value);
    } else {
      head.headers.Add(header.name, header.value);
    }
  }
  if (http_status == 200) {
    absl::Status status = CheckResponseHeaders(headers, connect::CallKind::kUnary, options_.codec,
                                               "content-encoding");
    if (!status.ok()) failure_ = std::move(status);
  }
  head_ = std::move(head);
}

size_t UnaryCall::OnBody(std::string_view bytes) {
  if (failure_ || done_) return 0;
  if (http_status_ != 200) {
    body_.append(bytes.substr(0, kMaxErrorBodyBytes - body_.size()));
  } else if (bytes.size() > options_.max_receive_bytes - body_.size()) {
    body_ = std::string();
    failure_ = MakeError(
        absl::StatusCode::kResourceExhausted,
        absl::StrCat("message is over the limit of ", options_.max_receive_bytes, " bytes"),
        {.origin = connect::ErrorOrigin::kProtocol, .http_status = http_status_});
  } else {
    body_.append(bytes);
  }
  return 0;
}

void UnaryCall::OnEnd(connect::Headers) { http_ended_ = true; }

void UnaryCall::Fail(const absl::Status& status) {
  if (failure_ || http_ended_) return;
  failure_ = status;
}

std::optional<connect::CallEvent> UnaryCall::NextEvent() {
  if (done_) return std::nullopt;
  if (head_) return std::exchange(head_, std::nullopt);
  if (!failure_ && !http_ended_) return std::nullopt;
  if (!failure_ && http_status_ == 200 && !std::exchange(message_taken_, true)) {
    return connect::MessageView{.bytes = body_, .credit = 0};
  }
  done_ = true;
  absl::Status status = failure_              ? *failure_
                        : http_status_ == 200 ? absl::OkStatus()
                                              : StatusFromErrorBody(body_, http_status_);
  return connect::CallEnd{std::move(status), std::move(trailers_)};
}

}  // namespace cursorwire::rpc
