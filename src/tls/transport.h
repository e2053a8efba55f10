#ifndef CURSORWIRE_SRC_TLS_TRANSPORT_H_
#define CURSORWIRE_SRC_TLS_TRANSPORT_H_

#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_queue.h"
#include "tls/engine.h"

namespace cursorwire::tls {

// The bytes of one connection, client or server, as HTTP/2 sees them: through TLS, or as they are.
// Order of calls as in Engine. Thread-compatible.
class Transport {
 public:
  // Without TLS.
  Transport() = default;
  explicit Transport(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  // As Engine::Receive(); without TLS, `take` is called with `bytes`. What decrypts before an error
  // is taken.
  absl::Status Receive(std::string_view bytes, Engine::TakeRecord take);

  // Whether Write() may be called: the handshake is done, or there is none.
  bool is_ready() const { return engine_ == nullptr || engine_->handshake_done(); }
  // As Engine::Write(). OK without TLS.
  absl::Status Write(std::string_view plaintext);
  // Ends our side of TLS.
  void Close();

  // Bytes for the peer. The view is valid until the next call of another function.
  std::string_view PendingOutput();
  void ConsumeOutput(size_t bytes);

  // The peer ended its side of TLS. Without TLS only the socket knows.
  bool peer_closed() const { return engine_ != nullptr && engine_->peer_closed(); }
  // Who the peer is, in words; "" without TLS.
  std::string DescribePeer() const { return engine_ == nullptr ? "" : engine_->peer_text(); }
  // Such as "TLSv1.3"; "" without TLS.
  std::string_view tls_version() const { return engine_ == nullptr ? "" : engine_->version(); }

 private:
  std::unique_ptr<Engine> engine_;  // nullptr: no TLS
  ByteQueue output_;                // without TLS
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_TRANSPORT_H_
