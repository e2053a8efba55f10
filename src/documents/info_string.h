#ifndef CURSORWIRE_SRC_DOCUMENTS_INFO_STRING_H_
#define CURSORWIRE_SRC_DOCUMENTS_INFO_STRING_H_

#include <string_view>

#include "cursorwire/chat.h"
#include "cursorwire/documents/document.h"

namespace cursorwire::documents {

// What the line that opens a fence says of the code: `info` is what stands after the fence. A
// reference to a file, "12:14:src/main.py", becomes a CodeReferenceMetadata: both numbers from 1
// and in order, and a path, which may have spaces and colons. All else is a CodeBlockMetadata,
// whose language is that of the file if it names one: "src/main.py". `mode` is that of the request.
DocumentMetadata ReadInfoString(std::string_view info, AgentMode mode);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_INFO_STRING_H_
