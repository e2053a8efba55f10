#include "upstream/server/request_check.h"

#include <absl/strings/str_cat.h>

#include <string_view>

#include "base/strings.h"

namespace cursorwire::upstream {
namespace {

constexpr std::string_view kRunPath = "/agent.v1.AgentService/Run";
constexpr size_t kMaxQuotedHeaderBytes = 80;

// In `shape`, '9' means a digit, 'f' a lower-case hex digit, and any other character itself.
bool Matches(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = c >= '0' && c <= '9';
    const bool hex = digit || (c >= 'a' && c <= 'f');
    if (shape[i] == '9' ? !digit : shape[i] == 'f' ? !hex : c != shape[i]) return false;
  }
  return true;
}

bool IsUuid4(std::string_view text) {
  return Matches(text, "ffffffff-ffff-4fff-ffff-ffffffffffff") &&
         std::string_view("89ab").find(text[19]) != std::string_view::npos;
}

Refusal Invalid(std::string_view name, std::string_view value) {
  return {.http_status = 400,
          .code = "invalid_argument",
          .message = absl::StrCat("request header ", ToAbsl(name), " is '",
                                  Printable(value, kMaxQuotedHeaderBytes), "'")};
}

// Checks all headers except the path.
std::optional<Refusal> CheckHeaders(const connect::Headers& headers,
                                    std::string_view content_type) {
  const auto value = [&](std::string_view name) { return headers.Get(name).value_or(""); };
  if (!value("authorization").starts_with("Bearer ") || value("authorization").size() < 8) {
    return Refusal{.http_status = 401,
                   .code = "unauthenticated",
                   .message = "request header authorization holds no bearer token"};
  }
  struct Exact {
    std::string_view name;
    std::string_view value;
  };
  const Exact exacts[] = {{":method", "POST"},
                          {"content-type", content_type},
                          {"connect-protocol-version", "1"},
                          {"te", "trailers"},
                          {"x-cursor-client-type", "cli"}};
  for (const Exact& exact : exacts) {
    if (value(exact.name) != exact.value) return Invalid(exact.name, value(exact.name));
  }
  if (value("x-ghost-mode") != "true" && value("x-ghost-mode") != "false") {
    return Invalid("x-ghost-mode", value("x-ghost-mode"));
  }
  if (!Matches(value("x-cursor-client-version"), "cli-9999.99.99-fffffff")) {
    return Invalid("x-cursor-client-version", value("x-cursor-client-version"));
  }
  if (!IsUuid4(value("x-request-id"))) return Invalid("x-request-id", value("x-request-id"));
  // Clients of this kind never send it. Source: docs/protocol.md, request headers.
  if (headers.Get("x-cursor-checksum")) return Invalid("x-cursor-checksum", "present");
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> CheckRunRequest(const connect::Headers& headers) {
  const std::string_view path = headers.Get(":path").value_or("");
  if (path != kRunPath) {
    return Refusal{
        .http_status = 404,
        .code = "unimplemented",
        .message = absl::StrCat("no such method: ", Printable(path, kMaxQuotedHeaderBytes))};
  }
  return CheckHeaders(headers, "application/connect+proto");
}

std::optional<Refusal> CheckUnaryRequest(const connect::Headers& headers) {
  return CheckHeaders(headers, "application/proto");
}

}  // namespace cursorwire::upstream
