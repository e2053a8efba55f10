#ifndef CURSORWIRE_APPS_COMMON_FIND_CREDENTIALS_H_
#define CURSORWIRE_APPS_COMMON_FIND_CREDENTIALS_H_

#include <absl/status/statusor.h>
#include <cursorwire/credentials.h>

#include <memory>

namespace cursor_apps {

// Credentials::Create(), with the login of the desktop application where programs are built with
// it. Reads the environment: call it before HideTokens().
absl::StatusOr<std::shared_ptr<cursorwire::Credentials>> FindCredentials(
    cursorwire::CredentialsOptions options);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_FIND_CREDENTIALS_H_
