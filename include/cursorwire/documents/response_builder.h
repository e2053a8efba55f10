// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_RESPONSE_BUILDER_H_
#define CURSORWIRE_DOCUMENTS_RESPONSE_BUILDER_H_

#include <absl/status/status.h>

#include <cstddef>
#include <map>
#include <string>

#include "cursorwire/documents/document_event.h"
#include "cursorwire/documents/response.h"
#include "cursorwire/export.h"

namespace cursorwire::documents {

// Puts a response together from its events alone: for a program at the other end of a pipe.
//
// Order: Apply() each event in order; response() at any time. Thread-compatible.
class CURSORWIRE_EXPORT ChatResponseBuilder {
 public:
  //   kInvalidArgument  an event that no Builder sends: of a document that was not started, one
  //   with
  //                     a wrong sequence, or one after Done. It has no effect.
  absl::Status Apply(const DocumentEvent& event);
  const ChatResponse& response() const { return response_; }

 private:
  absl::Status Start(const DocumentStart& start);
  absl::Status End(const DocumentEnd& end);
  // nullptr: it is not open.
  Document* FindOpen(const std::string& document_id);

  ChatResponse response_;
  std::map<std::string, size_t> open_;  // places in the response, by id
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_DOCUMENTS_RESPONSE_BUILDER_H_
