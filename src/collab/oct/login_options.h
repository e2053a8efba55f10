#ifndef CURSORWIRE_SRC_COLLAB_OCT_LOGIN_OPTIONS_H_
#define CURSORWIRE_SRC_COLLAB_OCT_LOGIN_OPTIONS_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::oct {

// Characters of the id of a room. Servers make 24.
constexpr size_t kMaxRoomIdCharacters = 128;
// Bytes of the name and of the email address that a form gets.
constexpr size_t kMaxLoginFieldBytes = 256;

// How a person is known to the server.
enum class LoginMode : uint8_t {
  kAuto,  // a form for a name gets the name, if the server has one; else as kUrl
  kUrl,   // the person opens the page of the server
};

struct LoginOptions {
  // Of http or https; its path stands before all paths: ParseLoginServer().
  std::string server{"https://api.open-collab.tools/"};
  // http to other machines too, where everybody on the way can read the tokens.
  bool allow_plaintext = false;
  std::string room{};
  std::string name{"agent"};
  std::string email{};  // may be empty
  LoginMode mode = LoginMode::kAuto;
  // Until somebody has logged in, since the start.
  std::chrono::milliseconds login_timeout{300000};
  // Until the host has let us in, since the login.
  std::chrono::milliseconds join_timeout{300000};
  // Of each connection.
  std::chrono::milliseconds connect_timeout{10000};
  // PEM text of certificates, which alone are trusted. Empty: those of the system.
  std::string ca_pem{};
};

// Whether a text may be the id of a room: printable ASCII, not empty, not over
// kMaxRoomIdCharacters, and no step in a path, "." or "..".
bool IsRoomId(std::string_view text);

//   kInvalidArgument  room, name, email or a timeout; the server is not looked at
absl::Status CheckLoginOptions(const LoginOptions& options);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_LOGIN_OPTIONS_H_
