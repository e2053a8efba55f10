#include "mcp/call_result.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "cursorwire/chat.h"
#include "json/json_member.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

using jsonrpc::Json;

// With the notice of a cut, a text fits kMaxToolTextBytes.
constexpr size_t kMaxResultTextBytes = size_t{511} * 1024;
constexpr size_t kMaxNamedBytes = 500;

std::string Named(std::string_view text) { return PlainLine(text, kMaxNamedBytes); }

// nullopt if it is no base64.
std::optional<std::string> Decoded(const std::string& base64) {
  std::string bytes;
  if (!absl::Base64Unescape(base64, &bytes)) return std::nullopt;
  return bytes;
}

// `what` names it where it cannot be shown. What servers say of the type is often wrong, and an
// image that the model's service refuses would stay in the conversation: the bytes decide.
ToolResult::Item ImageItem(std::string_view what, const std::string& base64) {
  const absl::string_view name = ToAbsl(what);
  std::optional<std::string> bytes = Decoded(base64);
  if (!bytes) return absl::StrCat("[", name, " is left out: it is not valid base64]");
  if (bytes->empty()) return absl::StrCat("[", name, " is left out: it has no bytes]");
  if (bytes->size() > kMaxImageBytes) {
    return absl::StrCat("[", name, " is left out: ", bytes->size(), " bytes, over the limit of ",
                        kMaxImageBytes, "]");
  }
  const std::optional<std::string_view> type = ImageMimeType(*bytes);
  if (!type) {
    return absl::StrCat("[", name, " is left out: its ", bytes->size(),
                        " bytes are not a jpeg, png, gif or webp]");
  }
  return ToolImage{.bytes = *std::move(bytes), .mime_type = std::string(*type)};
}

std::string NameOfImage(const std::string& type) {
  return type.empty() ? "an image" : absl::StrCat("an image (", Named(type), ")");
}

ToolResult::Item ResourceItem(const Json& resource) {
  const std::string uri = Named(TextOf(resource, "uri"));
  const std::string type = TextOf(resource, "mimeType");
  if (MemberOf(resource, "text").is_string()) {
    return absl::StrCat("[", uri, "]\n", TextOf(resource, "text"));
  }
  if (type.starts_with("image/")) {
    return ImageItem(absl::StrCat("the resource ", uri, ", ", NameOfImage(type), ","),
                     TextOf(resource, "blob"));
  }
  return absl::StrCat("[the resource ", uri, " (", Named(type), ") is not text and not shown]");
}

std::string LinkText(const Json& link) {
  std::string text = absl::StrCat("[a link to the resource ", Named(TextOf(link, "uri")));
  const char* before = " ";
  for (const char* member : {"name", "title", "description"}) {
    const std::string said = Named(TextOf(link, member));
    if (said.empty()) continue;
    absl::StrAppend(&text, before, said);
    before = ": ";
  }
  return text + "]";
}

ToolResult::Item ReadItem(const Json& content) {
  const std::string type = TextOf(content, "type");
  if (type == "text") return TextOf(content, "text");
  if (type == "image") {
    return ImageItem(NameOfImage(TextOf(content, "mimeType")), TextOf(content, "data"));
  }
  if (type == "resource") return ResourceItem(MemberOf(content, "resource"));
  if (type == "resource_link") return LinkText(content);
  if (type == "audio") {
    return absl::StrCat("[audio (", Named(TextOf(content, "mimeType")), ") is not shown]");
  }
  return absl::StrCat("[content of the unknown type '", Named(type), "' is not shown]");
}

bool HasText(const ToolResult& result) {
  for (const ToolResult::Item& item : result.content) {
    const auto* text = std::get_if<std::string>(&item);
    if (text != nullptr && !text->empty()) return true;
  }
  return false;
}

void CutTexts(ToolResult& result) {
  size_t total = 0;
  size_t kept = 0;
  std::string* last = nullptr;
  for (ToolResult::Item& item : result.content) {
    auto* text = std::get_if<std::string>(&item);
    if (text == nullptr) continue;
    total += text->size();
    text->resize(Utf8Prefix(*text, kMaxResultTextBytes - kept).size());
    kept += text->size();
    if (kept < total && last == nullptr) last = text;
  }
  if (last != nullptr) {
    absl::StrAppend(last, "\n[the first ", kept, " of ", total, " bytes; the rest is left out]");
  }
}

}  // namespace

ToolResult ReadCallResult(const Json& json) {
  const std::string kind = TextOf(json, "resultType");
  if (!kind.empty() && kind != "complete") {
    return ToolResult::Error(absl::StrCat("the server wants more input (", Named(kind),
                                          "), which this client does not give"));
  }
  ToolResult result;
  result.is_error = MemberOf(json, "isError") == true;
  const Json& content = MemberOf(json, "content");
  if (content.is_array()) {
    for (const Json& item : content) result.content.push_back(ReadItem(item));
  }
  const Json& structured = MemberOf(json, "structuredContent");
  if (!structured.is_null()) {
    std::string text = jsonrpc::WriteJsonText(structured);
    if (!HasText(result)) result.content.emplace_back(text);
    if (structured.is_object()) result.structured_json = std::move(text);
  }
  if (result.content.empty()) result.content.emplace_back(std::string());
  CutTexts(result);
  return result;
}

}  // namespace cursorwire::mcp
