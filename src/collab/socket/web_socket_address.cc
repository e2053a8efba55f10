#include "collab/socket/web_socket_address.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "collab/socket/web_socket.h"

namespace cursorwire::collab {
namespace {

constexpr size_t kMaxTargetBytes = size_t{8} * 1024;

bool IsTarget(std::string_view text) {
  return text.size() <= kMaxTargetBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

absl::Status BadUrl(std::string_view why) {
  return InvalidArgument(absl::StrCat(ToAbsl(kBadWebSocketUrl), ToAbsl(why)));
}

}  // namespace

// The texts must not quote more than host and port.
absl::StatusOr<WebSocketAddress> ParseWebSocketUrl(std::string_view text, bool allow_plaintext) {
  const std::optional<UrlPieces> pieces = SplitUrl(text);
  const std::string scheme = ToLower(pieces ? pieces->scheme : "");
  if (scheme != "ws" && scheme != "wss") {
    return BadUrl("it must begin with wss:// or ws://");
  }
  if (pieces->user) {
    return BadUrl("it must not hold a user name or password; leave out all up to the '@'");
  }
  if (pieces->rest.find('#') != std::string_view::npos) {
    return BadUrl("leave out the '#' and what is after it");
  }
  if (!IsTarget(pieces->rest)) {
    return BadUrl(absl::StrCat("path and query must be printable ASCII without blanks, at most ",
                               kMaxTargetBytes, " bytes; escape others as %XX"));
  }
  absl::StatusOr<Url> url =
      ParseUrl(absl::StrCat(scheme == "wss" ? "https://" : "http://", ToAbsl(pieces->authority)));
  if (!url.ok()) return url.status();
  if (!url->https && !url->is_loopback() && !allow_plaintext) {
    return InvalidArgument(
        absl::StrCat("ws:// to ", url->address(),
                     " can be read and changed by others on the way: use wss://, or "
                     "--allow-plaintext if nobody else is in that network"));
  }
  return WebSocketAddress{
      .url = *std::move(url),
      .target = absl::StrCat(pieces->rest.starts_with('/') ? "" : "/", ToAbsl(pieces->rest))};
}

}  // namespace cursorwire::collab
