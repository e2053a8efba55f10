#include "mcp/http_exchange.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "json/json_member.h"
#include "jsonrpc/message.h"

namespace cursorwire::mcp {
namespace {

// A header's value must be visible ASCII. Source: docs/mcp.md, servers over HTTP.
std::string HeaderValue(const std::string& text) {
  if (IsVisible(text) && !text.starts_with("=?")) return text;
  return absl::StrCat("=?base64?", absl::Base64Escape(text), "?=");
}

}  // namespace

bool IsVisible(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

std::string HttpExchange::method() const { return TextOf(message, "method"); }

std::string HttpExchange::modern_version() const {
  return TextOf(MemberOf(MemberOf(message, "params"), "_meta"),
                "io.modelcontextprotocol/protocolVersion");
}

void HttpExchange::Restart() {
  step = Step::kResumed;
  head = {};
  body.clear();
  events.Restart();
}

http::Request HttpExchange::Request(uint64_t id, const HttpSession& current,
                                    http::Headers headers) const {
  headers.emplace_back("Accept",
                       posts() ? "application/json, text/event-stream" : "text/event-stream");
  if (posts()) headers.emplace_back("Content-Type", "application/json");
  if (!events.last_id().empty() && IsVisible(events.last_id())) {
    headers.emplace_back("Last-Event-ID", events.last_id());
  }
  if (const std::string modern = modern_version(); !modern.empty()) {
    headers.emplace_back("MCP-Protocol-Version", modern);
    headers.emplace_back("Mcp-Method", HeaderValue(method()));
    // Of a tool; a resource is named by its URI.
    std::string name = TextOf(MemberOf(message, "params"), "name");
    if (name.empty()) name = TextOf(MemberOf(message, "params"), "uri");
    if (!name.empty()) headers.emplace_back("Mcp-Name", HeaderValue(name));
  } else if (!begins_session()) {
    if (!current.version.empty()) headers.emplace_back("MCP-Protocol-Version", current.version);
    if (!current.id.empty()) headers.emplace_back("Mcp-Session-Id", current.id);
  }
  return {.id = id,
          .method = posts() ? "POST" : "GET",
          .headers = std::move(headers),
          .body = posts() ? line : "",
          .once = method() == "tools/call"};
}

}  // namespace cursorwire::mcp
