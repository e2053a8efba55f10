#include "origin_check.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "openai/api_error.h"
#include "openai/concat.h"

namespace cursor_gateway {
namespace {

// "name" or "name:port", where the name may be an IPv6 address in brackets. nullopt: it is none.
std::optional<std::string_view> NameOfHost(std::string_view host) {
  const size_t bracket = host.find(']');
  const size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string_view name = host.substr(0, colon);
  if (name.empty()) return std::nullopt;
  if (colon == std::string_view::npos) return name;
  const std::string_view port = host.substr(colon + 1);
  const bool digits =
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && port.size() <= 5 ? std::optional(name) : std::nullopt;
}

bool IsThisMachine(std::string_view name) {
  return name == "127.0.0.1" || name == "[::1]" || SameWord(name, "localhost");
}

absl::Status Forbidden(std::string_view message) {
  return ToStatus({.status = 403, .type = "permission_error", .message = std::string(message)});
}

}  // namespace

absl::Status CheckOrigin(const HttpHead& head, bool is_loopback) {
  const std::string* host = head.Find("host");
  if (host == nullptr || head.Count("host") != 1) {
    return BadRequest("a request must have one header Host", "");
  }
  const std::optional<std::string_view> name = NameOfHost(*host);
  if (!name || (is_loopback && !IsThisMachine(*name))) {
    return Forbidden("the header Host names another machine than this gateway");
  }
  if (const std::string* site = head.Find("sec-fetch-site");
      site != nullptr && SameWord(*site, "cross-site")) {
    return Forbidden("pages of other sites may not use this gateway");
  }
  const std::string* origin = head.Find("origin");
  if (origin == nullptr) return absl::OkStatus();
  if (head.Count("origin") == 1 && SameWord(*origin, Concat("http://", *host))) {
    return absl::OkStatus();
  }
  return Forbidden("pages of other origins may not use this gateway");
}

}  // namespace cursor_gateway
