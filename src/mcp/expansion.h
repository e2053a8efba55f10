#ifndef CURSORWIRE_SRC_MCP_EXPANSION_H_
#define CURSORWIRE_SRC_MCP_EXPANSION_H_

#include <absl/status/statusor.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::mcp {

using FindVariable = std::function<std::optional<std::string>(const std::string& name)>;

// `text` with the values of variables in place of ${NAME}, ${env:NAME} and ${NAME:-default}, which
// is for a variable that is missing or empty. A dollar sign before anything else stays.
//   kNotFound          a variable is not set; the message names it
//   kPermissionDenied  it would be a token of Cursor's
//   kInvalidArgument   another form of ${...}, or one without its end
absl::StatusOr<std::string> Expand(std::string_view text, const FindVariable& find);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_EXPANSION_H_
