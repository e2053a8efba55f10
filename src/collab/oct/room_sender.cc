#include "collab/oct/room_sender.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "collab/oct/msgpack.h"

namespace cursorwire::oct {
namespace {

nlohmann::json ContentOf(RoomCall call) {
  return {{"method", NameOf(call.method)}, {"params", std::move(call.params)}};
}

}  // namespace

void RoomSender::Open(size_t max_message_bytes) { max_message_bytes_ = max_message_bytes; }

void RoomSender::Close() {
  max_message_bytes_ = 0;
  messages_.clear();
}

absl::StatusOr<size_t> RoomSender::Broadcast(std::span<const std::string> receivers,
                                             RoomCall call) {
  return SendEncrypted({.kind = EnvelopeKind::kBroadcast}, ContentOf(std::move(call)), receivers);
}

absl::StatusOr<size_t> RoomSender::Notify(const std::string& peer, RoomCall call) {
  return SendEncrypted({.kind = EnvelopeKind::kNotification, .target = peer},
                       ContentOf(std::move(call)), {&peer, 1});
}

absl::StatusOr<size_t> RoomSender::NotifyServer(RoomCall call) {
  return Send({.kind = EnvelopeKind::kNotification, .content = ContentOf(std::move(call))});
}

absl::StatusOr<size_t> RoomSender::RefuseRequest(const RequestId& id, const std::string& peer) {
  nlohmann::json content = {{"message", "not supported"}};
  Envelope envelope{.kind = EnvelopeKind::kResponseError, .id = id};
  if (!peer.empty()) return SendEncrypted(std::move(envelope), std::move(content), {&peer, 1});
  envelope.content = std::move(content);
  return Send(envelope);
}

absl::StatusOr<size_t> RoomSender::SendEncrypted(Envelope envelope, nlohmann::json content,
                                                 std::span<const std::string> receivers) {
  if (!is_open() || receivers.empty()) return 0;
  absl::StatusOr<RoomCipher::Encrypted> encrypted =
      cipher_.Encrypt(WriteMsgpack(std::move(content)), receivers);
  if (!encrypted.ok()) return encrypted.status();
  // The server drops what nobody can read.
  if (encrypted->keys.empty()) return 0;
  envelope.keys = std::move(encrypted->keys);
  envelope.content = EncryptedContent{std::move(encrypted->content)};
  return Send(envelope);
}

absl::StatusOr<size_t> RoomSender::Send(const Envelope& envelope) {
  if (!is_open()) return 0;
  std::string message = WriteEnvelope(envelope);
  const size_t size = message.size();
  if (size > max_message_bytes_) {
    return absl::ResourceExhaustedError(absl::StrCat("a message of ", size,
                                                     " bytes to the room is over the limit of ",
                                                     max_message_bytes_, " of the server"));
  }
  messages_.push_back(std::move(message));
  return size;
}

std::optional<std::string> RoomSender::TakeMessage() {
  if (messages_.empty()) return std::nullopt;
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

}  // namespace cursorwire::oct
