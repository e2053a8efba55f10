#ifndef CURSORWIRE_SRC_COLLAB_OCT_ROOM_SENDER_H_
#define CURSORWIRE_SRC_COLLAB_OCT_ROOM_SENDER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collab/oct/envelope.h"
#include "collab/oct/room_cipher.h"
#include "collab/oct/room_method.h"

namespace cursorwire::oct {

// What is said, and with what. `params` is a list.
struct RoomCall {
  RoomMethod method = RoomMethod::kOther;
  nlohmann::json params = nlohmann::json::array();
};

// Writes the messages of one client in a room: encrypted to peers, clear to the server. `cipher`
// must outlive it. Thread-compatible. Source: docs/collab/oct.md, "Envelope".
class RoomSender {
 public:
  explicit RoomSender(RoomCipher& cipher) : cipher_(cipher) {}

  // Until Open(), and after Close(), nothing is sent, and nothing is kept to be sent later.
  void Open(size_t max_message_bytes);
  void Close();
  bool is_open() const { return max_message_bytes_ != 0; }
  // What the server takes; 0: it is not open.
  size_t max_message_bytes() const { return max_message_bytes_; }

  // Each returns the bytes of the message, 0 if there is nobody to send it to.
  //   kResourceExhausted  it would be longer than the server takes
  //   kInternal           as of RoomCipher::Encrypt()
  absl::StatusOr<size_t> Broadcast(std::span<const std::string> receivers, RoomCall call);
  absl::StatusOr<size_t> Notify(const std::string& peer, RoomCall call);
  absl::StatusOr<size_t> NotifyServer(RoomCall call);
  // Tells who has asked that this is not supported. `peer`: "" for the server.
  absl::StatusOr<size_t> RefuseRequest(const RequestId& id, const std::string& peer);

  std::optional<std::string> TakeMessage();

 private:
  absl::StatusOr<size_t> SendEncrypted(Envelope envelope, nlohmann::json content,
                                       std::span<const std::string> receivers);
  absl::StatusOr<size_t> Send(const Envelope& envelope);

  RoomCipher& cipher_;
  size_t max_message_bytes_ = 0;
  std::deque<std::string> messages_;
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_ROOM_SENDER_H_
