// Room: src/commands
#ifndef CURSORWIRE_SUGGESTION_H_
#define CURSORWIRE_SUGGESTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire {

// The most likely meant one of `known`, for messages about a word that is not known: it begins with
// `word`, or differs in a few letters. Empty if none is similar.
CURSORWIRE_EXPORT std::string Suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace cursorwire

#endif  // CURSORWIRE_SUGGESTION_H_
