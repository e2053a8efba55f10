#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_DEFINITION_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_DEFINITION_H_

#include <string>
#include <string_view>

namespace cursorwire::upstream {

// A regular expression for lines that may define `symbol`, in common languages. `symbol` may be
// qualified, as in "Foo::Bar", and must not be empty.
std::string DefinitionPattern(const std::string& symbol);

// The same for lines that merely mention it.
std::string MentionPattern(const std::string& symbol);

// How much a line of that file looks like the definition; 0: it is only a use.
int DefinitionScore(std::string_view path, std::string_view line, const std::string& symbol);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_DEFINITION_H_
