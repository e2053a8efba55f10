#include "cursorwire/connect/version.h"

#include "h2/nghttp2_api.h"
#include "tls/openssl.h"

namespace cursorwire::connect {

std::string_view Version() { return CURSORWIRE_VERSION; }

std::vector<LibraryVersion> LibraryVersions() {
  return {{.name = "nghttp2", .version = nghttp2_version(0)->version_str},
          {.name = "OpenSSL", .version = OpenSSL_version(OPENSSL_VERSION_STRING)}};
}

}  // namespace cursorwire::connect
