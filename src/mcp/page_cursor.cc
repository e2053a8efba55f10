#include "mcp/page_cursor.h"
#include "json/json_member.h"

#include <absl/strings/str_cat.h>

namespace cursorwire::mcp {
namespace {

constexpr size_t kMaxPages = 200;
constexpr size_t kMaxCursorBytes = size_t{4} * 1024;

}  // namespace

std::string PageCursor::Read(const jsonrpc::Json& page) {
  ++pages_;
  next_.reset();
  const jsonrpc::Json& cursor = MemberOf(page, "nextCursor");
  if (!cursor.is_string()) return "";
  if (cursor.get_ref<const std::string&>().size() > kMaxCursorBytes) {
    return absl::StrCat("names its next page by more than ", kMaxCursorBytes,
                        " bytes; the rest is left out");
  }
  if (!known_.insert(cursor.get<std::string>()).second) {
    return "comes back to a page that it had before; the rest is left out";
  }
  if (pages_ >= kMaxPages) {
    return absl::StrCat("has more than ", kMaxPages, " pages; the rest is left out");
  }
  next_ = cursor.get<std::string>();
  return "";
}

}  // namespace cursorwire::mcp
