#ifndef CURSORWIRE_SRC_BASE_SUGGESTION_H_
#define CURSORWIRE_SRC_BASE_SUGGESTION_H_

#include <string>
#include <string_view>
#include <vector>

namespace cursorwire {

// The most likely meant one of `known`, for messages about a word that is not known: it begins with
// `word`, or differs in a few letters. Empty if none is similar.
std::string Suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_BASE_SUGGESTION_H_
