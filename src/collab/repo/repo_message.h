#ifndef CURSORWIRE_SRC_COLLAB_REPO_REPO_MESSAGE_H_
#define CURSORWIRE_SRC_COLLAB_REPO_REPO_MESSAGE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cursorwire::collab {

// The messages of automerge-repo, one in each message of a WebSocket:
// docs/collab/automerge-repo.md.

// The first one, of the client.
struct JoinMessage {
  std::string sender{};
  bool is_ephemeral = true;  // nothing of this peer outlives it
};
// The answer to it.
struct PeerMessage {
  std::string sender{};
  std::string target{};
  std::string version{};  // that the server has chosen
};
// A step of the exchange of a document. `request`: the sender has nothing of it, and wants to be
// told if the other has neither.
struct DocumentMessage {
  bool request = false;
  std::string sender{};
  std::string target{};
  std::string document{};
  std::string data{};  // a sync message
};
struct UnavailableMessage {
  std::string sender{};
  std::string target{};
  std::string document{};
};
// To all who have a document open, and kept by nobody.
struct EphemeralMessage {
  std::string sender{};
  std::string target{};
  std::string document{};
  std::string session{};  // of the sender: a new one for each process
  int64_t count = 0;      // within it
  std::string data{};
};
struct LeaveMessage {
  std::string sender{};
};
struct ErrorMessage {
  std::string message{};
};
// Of a type that is not known or not needed.
struct OtherMessage {
  std::string type{};
};

using RepoMessage = std::variant<JoinMessage, PeerMessage, DocumentMessage, UnavailableMessage,
                                 EphemeralMessage, LeaveMessage, ErrorMessage, OtherMessage>;

// Members that are not known are left out.
//   kInvalidArgument    no map of CBOR with a type, or a member of the wrong kind; which one, it
//   says kResourceExhausted  over a limit of CBOR
absl::StatusOr<RepoMessage> ReadRepoMessage(std::string_view bytes);
// Nothing for OtherMessage.
std::string WriteRepoMessage(const RepoMessage& message);

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_REPO_REPO_MESSAGE_H_
