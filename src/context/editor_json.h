#ifndef CURSORWIRE_SRC_CONTEXT_EDITOR_JSON_H_
#define CURSORWIRE_SRC_CONTEXT_EDITOR_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "cursorwire/context/editor_context.h"

namespace cursorwire::context {

// Members in the order in which they are written.
using Ordered = nlohmann::ordered_json;

// What an editor shows, as JSON. Texts go in as they are: JsonText() makes UTF-8 of them.
Ordered ToJson(const std::string& text);
Ordered ToJson(const CursorPosition& cursor);
Ordered ToJson(const TextSelection& selection);
Ordered ToJson(const LinterError& error);
// Without the selection and the content. A file that has no more than a path is its path.
Ordered ToJson(const OpenFile& file);

// On one line; U+FFFD in place of what is not UTF-8, and no "</", which ends a tag for a model.
std::string JsonText(const Ordered& value);

}  // namespace cursorwire::context

#endif  // CURSORWIRE_SRC_CONTEXT_EDITOR_JSON_H_
