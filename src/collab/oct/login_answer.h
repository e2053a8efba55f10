#ifndef CURSORWIRE_SRC_COLLAB_OCT_LOGIN_ANSWER_H_
#define CURSORWIRE_SRC_COLLAB_OCT_LOGIN_ANSWER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/url.h"
#include "collab/oct/room_peer.h"

namespace cursorwire::oct {

// Of one answer.
constexpr size_t kMaxLoginAnswerBytes = size_t{1024} * 1024;
constexpr size_t kMaxLoginAnswerValues = 10000;
constexpr size_t kMaxLoginAnswerDepth = 32;
// Characters of a token. It becomes a header, or a step of a path.
constexpr size_t kMaxLoginTokenCharacters = size_t{8} * 1024;

// What the answers of a server say, over their JSON: docs/collab/oct.md, "Login and joining". All
// errors are kInternal, and quote no more than a version.

// An object; the other functions take it.
absl::StatusOr<nlohmann::json> ReadLoginAnswer(std::string_view body);

// Of `api/meta`: that the server speaks our version, over a transport that we have.
absl::Status CheckServerMeta(const nlohmann::json& answer);

// Printable ASCII.
absl::StatusOr<std::string> ReadLoginToken(const nlohmann::json& answer, std::string_view name);

// How one can log in.
struct LoginOffer {
  std::string poll_token{};
  std::string page_url{};  // for the person; empty: none, or none that may be shown
  std::string form_url{};  // on the server; takes a name and an email; empty: none
};
absl::StatusOr<LoginOffer> ReadLoginOffer(const Url& server, const nlohmann::json& answer);

// What lets us into a room. A value.
struct RoomAccess {
  std::string room_id{};
  std::string room_token{};   // secret; printable ASCII
  std::string login_token{};  // secret; not in the answer
  RoomPeer host{};
  std::string workspace{};  // its name: UTF-8, with any characters; empty: none, or too long
};
// Bytes of the name of a workspace.
constexpr size_t kMaxWorkspaceNameBytes = 1024;
absl::StatusOr<RoomAccess> ReadRoomAccess(const nlohmann::json& answer);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_LOGIN_ANSWER_H_
