#include "mcp/expansion.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "base/token_variables.h"

namespace cursorwire::mcp {
namespace {

constexpr size_t kMaxShownFormBytes = 60;

bool IsVariableName(std::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name.front()))) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

// The value of what stands between ${ and }.
absl::StatusOr<std::string> ValueOf(std::string_view form, const FindVariable& find) {
  using enum absl::StatusCode;
  constexpr std::string_view kEnv = "env:";
  constexpr std::string_view kDefault = ":-";
  std::string_view name = form;
  if (name.starts_with(kEnv)) name.remove_prefix(kEnv.size());
  const size_t colon = name.find(kDefault);
  const bool has_default = colon != name.npos;
  const std::string_view fallback = has_default ? name.substr(colon + kDefault.size()) : "";
  name = name.substr(0, colon);
  const std::string shown = Printable(name, kMaxShownFormBytes);
  if (!IsVariableName(name)) {
    return InvalidArgument(absl::StrCat("${", Printable(form, kMaxShownFormBytes),
                                        "} is none of ${NAME}, ${env:NAME} and ${NAME:-default}"));
  }
  if (IsTokenVariable(name)) {
    return LocalError(kPermissionDenied,
                      absl::StrCat("${", shown, "} is a token of Cursor's, which no server gets"));
  }
  const std::optional<std::string> value = find(std::string(name));
  if (has_default && value.value_or("").empty()) return std::string(fallback);
  if (!value) return LocalError(kNotFound, absl::StrCat("the variable ", shown, " is not set"));
  return *value;
}

}  // namespace

absl::StatusOr<std::string> Expand(std::string_view text, const FindVariable& find) {
  std::string result;
  for (;;) {
    const size_t start = text.find("${");
    result.append(text.substr(0, start));
    if (start == text.npos) return result;
    text.remove_prefix(start + 2);
    const size_t end = text.find('}');
    if (end == text.npos) return InvalidArgument("a ${ has no } after it");
    const absl::StatusOr<std::string> value = ValueOf(text.substr(0, end), find);
    if (!value.ok()) return value.status();
    result += *value;
    text.remove_prefix(end + 1);
  }
}

}  // namespace cursorwire::mcp
