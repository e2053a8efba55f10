#include "tls/transport.h"

#include <algorithm>

namespace cursorwire::tls {

absl::Status Transport::Receive(std::string_view bytes, Engine::TakeRecord take) {
  if (engine_ != nullptr) return engine_->Receive(bytes, take);
  if (!bytes.empty()) take(bytes);
  return absl::OkStatus();
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
