#include "mcp/tool_pages.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "json/json_member.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

constexpr size_t kMaxListBytes = size_t{4} * 1024 * 1024;
constexpr size_t kMaxNotices = 20;
constexpr size_t kMaxShownNameBytes = 100;

}  // namespace

absl::Status ToolPages::Add(const Json& result) {
  const Json& tools = MemberOf(result, "tools");
  if (!tools.is_array()) return ProtocolError("the answer to tools/list has no list of tools");
  for (const Json& tool : tools) AddTool(tool);
  const std::string left_out = cursor_.Read(result);
  if (!left_out.empty()) Notice(absl::StrCat("its list of tools ", left_out));
  return absl::OkStatus();
}

void ToolPages::AddTool(const Json& value) {
  const std::string name = TextOf(value, "name");
  if (names_.contains(name)) return;
  const std::string shown = PlainLine(name, kMaxShownNameBytes);
  if (headers_ == HeaderArguments::kWanted && WantsHeaders(MemberOf(value, "inputSchema"))) {
    return Notice(absl::StrCat("tool '", shown,
                               "' is left out: its server wants arguments in headers of HTTP "
                               "(x-mcp-header), which is not supported"));
  }
  absl::StatusOr<ReadTool> read = ReadServerTool(value);
  if (!read.ok()) {
    return Notice(absl::StrCat("tool '", shown, "' is left out: ", read.status().message()));
  }
  const size_t bytes = read->tool.description.size() + read->tool.input_schema.size();
  if (tools_.size() >= kMaxServerTools || bytes > kMaxListBytes - bytes_) {
    ++left_out_;
    return;
  }
  bytes_ += bytes;
  if (!read->notice.empty()) Notice(absl::StrCat("tool '", shown, "': ", read->notice));
  names_.insert(name);
  tools_.push_back(std::move(read->tool));
}

void ToolPages::Notice(std::string text) {
  if (notices_.size() < kMaxNotices) {
    notices_.push_back(std::move(text));
  } else {
    ++more_notices_;
  }
}

std::vector<std::string> ToolPages::notices() const {
  std::vector<std::string> notices = notices_;
  if (more_notices_ > 0) notices.push_back(absl::StrCat("and ", more_notices_, " more like these"));
  if (left_out_ > 0) {
    notices.push_back(absl::StrCat(left_out_, " tools are left out: at most ", kMaxServerTools,
                                   " of one server, of ", kMaxListBytes, " bytes together"));
  }
  return notices;
}

}  // namespace cursorwire::mcp
