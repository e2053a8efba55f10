#ifndef CURSORWIRE_SRC_COLLAB_REPO_STORED_DOCUMENT_H_
#define CURSORWIRE_SRC_COLLAB_REPO_STORED_DOCUMENT_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "crdt/automerge/saved_document.h"

namespace cursorwire::collab {

// Where a document is kept. Thread-compatible.
class StoredDocument {
 public:
  virtual ~StoredDocument() = default;
  // What was there when it was opened; taken once.
  virtual std::string TakeBytes() = 0;
  // What of the bytes counts; the rest, which a program left that ended while it wrote, must not be
  // lost for people, and is none of the document any more.
  virtual absl::Status Keep(const automerge::SavedSize& size) = 0;
  virtual absl::Status Append(std::string_view chunks) = 0;
  // What was appended takes so much room that a Replace() is worth it.
  virtual bool is_loose() const = 0;
  // By the document as one chunk.
  virtual absl::Status Replace(std::string_view document) = 0;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_REPO_STORED_DOCUMENT_H_
