#include "cursorwire/connect/version.h"

#include "h2/nghttp2_api.h"
#include "tls/openssl.h"

// The build gives the version as it is, since quotes on a command line are not read by all alike.
#define CURSORWIRE_TEXT_OF(text) #text
#define CURSORWIRE_TEXT(text) CURSORWIRE_TEXT_OF(text)

namespace cursorwire::connect {

std::string_view Version() { return CURSORWIRE_TEXT(CURSORWIRE_VERSION); }

std::vector<LibraryVersion> LibraryVersions() {
  return {{.name = "nghttp2", .version = nghttp2_version(0)->version_str},
          {.name = "OpenSSL", .version = OpenSSL_version(OPENSSL_VERSION_STRING)}};
}

}  // namespace cursorwire::connect
