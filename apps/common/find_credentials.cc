#include "common/find_credentials.h"

#ifdef CURSORWIRE_HAS_DESKTOP
#include <cursorwire/desktop_login.h>
#endif

#include <optional>
#include <utility>

namespace cursor_apps {

absl::StatusOr<std::shared_ptr<cursorwire::Credentials>> FindCredentials(
    cursorwire::CredentialsOptions options) {
#ifdef CURSORWIRE_HAS_DESKTOP
  options.desktop = [] { return cursorwire::ReadDesktopLogin(); };
#else
  options.desktop = []() -> absl::StatusOr<std::optional<cursorwire::FoundTokens>> {
    return absl::UnimplementedError(
        "this program was built without SQLite: it cannot read "
        "the login of the desktop application");
  };
#endif
  return cursorwire::Credentials::Create(std::move(options));
}

}  // namespace cursor_apps
