#include "agent/tools/tool_exec.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/tools/json_value.h"
#include "base/strings.h"
#include "cursorwire/chat.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using Item = pb::McpToolResultContentItem;

// An upper bound for a notice, whatever its numbers.
constexpr size_t kNoticeBytes = 128;
// An upper bound for the bytes of an answer around the items of its result.
constexpr size_t kFrameBytes = 1024;
// Tag and length of an item.
constexpr size_t kItemFrameBytes = 8;

Item TextItem(std::string_view text) {
  Item item;
  item.mutable_text()->set_text(ToUtf8(text));
  return item;
}

Item ImageItem(const ToolImage& image) {
  std::string type = ToUtf8(image.mime_type);
  if (type.empty()) type = ImageMimeType(image.bytes).value_or("");
  if (type.empty()) {
    return TextItem(
        absl::StrCat("[an image of ", image.bytes.size(), " bytes and of an unknown type]"));
  }
  Item item;
  item.mutable_image()->set_data(image.bytes);
  item.mutable_image()->set_mime_type(std::move(type));
  return item;
}

std::vector<Item> ToItems(const ToolResult& result) {
  std::vector<Item> items;
  for (const ToolResult::Item& part : result.content) {
    const auto* text = std::get_if<std::string>(&part);
    if (text != nullptr && text->empty()) continue;
    items.push_back(text != nullptr ? TextItem(*text) : ImageItem(std::get<ToolImage>(part)));
  }
  return items;
}

// Cuts the texts to `max_bytes` in total, including the notice.
std::vector<Item> CutTexts(std::vector<Item> items, size_t max_bytes) {
  size_t total = 0;
  for (const Item& item : items) total += item.text().text().size();
  if (total <= max_bytes) return items;
  const size_t room = max_bytes - kNoticeBytes;
  size_t kept = 0;
  std::optional<size_t> last;  // the text that was cut; later texts are left out
  std::vector<Item> result;
  for (Item& item : items) {
    if (item.has_text() && last) continue;
    result.push_back(std::move(item));
    if (!result.back().has_text()) continue;
    std::string& text = *result.back().mutable_text()->mutable_text();
    if (text.size() > room - kept) {
      text.resize(Utf8Prefix(text, room - kept).size());
      last = result.size() - 1;
    }
    kept += text.size();
  }
  // `last` is set, since the texts together were too long.
  absl::StrAppend(result[last.value_or(0)].mutable_text()->mutable_text(), "\n[cut: ", total - kept,
                  " of ", total, " bytes left out]");
  return result;
}

// Leaves out images so that all items together have at most `max_bytes` on the wire. The texts were
// cut before, to less than half of that. A notice replaces the first image that is left out.
std::vector<Item> DropImages(std::vector<Item> items, size_t max_bytes) {
  size_t bytes = kNoticeBytes;
  for (const Item& item : items) {
    if (item.has_text()) bytes += item.ByteSizeLong() + kItemFrameBytes;
  }
  size_t dropped = 0;
  size_t dropped_bytes = 0;
  size_t notice = 0;
  std::vector<Item> result;
  for (Item& item : items) {
    const size_t size = item.ByteSizeLong() + kItemFrameBytes;
    if (item.has_text() || size <= max_bytes - bytes) {
      if (item.has_image()) bytes += size;
      result.push_back(std::move(item));
      continue;
    }
    if (dropped == 0) {
      notice = result.size();
      result.emplace_back();
    }
    ++dropped;
    dropped_bytes += item.image().data().size();
  }
  if (dropped > 0) {
    result[notice] = TextItem(absl::StrCat("[images left out: ", dropped, " of ", dropped_bytes,
                                           " bytes, too large for one result]"));
  }
  return result;
}

bool HasImage(const std::vector<Item>& items) {
  return std::any_of(items.begin(), items.end(), [](const Item& item) { return item.has_image(); });
}

// The reason is the text of the content.
pb::McpResult Refusal(const ToolResult& result) {
  std::string reason;
  for (const ToolResult::Item& part : result.content) {
    const auto* text = std::get_if<std::string>(&part);
    if (text != nullptr) absl::StrAppend(&reason, reason.empty() ? "" : "\n", *text);
  }
  pb::McpResult message;
  message.mutable_rejected()->set_reason(
      std::string(Utf8Prefix(ToUtf8(reason), kMaxToolTextBytes)));
  return message;
}

void FillStructured(const std::string& json, pb::McpSuccess& success) {
  if (json.empty() || json.size() > kMaxToolTextBytes) return;
  auto value = JsonToValue(json);
  if (!value.ok() || !value->has_struct_value()) return;
  *success.mutable_structured_content() = std::move(*value->mutable_struct_value());
}

pb::McpResult Pack(const ToolResult& result) {
  if (result.is_rejected) return Refusal(result);
  std::vector<Item> items = ToItems(result);
  // The notice about left-out images counts as text too.
  const size_t notice_bytes = HasImage(items) ? kNoticeBytes : 0;
  items = CutTexts(std::move(items), kMaxToolTextBytes - notice_bytes);
  pb::McpResult message;
  pb::McpSuccess& success = *message.mutable_success();
  FillStructured(result.structured_json, success);
  items = DropImages(std::move(items), kMaxToolResultBytes - kFrameBytes - success.ByteSizeLong());
  if (items.empty()) items.push_back(TextItem(""));

  for (Item& item : items) *success.add_content() = std::move(item);
  success.set_is_error(result.is_error);
  return message;
}

}  // namespace

ToolCall ToToolCall(const pb::McpArgs& call, std::string name, std::string fallback_id) {
  if (!call.tool_call_id().empty()) fallback_id = call.tool_call_id();
  return {.name = std::move(name),
          .call_id = std::move(fallback_id),
          .arguments_json = ArgumentsJson(call.args())};
}

pb::McpResult ToMcpResult(const absl::StatusOr<ToolResult>& result) {
  if (result.ok()) return Pack(*result);
  return Pack(ToolResult::Error(std::string(result.status().message())));
}

}  // namespace cursorwire::agent
