#include "tls/transport.h"

#include <algorithm>
#include <utility>

namespace cursorwire::tls {

Transport::Received Transport::Receive(std::string_view bytes) {
  if (engine_ == nullptr) return {.plaintext = bytes, .status = absl::OkStatus()};
  decrypted_.clear();
  absl::Status status = engine_->Receive(bytes, decrypted_);
  return {.plaintext = decrypted_, .status = std::move(status)};
}

absl::Status Transport::Write(std::string_view plaintext) {
  if (engine_ != nullptr) return engine_->Write(plaintext);
  output_.Append(plaintext);
  return absl::OkStatus();
}

void Transport::Close() {
  if (engine_ != nullptr) engine_->Close();
}

std::string_view Transport::PendingOutput() {
  return engine_ == nullptr ? output_.view() : engine_->PendingOutput();
}

void Transport::ConsumeOutput(size_t bytes) {
  if (engine_ == nullptr) {
    output_.Consume(std::min(bytes, output_.size()));
  } else {
    engine_->ConsumeOutput(bytes);
  }
}

}  // namespace cursorwire::tls
