// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_JSON_H_
#define CURSORWIRE_DOCUMENTS_JSON_H_

#include <string>

#include "cursorwire/documents/document_event.h"
#include "cursorwire/documents/response.h"
#include "cursorwire/export.h"

namespace cursorwire::documents {

// JSON on one line, without a line end. docs/chat-response.schema.json describes both.
CURSORWIRE_EXPORT std::string ToJson(const ChatResponse& response);
// With the member `event`: the name of the event.
CURSORWIRE_EXPORT std::string ToJson(const DocumentEvent& event);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_DOCUMENTS_JSON_H_
