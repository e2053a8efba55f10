#include "otel/call_name.h"

#include <absl/strings/ascii.h>

#include <algorithm>

namespace cursorwire::otel {
namespace {

constexpr std::string_view kRunPath = "agent.v1.AgentService/Run";
// Longer paths are not the names of methods.
constexpr size_t kMaxMethodPathBytes = 256;

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  });
}

}  // namespace

CallName NameOf(const connect::CallRecord& call) {
  if (call.kind == connect::CallKind::kRaw) return {};
  std::string_view path = call.path;
  path = path.substr(0, path.find('?'));  // what stands after it may be the request itself
  if (path.starts_with('/')) path.remove_prefix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || path.size() > kMaxMethodPathBytes) return {};
  const CallName name{.purpose = path == kRunPath ? CallPurpose::kTurn : CallPurpose::kRpc,
                      .method_path = path,
                      .service = path.substr(0, slash),
                      .method = path.substr(slash + 1)};
  return IsIdentifier(name.service) && IsIdentifier(name.method) ? name : CallName();
}

}  // namespace cursorwire::otel
