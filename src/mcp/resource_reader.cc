#include "mcp/resource_reader.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "json/json_member.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

using jsonrpc::Json;

constexpr size_t kMaxUriBytes = size_t{2} * 1024;
constexpr size_t kMaxResourceNameBytes = 200;
constexpr size_t kMaxResourceDescriptionBytes = size_t{1} * 1024;
constexpr size_t kMaxResourceTextBytes = size_t{511} * 1024;
constexpr size_t kMaxResourceBytes = size_t{5} * 1024 * 1024;

std::string ShortWord(const Json& object, const char* name) {
  return PlainLine(TextOf(object, name), kMaxResourceNameBytes);
}

absl::StatusOr<ReadMcpResourceOutput> ReadContent(const Json& content) {
  ReadMcpResourceOutput output{.mime_type = ShortWord(content, "mimeType")};
  if (MemberOf(content, "text").is_string()) {
    output.content = TextOf(content, "text");
    return output;
  }
  output.is_text = false;
  if (!MemberOf(content, "blob").is_string() ||
      !absl::Base64Unescape(TextOf(content, "blob"), &output.content)) {
    return ProtocolError("the resource is neither text nor base64");
  }
  if (output.content.size() <= kMaxResourceBytes) return output;
  return LocalError(absl::StatusCode::kOutOfRange,
                    absl::StrCat("the resource has ", output.content.size(),
                                 " bytes, over the limit of ", kMaxResourceBytes));
}

// Several contents, such as the files of a folder, as one text.
absl::StatusOr<ReadMcpResourceOutput> JoinContents(const Json& contents) {
  ReadMcpResourceOutput joined;
  for (const Json& content : contents) {
    absl::StatusOr<ReadMcpResourceOutput> one = ReadContent(content);
    if (!one.ok()) return one.status();
    absl::StrAppend(&joined.content, "[", ShortWord(content, "uri"), "]\n");
    if (one->is_text) {
      absl::StrAppend(&joined.content, one->content, "\n");
    } else {
      absl::StrAppend(&joined.content, "[", one->content.size(), " bytes that are not text (",
                      one->mime_type, ")]\n");
    }
  }
  return joined;
}

}  // namespace

bool IsResourceUri(std::string_view uri) {
  return !uri.empty() && uri.size() <= kMaxUriBytes && PlainLine(uri, kMaxUriBytes) == uri;
}

absl::StatusOr<size_t> AddResources(const Json& page, const std::string& server,
                                    std::vector<McpResource>& resources) {
  const Json& list = MemberOf(page, "resources");
  if (!list.is_array()) return ProtocolError("the answer to resources/list has no list");
  size_t left_out = 0;
  for (const Json& resource : list) {
    std::string uri = TextOf(resource, "uri");
    if (!IsResourceUri(uri) || resources.size() >= kMaxResources) {
      ++left_out;
      continue;
    }
    const std::string title = ShortWord(resource, "title");
    resources.push_back(
        {.uri = std::move(uri),
         .name = title.empty() ? ShortWord(resource, "name") : title,
         .description = PlainLine(TextOf(resource, "description"), kMaxResourceDescriptionBytes),
         .mime_type = ShortWord(resource, "mimeType"),
         .server = server});
  }
  return left_out;
}

absl::StatusOr<ReadMcpResourceOutput> ReadContents(const Json& result) {
  const Json& contents = MemberOf(result, "contents");
  if (!contents.is_array() || contents.empty()) {
    return ProtocolError("the answer to resources/read has no contents");
  }
  absl::StatusOr<ReadMcpResourceOutput> output =
      contents.size() == 1 ? ReadContent(contents[0]) : JoinContents(contents);
  if (!output.ok() || !output->is_text || output->content.size() <= kMaxResourceTextBytes) {
    return output;
  }
  const size_t total = output->content.size();
  output->content.resize(Utf8Prefix(output->content, kMaxResourceTextBytes).size());
  absl::StrAppend(&output->content, "\n[the first ", output->content.size(), " of ", total,
                  " bytes; the rest is left out]");
  return output;
}

}  // namespace cursorwire::mcp
