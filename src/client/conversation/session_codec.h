#ifndef CURSORWIRE_SRC_CLIENT_CONVERSATION_SESSION_CODEC_H_
#define CURSORWIRE_SRC_CLIENT_CONVERSATION_SESSION_CODEC_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/conversation/conversation_core.h"

namespace cursorwire {

// The bytes of a session file: a first line that names the format and its version, then fields in
// the encoding of protobuf, in this order: the head, which a list shows; the ids; the history and
// its fingerprint; the state and its hash; the blobs that the state needs.
//
// So a file that was cut or changed shows it: in the head or the history it is refused; in the
// state or the blobs it is read, and the next turn is built from the history.

struct SessionHead {
  std::string title{};
  std::string model{};
  std::string folder{};
  uint64_t turns = 0;
  int64_t updated_ms = 0;  // since 1970, UTC
};

struct SessionContent {
  SessionHead head{};
  ConversationSnapshot snapshot{};
  std::vector<std::string> blobs{};
};

std::string EncodeSession(const SessionContent& content);

//   kDataLoss       not a session, or its head or history is damaged
//   kUnimplemented  of a newer version
absl::StatusOr<SessionContent> DecodeSession(std::string_view bytes);

// Reads the head from the first bytes of a file: kMaxSessionHeadBytes are enough.
inline constexpr size_t kMaxSessionHeadBytes = size_t{16} * 1024;
absl::StatusOr<SessionHead> DecodeSessionHead(std::string_view bytes);

// The start of a prompt, on one line, for SessionHead::title.
std::string SessionTitle(std::string_view prompt);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_CONVERSATION_SESSION_CODEC_H_
