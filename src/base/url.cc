#include "base/url.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxHostBytes = 253;

absl::Status BadUrl(std::string_view why) {
  return LocalError(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("bad URL: ", std::string(why)));
}

bool IsHostCharacter(char c, bool bracketed) {
  const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  return alphanumeric || c == '.' || c == '-' || c == '_' || (bracketed && c == ':');
}

absl::Status SetHost(std::string_view text, bool bracketed, Url& url) {
  url.host = ToLower(text);
  if (url.host.empty()) return BadUrl("it has no host");
  if (url.host.size() > kMaxHostBytes) return BadUrl("its host is too long");
  for (const char c : url.host) {
    if (!IsHostCharacter(c, bracketed))
      return BadUrl("its host has a character that is not allowed");
  }
  return absl::OkStatus();
}

absl::Status SetHostAndPort(std::string_view text, Url& url) {
  const bool bracketed = text.starts_with('[');
  size_t host_end = text.find(':');
  if (bracketed) {
    const size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return BadUrl("a bracket is not closed");
    host_end = bracket + 1;
  }
  const std::string_view host = text.substr(0, host_end);
  absl::Status status = SetHost(bracketed ? host.substr(1, host.size() - 2) : host, bracketed, url);
  if (!status.ok()) return status;
  if (host.size() == text.size()) return absl::OkStatus();
  const std::string_view port = text.substr(host.size());
  const bool digits = port.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (port.front() != ':' || !digits || !absl::SimpleAtoi(ToAbsl(port.substr(1)), &url.port) ||
      url.port < 1 || url.port > 65535) {
    return BadUrl("its port is no number from 1 to 65535");
  }
  return absl::OkStatus();
}

// True for four decimal numbers up to 255, as in RFC 3986, 3.2.2.
bool IsIpv4(const std::string& host) {
  const std::vector<std::string> parts = absl::StrSplit(host, '.');
  if (parts.size() != 4) return false;
  for (const std::string& part : parts) {
    int number = -1;
    if (part.size() > 3 || part.find_first_not_of("0123456789") != std::string::npos ||
        !absl::SimpleAtoi(part, &number) || number > 255) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string Url::authority() const {
  std::string name = address();
  if (port == (https ? 443 : 80)) name.resize(name.rfind(':'));
  return name;
}

std::string Url::address() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return absl::StrCat(is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", ":", port);
}

bool Url::is_loopback() const {
  // Only a complete address counts: "127.evil.example" and "127.1.2" are ordinary names.
  return host == "localhost" || host == "::1" || (absl::StartsWith(host, "127.") && IsIpv4(host));
}

std::optional<UrlPieces> SplitUrl(std::string_view text) {
  const size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  UrlPieces pieces{.scheme = text.substr(0, scheme_end)};
  text.remove_prefix(scheme_end + 3);
  pieces.authority = text.substr(0, text.find_first_of("/?#"));
  pieces.rest = text.substr(pieces.authority.size());
  pieces.host_and_port = pieces.authority;
  if (const size_t at = pieces.authority.rfind('@'); at != std::string_view::npos) {
    pieces.user = pieces.authority.substr(0, at);
    pieces.host_and_port.remove_prefix(at + 1);
  }
  return pieces;
}

absl::StatusOr<Url> ParseUrl(std::string_view text) {
  Url url;
  const std::optional<UrlPieces> pieces = SplitUrl(text);
  const std::string scheme = ToLower(pieces ? pieces->scheme : "");
  if (scheme != "https" && scheme != "http") {
    return BadUrl("it must begin with https:// or http://");
  }
  url.https = scheme == "https";
  url.port = url.https ? 443 : 80;
  if (pieces->user) return BadUrl("it must not hold a user name or password");
  if (absl::Status status = SetHostAndPort(pieces->host_and_port, url); !status.ok()) return status;
  url.path = pieces->rest.substr(0, pieces->rest.find_first_of("?#"));
  while (url.path.ends_with('/')) url.path.pop_back();
  for (const char c : url.path) {
    if (c <= 0x20 || c > 0x7E) return BadUrl("its path has a character that is not allowed");
  }
  return url;
}

}  // namespace cursorwire
