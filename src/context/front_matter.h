#ifndef CURSORWIRE_SRC_CONTEXT_FRONT_MATTER_H_
#define CURSORWIRE_SRC_CONTEXT_FRONT_MATTER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::context {

// What the head of a file of rules says: the lines between two lines of "---" at its start.
struct FrontMatter {
  bool always = false;  // alwaysApply
  std::vector<std::string> globs{};
  std::string description{};
};

// Reads the head and removes it from `text`, with a byte order mark before it. nullopt: there is no
// head; only such a mark is removed.
//
// The head is YAML as people write it for rules: comments, quotes, lists in brackets or line by
// line, blocks of text, values over several lines. It is not read by a YAML library, since the most
// common form, "globs: *.cc, *.h", is none: a "*" begins an alias there. What is not understood is
// passed over. Time and memory are linear in the size of the head.
std::optional<FrontMatter> TakeFrontMatter(std::string_view& text);

}  // namespace cursorwire::context

#endif  // CURSORWIRE_SRC_CONTEXT_FRONT_MATTER_H_
