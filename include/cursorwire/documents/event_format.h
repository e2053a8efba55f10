// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_EVENT_FORMAT_H_
#define CURSORWIRE_DOCUMENTS_EVENT_FORMAT_H_

#include <string>
#include <string_view>

#include "cursorwire/documents/document_event.h"
#include "cursorwire/documents/response.h"
#include "cursorwire/export.h"

namespace cursorwire::documents {

// How events are written for a program that reads them as they come.
enum class EventFormat {
  kSse,      // server-sent events with names: `event:` and `data:` lines
  kSseData,  // server-sent events of `data:` lines alone; after Done comes `data: [DONE]`
  kNdjson,   // one JSON object a line
};

// One event, complete with the line ends after it.
CURSORWIRE_EXPORT std::string Format(const DocumentEvent& event, EventFormat format);

// One server-sent event of any data (HTML standard, section 9.2): a `data:` line for each line of
// `data`, whichever way its lines end, and an empty line after. Line ends in `name`, and U+0000 in
// both, are left out; an empty name has no `event:` line.
CURSORWIRE_EXPORT std::string ServerSentEvent(std::string_view name, std::string_view data);

// JSON on one line, without a line end. docs/chat-response.schema.json describes both.
CURSORWIRE_EXPORT std::string ToJson(const ChatResponse& response);
// With the member `event`: the name of the event.
CURSORWIRE_EXPORT std::string ToJson(const DocumentEvent& event);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_DOCUMENTS_EVENT_FORMAT_H_
