#ifndef CURSORWIRE_SRC_CORE_CONNECTION_PHASE_H_
#define CURSORWIRE_SRC_CORE_CONNECTION_PHASE_H_

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::core {

// Where a connection is in its life, and by what it ends:
//
//   connecting --OnSettings()--> up --OnGoAway()--> leaving
//        |                        |                    |
//        '---------------------GoDown()----------------'
//                                 v
//                               down --OnClosed()--> closed
//
// While the server is leaving, the calls that it knows go on, and there are no new ones. A
// connection that is down may still have a GOAWAY to send; one that is closed has nothing to say.
// It never comes back up. Thread-compatible.
class ConnectionPhase {
 public:
  // `authority` is for messages.
  explicit ConnectionPhase(std::string_view authority) : authority_(authority) {}

  // Bytes of the server, in order, as HTTP/2 sees them.
  void OnReceived(std::string_view bytes);
  // True the first time: now the connection is up.
  bool OnSettings();
  void OnGoAway(uint32_t http2_code);
  // A request may have reached the server: its call cannot be made again without a risk.
  void OnRequestSent() { request_sent_ = true; }
  // The server closed its side, in any phase. Returns what the connection goes down with, unless it
  // is down already.
  absl::Status OnPeerClosed();
  // False if it was down before: the first reason stays.
  bool GoDown(const absl::Status& reason);
  // What the connection goes down with when the server's bytes break HTTP/2, as `status` says. If
  // it was not up yet, the server does not speak HTTP/2 at all.
  absl::Status BrokenStatus(const absl::Status& status) const;
  // We closed the connection, and nothing more is to be sent.
  void OnClosed();

  // The server's preface has come, and the connection is not down.
  bool is_up() const { return at_ == At::kUp || at_ == At::kLeaving; }
  bool is_leaving() const { return at_ == At::kLeaving; }
  bool is_down() const { return at_ == At::kDown || at_ == At::kClosed; }
  bool is_closed() const { return at_ == At::kClosed; }
  // A new call may be sent, or wait until the connection is up.
  bool accepts_calls() const { return at_ == At::kConnecting || at_ == At::kUp; }
  // OnPeerClosed() was called.
  bool peer_closed() const { return peer_closed_; }

  // Why the connection is down; OK before. It says whether any call may be made again.
  const absl::Status& down_status() const { return down_status_; }
  // Why a call is refused that was not sent: the connection is down or takes no new calls.
  absl::Status RefusalStatus() const;

 private:
  enum class At { kConnecting, kUp, kLeaving, kDown, kClosed };

  const std::string authority_;
  At at_ = At::kConnecting;
  bool peer_closed_ = false;
  bool request_sent_ = false;
  std::string first_bytes_;              // received while connecting, to tell HTTP/1.1 from noise
  std::optional<uint32_t> goaway_code_;  // of the server's last GOAWAY
  absl::Status down_status_;
};

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_CONNECTION_PHASE_H_
