#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_HTML_ENTITY_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_HTML_ENTITY_H_

#include <string>
#include <string_view>

namespace cursor_chat::markdown {

// The character that an entity such as "&amp;" or "&#x1F600;" stands for. Control characters are
// made visible, breaks and tabs become spaces. An entity that is not known stays as it is.
std::string EntityText(std::string_view entity);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_HTML_ENTITY_H_
