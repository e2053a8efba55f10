#include "rpc/raw_call.h"

#include <utility>

#include "rpc/limits.h"

namespace cursorwire::rpc {

absl::Status RawCall::Encode(std::string_view message, std::string& out) {
  if (absl::Status status = CheckSendSize(message.size(), options_); !status.ok()) return status;
  out.append(message);
  return absl::OkStatus();
}

void RawCall::OnHeaders(int http_status, connect::Headers headers) {
  head_ = connect::ResponseHead{http_status, std::move(headers)};
}

size_t RawCall::OnBody(std::string_view bytes) {
  if (done_) return 0;
  body_.Consume(std::exchange(taken_bytes_, 0));
  body_.Append(bytes);
  return bytes.size();
}

void RawCall::OnEnd(connect::Headers trailers) {
  if (!end_) end_ = connect::CallEnd{absl::OkStatus(), std::move(trailers)};
}

void RawCall::Fail(const absl::Status& status) {
  if (!end_) end_ = connect::CallEnd{status, {}};
}

void RawCall::Abandon(const absl::Status& status) {
  head_.reset();
  body_.Clear();
  taken_bytes_ = 0;
  end_ = connect::CallEnd{status, {}};
}

std::optional<connect::CallEvent> RawCall::NextEvent() {
  if (done_) return std::nullopt;
  if (head_) return std::exchange(head_, std::nullopt);
  body_.Consume(std::exchange(taken_bytes_, 0));
  if (!body_.empty()) {
    taken_bytes_ = body_.size();
    return connect::MessageView{.bytes = body_.view(), .credit = taken_bytes_};
  }
  if (!end_) return std::nullopt;
  done_ = true;
  return *std::move(end_);
}

}  // namespace cursorwire::rpc
