// Room: src/desktop
#ifndef CURSORWIRE_DESKTOP_LOGIN_H_
#define CURSORWIRE_DESKTOP_LOGIN_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>

#include "cursorwire/credentials.h"
#include "cursorwire/export.h"

namespace cursorwire {

// Reads the login that Cursor's desktop application keeps in its SQLite database, which is not
// changed. For CredentialsOptions::desktop. It is a library of its own, cursorwire::desktop, which
// exists only where SQLite was found when it was built.
//
// `file`: the database; empty: where the application keeps it, for the user who is named by HOME,
// or by USERPROFILE or USERNAME in the Windows that this Linux is a part of. No other user's is
// looked at. nullopt: there is no such file, or no login in it.
//   kUnavailable         the application holds the database
//   kFailedPrecondition  it cannot be read, or is no such database; the message says which and why
// Source: docs/protocol.md, tokens and login.
CURSORWIRE_EXPORT absl::StatusOr<std::optional<FoundTokens>> ReadDesktopLogin(
    const std::string& file = "");

}  // namespace cursorwire

#endif  // CURSORWIRE_DESKTOP_LOGIN_H_
