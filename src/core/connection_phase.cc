#include "core/connection_phase.h"

#include <absl/strings/str_cat.h>

#include "base/error.h"

namespace cursorwire::core {
namespace {

constexpr std::string_view kHttp1 = "HTTP/1";  // how an answer of HTTP/1.1 begins

}  // namespace

void ConnectionPhase::OnReceived(std::string_view bytes) {
  if (at_ != At::kConnecting) return;
  first_bytes_.append(bytes.substr(0, kHttp1.size() - first_bytes_.size()));
}

bool ConnectionPhase::OnSettings() {
  if (at_ != At::kConnecting) return false;
  at_ = At::kUp;
  return true;
}

void ConnectionPhase::OnGoAway(uint32_t http2_code) {
  goaway_code_ = http2_code;
  if (!is_down()) at_ = At::kLeaving;
}

absl::Status ConnectionPhase::OnPeerClosed() {
  peer_closed_ = true;
  absl::Status status = TransportError(
      absl::StrCat("the server closed the connection",
                   at_ == At::kConnecting ? " before it was set up" : "",
                   goaway_code_ ? absl::StrCat(" after GOAWAY with code ", *goaway_code_) : ""),
      Replay::kUnsafe);
  connect::ErrorInfo info = *connect::GetErrorInfo(status);
  info.http2_code = goaway_code_;
  SetErrorInfo(status, info);
  return status;
}

bool ConnectionPhase::GoDown(const absl::Status& reason) {
  if (is_down()) return false;
  at_ = At::kDown;
  down_status_ = WithReplay(reason, request_sent_ ? Replay::kUnsafe : Replay::kSafe);
  return true;
}

absl::Status ConnectionPhase::BrokenStatus(const absl::Status& status) const {
  if (at_ != At::kConnecting) return status;
  return TransportError(
      absl::StrCat(authority_, first_bytes_ == kHttp1 ? " answers HTTP/1.1; HTTP/2 is required"
                                                      : " does not speak HTTP/2"),
      Replay::kUnsafe);
}

void ConnectionPhase::OnClosed() {
  if (is_down()) at_ = At::kClosed;
}

absl::Status ConnectionPhase::RefusalStatus() const {
  if (is_down()) return WithReplay(Annotate(down_status_, "no connection"), Replay::kSafe);
  absl::Status status = TransportError(
      absl::StrCat("the server takes no new calls on this connection (GOAWAY",
                   goaway_code_.value_or(0) != 0 ? absl::StrCat(" with code ", *goaway_code_) : "",
                   ")"),
      Replay::kSafe);
  connect::ErrorInfo info = *connect::GetErrorInfo(status);
  info.http2_code = goaway_code_;
  SetErrorInfo(status, info);
  return status;
}

}  // namespace cursorwire::core
