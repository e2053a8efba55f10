#include "rpc/unary_call.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "rpc/compression.h"
#include "rpc/content_type.h"
#include "rpc/error_json.h"
#include "rpc/get_query.h"
#include "rpc/limits.h"
#include "rpc/timeout.h"
#include "wire/gzip.h"

namespace cursorwire::rpc {
namespace {

constexpr std::string_view kTrailerPrefix = "trailer-";

}  // namespace

connect::Headers UnaryCall::RequestHeaders() const {
  connect::Headers headers;
  if (query_.empty()) {
    headers.Add("content-type", ContentType(connect::CallKind::kUnary, options_.codec));
    headers.Add("connect-protocol-version", "1");
    if (compressed_) headers.Add(kUnaryEncoding, CompressionName(options_.send_compression));
  }
  if (options_.accept_compression != connect::Compression::kIdentity) {
    headers.Add(kUnaryAcceptEncoding, CompressionName(options_.accept_compression));
  }
  AddTimeoutHeader(options_, headers);
  return headers;
}

absl::Status UnaryCall::Encode(std::string_view message, std::string& out) {
  if (absl::Status status = CheckSendSize(message.size(), options_); !status.ok()) return status;
  compressed_ = ShouldCompress(message.size(), options_);
  const std::string bytes = compressed_ ? wire::Gzip(message) : std::string(message);
  if (options_.http_method == connect::HttpMethod::kGet) {
    std::string query =
        GetQuery(bytes, options_.codec,
                 compressed_ ? options_.send_compression : connect::Compression::kIdentity);
    if (path_.size() + query.size() <= options_.max_get_url_bytes) {
      query_ = std::move(query);
      return absl::OkStatus();
    }
  }
  out.append(bytes);
  return absl::OkStatus();
}

void UnaryCall::OnHeaders(int http_status, connect::Headers headers) {
  http_status_ = http_status;
  location_ = headers.Get("location").value_or("");
  connect::ResponseHead head{http_status, {}};
  for (const connect::Header& header : headers) {
    if (std::string_view(header.name).starts_with(kTrailerPrefix)) {
      trailers_.Add(std::string_view(header.name).substr(kTrailerPrefix.size()), header.value);
    } else {
      head.headers.Add(header.name, header.value);
    }
  }
  const absl::StatusOr<connect::Compression> compression =
      ResponseCompression(headers, kUnaryEncoding, options_.accept_compression);
  if (compression.ok()) compression_ = *compression;
  if (http_status == 200) {  // otherwise the HTTP status is enough
    absl::Status status = CheckContentType(headers, connect::CallKind::kUnary, options_.codec);
    status.Update(compression.status());
    if (!status.ok()) failure_ = std::move(status);
  }
  head_ = std::move(head);
}

size_t UnaryCall::OnBody(std::string_view bytes) {
  if (failure_ || done_) return 0;
  if (http_status_ != 200) {
    body_.append(bytes.substr(0, kMaxErrorBodyBytes - body_.size()));
  } else if (bytes.size() > BodyLimit() - body_.size()) {
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

size_t UnaryCall::BodyLimit() const {
  const size_t limit = options_.max_receive_bytes;
  if (compression_ == connect::Compression::kIdentity) return limit;
  return limit + std::min(CompressionSlack(limit), std::numeric_limits<size_t>::max() - limit);
}

void UnaryCall::OnEnd(connect::Headers) { http_ended_ = true; }

void UnaryCall::Fail(const absl::Status& status) {
  if (failure_ || http_ended_) return;
  failure_ = status;
}

void UnaryCall::Abandon(const absl::Status& status) {
  head_.reset();
  body_ = std::string();
  failure_ = status;
}

std::optional<connect::CallEvent> UnaryCall::NextEvent() {
  if (done_) return std::nullopt;
  if (head_) return std::exchange(head_, std::nullopt);
  if (!failure_ && !http_ended_) return std::nullopt;
  absl::Status status = StatusAtEnd();
  if (status.ok() && !std::exchange(message_taken_, true)) {
    return connect::MessageView{.bytes = body_, .credit = 0};
  }
  done_ = true;
  return connect::CallEnd{std::move(status), std::move(trailers_)};
}

absl::Status UnaryCall::StatusAtEnd() {
  if (!failure_ && compression_ != connect::Compression::kIdentity) {
    if (absl::Status status = DecompressBody(); !status.ok()) failure_ = std::move(status);
  }
  if (failure_) return *failure_;
  return http_status_ == 200 ? absl::OkStatus()
                             : StatusFromErrorBody(body_, http_status_, location_);
}

absl::Status UnaryCall::DecompressBody() {
  const bool is_error = http_status_ != 200;
  compression_ = connect::Compression::kIdentity;
  absl::StatusOr<std::string> body =
      Decompress(body_, is_error ? kMaxErrorBodyBytes : options_.max_receive_bytes);
  if (body.ok()) {
    body_ = *std::move(body);
  } else if (is_error) {
    body_.clear();  // the HTTP status is enough
  } else {
    return body.status();
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::rpc
