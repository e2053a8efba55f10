#include "target.h"

#include <optional>

#include "base/strings.h"
#include "base/url.h"

namespace h2_bridge {

bool Target::is_loopback() const { return cursorwire::Url{.host = host}.is_loopback(); }

absl::StatusOr<Target> ParseTarget(std::string_view url) {
  url = cursorwire::Trim(url);
  const std::optional<cursorwire::UrlPieces> pieces = cursorwire::SplitUrl(url);
  if (pieces) url.remove_suffix(pieces->rest.size());  // its bytes do not matter
  if (url.ends_with(':')) url.remove_suffix(1);        // an empty port; RFC 3986, 3.2.3
  const absl::StatusOr<cursorwire::Url> read = cursorwire::ParseUrl(url);
  if (!read.ok()) return read.status();
  return Target{.host = read->host,
                .port = static_cast<uint16_t>(read->port),
                .authority = read->authority(),
                .security = read->https ? cursorwire::connect::Security::kTls
                                        : cursorwire::connect::Security::kPlaintext};
}

}  // namespace h2_bridge
