#include "collab/oct/login_server.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::oct {
namespace {

bool IsUrlText(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLoginUrlBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

bool HasScheme(std::string_view place) { return place.find(':') < place.find_first_of("/?#"); }

}  // namespace

absl::StatusOr<Url> ParseLoginServer(std::string_view text, bool allow_plaintext) {
  if (text.find_first_of("?#") != std::string_view::npos) {
    return InvalidArgument("bad URL: it must end before a '?' or '#'");
  }
  if (text.size() > kMaxLoginUrlBytes) return InvalidArgument("bad URL: it is too long");
  absl::StatusOr<Url> url = ParseUrl(text);
  if (!url.ok()) return url.status();
  if (!url->https && !url->is_loopback() && !allow_plaintext) {
    return InvalidArgument(
        absl::StrCat("http:// to ", url->address(),
                     " can be read and changed by others on the way: use https://, or "
                     "--allow-plaintext if nobody else is in that network"));
  }
  return url;
}

std::string ServerUrlText(const Url& server) {
  return absl::StrCat(server.https ? "https://" : "http://", server.authority(), server.path);
}

std::string RoomSocketUrl(const Url& server) {
  return absl::StrCat(server.https ? "wss://" : "ws://", server.authority(), server.path,
                      "/socket.io/?EIO=4&transport=websocket");
}

std::optional<std::string> ResolveOnServer(const Url& server, std::string_view place) {
  if (!IsUrlText(place)) return std::nullopt;
  if (HasScheme(place)) {
    return ParseUrl(place).ok() ? std::optional(std::string(place)) : std::nullopt;
  }
  if (place.starts_with("//")) return std::nullopt;  // it would name another host
  return absl::StrCat(ServerUrlText(server), place.starts_with('/') ? "" : "/", ToAbsl(place));
}

bool IsOnServer(const Url& server, std::string_view url) {
  const absl::StatusOr<Url> other = ParseUrl(url);
  return other.ok() && other->https == server.https && other->host == server.host &&
         other->port == server.port;
}

std::string PathStep(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kMarks = "-._~";
  std::string step;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (absl::ascii_isalnum(byte) || kMarks.find(c) != kMarks.npos) {
      step += c;
    } else {
      step += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return step;
}

}  // namespace cursorwire::oct
