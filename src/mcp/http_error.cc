#include "mcp/http_error.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "base/strings.h"
#include "base/url.h"
#include "json/json_member.h"
#include "jsonrpc/json_text.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

constexpr size_t kMaxShownBytes = 300;

std::string ShownLine(std::string_view text) {
  std::string line = PlainLine(text, kMaxShownBytes);
  absl::StripAsciiWhitespace(&line);
  return line;
}

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// A value that `text` begins with: a word, or a text in quotes. Source: RFC 9110, 5.6.4.
std::string ReadValue(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text.substr(0, text.find_first_of(", \t")));
  std::string value;
  for (size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  return value;
}

// A parameter of WWW-Authenticate; "" if it has none of that name. Source: RFC 6750, 3.
std::string ParameterOf(std::string_view header, std::string_view name) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(header));
  const std::string sought = absl::StrCat(ToAbsl(name), "=");
  bool quoted = false;
  for (size_t i = 0; i < lower.size(); ++i) {
    if (lower[i] == '\\' && quoted) {
      ++i;
    } else if (lower[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && lower.compare(i, sought.size(), sought) == 0 &&
               (i == 0 || lower[i - 1] == ' ' || lower[i - 1] == ',' || lower[i - 1] == '\t')) {
      return ReadValue(header.substr(i + sought.size()));
    }
  }
  return "";
}

// Why a server does not let us in, in its own words: of the header, else of a body as of OAuth.
std::string RefusalOf(const http::Head& head, std::string_view body) {
  std::string error = ParameterOf(head.authenticate, "error");
  std::string description = ParameterOf(head.authenticate, "error_description");
  if (error.empty() && description.empty() && head.content_type == "application/json") {
    const absl::StatusOr<jsonrpc::Json> json = jsonrpc::ParseJsonText(body);
    if (json.ok()) {
      error = TextOf(*json, "error");
      description = TextOf(*json, "error_description");
    }
  }
  error = ShownLine(error);
  description = ShownLine(description);
  if (error.empty() || description.empty()) return error + description;
  return absl::StrCat(description, " (", error, ")");
}

std::string AccessText(const http::Head& head, std::string_view body, ConfiguredHeaders headers) {
  std::string text = absl::StrCat("HTTP ", head.status, ": ");
  const std::string refusal = RefusalOf(head, body);
  if (!refusal.empty()) absl::StrAppend(&text, refusal, "; ");
  return text + (headers == ConfiguredHeaders::kNone
                     ? R"(it wants to know who asks: set "headers" for it)"
                     : R"(it does not accept the "headers" that are set for it)");
}

// Without what may be a key: the user before the host, and all that follows the path.
std::string Place(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::optional<UrlPieces> pieces = SplitUrl(url);
  if (!pieces) return ShownLine(url);
  return ShownLine(absl::StrCat(ToAbsl(pieces->scheme), "://", ToAbsl(pieces->host_and_port),
                                ToAbsl(pieces->rest)));
}

}  // namespace

std::string HttpErrorText(const http::Head& head, std::string_view body,
                          ConfiguredHeaders headers) {
  if (head.status == 401 || head.status == 403) return AccessText(head, body, headers);
  const std::string text = absl::StrCat("HTTP ", head.status);
  if (IsRedirect(head.status) && !head.location.empty()) {
    return absl::StrCat(text, ": it leads to ", Place(head.location),
                        "; only 307 and 308 on the same origin are followed");
  }
  const bool is_text = head.content_type == "application/json" || head.content_type == "text/plain";
  const std::string shown = is_text ? ShownLine(body) : "";
  return shown.empty() ? text : absl::StrCat(text, ": ", shown);
}

bool SaysThatSessionIsLost(std::string_view body) {
  constexpr size_t kMaxLookedAtBytes = size_t{4} * 1024;
  const std::string text = absl::AsciiStrToLower(ToAbsl(body.substr(0, kMaxLookedAtBytes)));
  if (absl::StrContains(text, "server not initialized")) return true;
  if (!absl::StrContains(text, "session")) return false;
  constexpr const char* kLost[] = {"not found", "no valid",  "invalid",    "unknown",
                                   "expired",   "missing",   "terminated", "not exist",
                                   "closed",    "no longer", "required"};
  return std::any_of(std::begin(kLost), std::end(kLost),
                     [&text](const char* word) { return absl::StrContains(text, word); });
}

}  // namespace cursorwire::mcp
