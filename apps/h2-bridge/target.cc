#include "target.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/strings.h"
#include "base/text.h"

namespace h2_bridge {
namespace {

using cursorwire::connect::Security;

absl::Status Bad(const char* what) {
  return absl::InvalidArgumentError(std::string("the URL ") + what);
}

std::optional<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || rest != end || port == 0) return std::nullopt;
  return port;
}

// Letters, digits, and what names and addresses have between them.
bool IsHost(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == ':';
  });
}

}  // namespace

bool Target::is_loopback() const {
  in_addr address{};
  const bool is_address = ::inet_pton(AF_INET, host.c_str(), &address) == 1;
  return host == "localhost" || host == "::1" || (is_address && host.starts_with("127."));
}

absl::StatusOr<Target> ParseTarget(std::string_view url) {
  url = cursorwire::Trim(url);
  const size_t scheme_end = url.find("://");
  if (scheme_end == url.npos) return Bad("has no scheme");
  const std::string scheme = cursorwire::ToLower(url.substr(0, scheme_end));
  if (scheme != "https" && scheme != "http") return Bad("is neither https nor http");
  const bool tls = scheme == "https";
  Target target{.port = static_cast<uint16_t>(tls ? 443 : 80),
                .security = tls ? Security::kTls : Security::kPlaintext};

  std::string_view rest = url.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  if (rest.find('@') != rest.npos) return Bad("must not name a user");
  std::string_view host = rest.substr(0, rest.find(':'));
  const bool brackets = rest.starts_with('[');
  if (brackets) {
    const size_t end = rest.find(']');
    if (end == rest.npos) return Bad("has no ']'");
    host = rest.substr(1, end - 1);
    rest = rest.substr(end + 1);
  } else {
    rest = rest.substr(host.size());
  }
  if (!IsHost(host)) return Bad("has no host, or one that is not a name or address");
  target.host = cursorwire::ToLower(host);
  target.authority = brackets ? "[" + target.host + "]" : target.host;
  if (rest.empty() || rest == ":") return target;
  const std::optional<uint16_t> port =
      rest.starts_with(':') ? ParsePort(rest.substr(1)) : std::optional<uint16_t>();
  if (!port) return Bad("has a bad port");
  if (*port != target.port) target.authority += ":" + std::to_string(*port);
  target.port = *port;
  return target;
}

}  // namespace h2_bridge
