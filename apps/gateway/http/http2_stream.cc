#include "http/http2_stream.h"

#include <algorithm>
#include <cstring>

namespace cursor_gateway {

void Http2Stream::SendAnswer(const HttpHead& head, const HttpAnswer& answer) {
  if (owner_ == nullptr) return;
  const bool has_body = head.method != "HEAD" && !answer.content().empty();
  if (has_body) {
    lasting_ = answer.lasting_body;
    if (lasting_.empty()) outbox_ = answer.body;
  }
  complete = true;
  owner_->Respond(*this, answer.status, answer.fields, LengthOf(answer), has_body);
  owner_->OnOutbox(*this);
}

void Http2Stream::SendStreamHead(const HttpHead& head, int status, HttpFields fields) {
  if (owner_ == nullptr) return;
  owner_->Respond(*this, status, fields, std::nullopt, head.method != "HEAD");
}

void Http2Stream::SendPiece(const HttpHead& /*head*/, std::string_view bytes) {
  if (owner_ == nullptr) return;
  outbox_ += bytes;
  owner_->OnOutbox(*this);
}

void Http2Stream::SendEnd(const HttpHead& /*head*/) {
  complete = true;
  if (owner_ != nullptr) owner_->OnOutbox(*this);
}

void Http2Stream::SendAbort() {
  ClearOutbox();
  if (owner_ != nullptr) owner_->Abort(*this);
}

void Http2Stream::OnBodyDropped() {
  if (owner_ != nullptr) owner_->OnBodyDropped(*this);
}

ssize_t Http2Stream::TakeOutbox(uint8_t* buffer, size_t size, uint32_t* flags) {
  size = std::min(size, unsent_bytes());
  if (owner_ == nullptr || (size == 0 && !complete)) {
    deferred = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  std::memcpy(buffer, outbox().data() + taken_, size);
  taken_ += size;
  // Not with each piece: a long answer would be moved over and over.
  if (lasting_.empty() && taken_ > outbox_.size() / 2) {
    outbox_.erase(0, taken_);
    taken_ = 0;
    if (outbox_.empty()) outbox_ = std::string();
  }
  if (unsent_bytes() == 0) {
    drained = !complete;
    if (complete) *flags |= NGHTTP2_DATA_FLAG_EOF;
  }
  return static_cast<ssize_t>(size);
}

void Http2Stream::ClearOutbox() {
  outbox_ = std::string();
  lasting_ = {};
  taken_ = 0;
}

void Http2Stream::Detach() {
  owner_ = nullptr;
  ClearOutbox();
  body = std::string();
  share.Free();
  deadline.reset();
}

}  // namespace cursor_gateway
