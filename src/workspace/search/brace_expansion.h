#ifndef CURSORWIRE_SRC_WORKSPACE_SEARCH_BRACE_EXPANSION_H_
#define CURSORWIRE_SRC_WORKSPACE_SEARCH_BRACE_EXPANSION_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::workspace {

// Expands "a{b,c{d,e}}" to "ab", "acd", "ace". Text after a backslash or in brackets is left as it
// is, and so is a closing brace or a comma outside of braces.
//   kInvalidArgument  a brace or bracket is not closed, or there are more than `max_results`
absl::StatusOr<std::vector<std::string>> ExpandBraces(std::string_view pattern, size_t max_results);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SEARCH_BRACE_EXPANSION_H_
