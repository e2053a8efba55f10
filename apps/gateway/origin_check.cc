#include "origin_check.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "api/api_error.h"
#include "api/concat.h"
#include "base/url.h"

namespace cursor_gateway {
namespace {

// Fields of requests that the SDKs send from a browser; those with "-" at the end are beginnings.
constexpr std::string_view kAllowedFields[] = {"authorization", "content-type",    "x-api-key",
                                               "user-agent",    "idempotency-key", "x-session-id",
                                               "anthropic-",    "openai-",         "x-stainless-"};

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

bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(),
                     [word](const std::string& each) { return SameWord(each, word); });
}

bool IsOwn(std::string_view name, const OwnNames& names) {
  return !names.is_loopback || name == "127.0.0.1" || name == "[::1]" ||
         SameWord(name, "localhost") || Contains(names.hosts, name);
}

// nullptr: no page of those origins asks.
const std::string* AllowedOrigin(const HttpHead& head, const OwnNames& names) {
  const std::string* origin = head.Find("origin");
  const bool allowed =
      origin != nullptr && head.Count("origin") == 1 && Contains(names.origins, *origin);
  return allowed ? origin : nullptr;
}

// Those of the names that a page may send.
std::string AllowedFields(std::string_view asked) {
  std::string allowed;
  for (const auto part : absl::StrSplit(absl::string_view(asked.data(), asked.size()), ',')) {
    const std::string name = absl::AsciiStrToLower(absl::StripAsciiWhitespace(part));
    for (const std::string_view known : kAllowedFields) {
      if (name != known && !(known.ends_with('-') && name.starts_with(known))) continue;
      allowed += Concat(allowed.empty() ? "" : ", ", name);
    }
  }
  return allowed;
}

absl::Status Forbidden(std::string_view message) {
  return ToStatus({.status = 403, .type = "permission_error", .message = std::string(message)});
}

}  // namespace

bool IsHostName(std::string_view text) {
  return NameOfHost(text) == text && text.find_first_of("/*?#@, \t") == std::string_view::npos;
}

std::optional<std::string_view> HostOfOrigin(std::string_view origin) {
  const std::optional<cursorwire::UrlPieces> pieces = cursorwire::SplitUrl(origin);
  if (!pieces || pieces->scheme.empty() || !pieces->rest.empty()) return std::nullopt;
  const std::optional<std::string_view> name = NameOfHost(pieces->authority);
  return name && IsHostName(*name) ? std::optional(pieces->authority) : std::nullopt;
}

absl::Status CheckOrigin(const HttpHead& head, const OwnNames& names) {
  const std::string* host = head.Find("host");
  if (host == nullptr || head.Count("host") != 1) {
    return BadRequest("a request must have one header Host", "");
  }
  const std::optional<std::string_view> name = NameOfHost(*host);
  if (!name || !IsOwn(*name, names)) {
    return Forbidden(
        "the header Host names another machine than this gateway; --allow-host admits a name");
  }
  if (AllowedOrigin(head, names) != nullptr) return absl::OkStatus();
  if (const std::string* site = head.Find("sec-fetch-site");
      site != nullptr && SameWord(*site, "cross-site")) {
    return Forbidden("pages of other sites may not use this gateway; --allow-origin admits one");
  }
  const std::string* origin = head.Find("origin");
  if (origin == nullptr) return absl::OkStatus();
  // A proxy may have TLS, and hand Host on.
  if (head.Count("origin") == 1 &&
      (SameWord(*origin, Concat("http://", *host)) ||
       SameWord(*origin, Concat("https://", *host)) || SameWord(*origin, names.public_origin))) {
    return absl::OkStatus();
  }
  return Forbidden("pages of other origins may not use this gateway; --allow-origin admits one");
}

HttpFields CorsFields(const HttpHead& head, const OwnNames& names) {
  const std::string* origin = AllowedOrigin(head, names);
  if (origin == nullptr) return {};
  return {
      {"Access-Control-Allow-Origin", *origin},
      {"Access-Control-Expose-Headers", "x-request-id, request-id, retry-after, x-should-retry"},
      {"Vary", "Origin"}};
}

std::optional<HttpAnswer> PreflightAnswer(const HttpHead& head, const OwnNames& names,
                                          std::string_view methods) {
  if (head.method != "OPTIONS" || head.Find("access-control-request-method") == nullptr ||
      AllowedOrigin(head, names) == nullptr) {
    return std::nullopt;
  }
  HttpAnswer answer{.status = 204,
                    .fields = {{"Access-Control-Allow-Methods", std::string(methods)},
                               {"Access-Control-Max-Age", "600"}}};
  if (const std::string* asked = head.Find("access-control-request-headers")) {
    answer.fields.emplace_back("Access-Control-Allow-Headers", AllowedFields(*asked));
  }
  return answer;
}

}  // namespace cursor_gateway
