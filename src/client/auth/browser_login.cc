#include "client/auth/browser_login.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <openssl/rand.h>

#include "base/error.h"
#include "base/sha256.h"

namespace cursorwire {
namespace {

// Their base64url has 128 characters, the most that RFC 7636 allows.
constexpr size_t kVerifierBytes = 96;

}  // namespace

absl::StatusOr<BrowserLogin> NewBrowserLogin(IdSource& ids) {
  std::string bytes(kVerifierBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), kVerifierBytes) != 1) {
    return LocalError(absl::StatusCode::kUnavailable, "the system gives no random bytes");
  }
  return BrowserLogin{.uuid = ids.Uuid(), .verifier = absl::WebSafeBase64Escape(bytes)};
}

std::string LoginPage(const BrowserLogin& login) {
  return absl::StrCat("https://cursor.com/loginDeepControl?challenge=",
                      absl::WebSafeBase64Escape(Sha256(login.verifier)), "&uuid=", login.uuid,
                      "&mode=login&redirectTarget=cli");
}

std::string PollPath(const BrowserLogin& login) {
  return absl::StrCat("/auth/poll?uuid=", login.uuid, "&verifier=", login.verifier);
}

}  // namespace cursorwire
