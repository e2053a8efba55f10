#ifndef CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_FILE_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_FILE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "client/auth/login_tokens.h"
#include "files/locked_file.h"

namespace cursorwire {

// A file with the tokens of a login, ours or the official CLI's. It is private, and replaced as a
// whole. Who changes it holds its lock; who reads it needs none.

// nullopt: there is no such file, or no login in it.
//   kUnauthenticated  others may read it, it cannot be read, or it is no file of tokens
absl::StatusOr<std::optional<LoginTokens>> ReadLogin(const std::string& path);

// Whether a login can be kept there: the file is private, or missing. What is in it is not asked.
//   kUnauthenticated  others may read it, or it cannot be read
absl::Status CheckLoginFile(const std::string& path);

// The file, held by this process. Thread-compatible; move-only.
class HeldLogin {
 public:
  // Waits for another process that holds it, at most kPatience. With kMake, makes the file and its
  // folder if they are missing.
  //   kNotFound         it is missing, with kRefuse
  //   kUnavailable      the other process does not let go of it
  //   kCancelled        `stop` was requested
  //   kUnauthenticated  others may read it, or it cannot be opened
  static absl::StatusOr<HeldLogin> Open(const std::string& path, LockedFile::Missing missing,
                                        const std::stop_token& stop);

  static constexpr std::chrono::seconds kPatience{30};

  // Empty: there are none, or they cannot be read.
  const LoginTokens& tokens() const { return tokens_; }
  // Members of the file that nobody knows stay as they are.
  absl::Status Save(const LoginTokens& tokens);
  void Remove() { file_.Remove(); }

 private:
  HeldLogin(LockedFile file, std::string json, LoginTokens tokens)
      : file_(std::move(file)), json_(std::move(json)), tokens_(std::move(tokens)) {}

  LockedFile file_;
  std::string json_;
  LoginTokens tokens_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_FILE_H_
