#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_SAVED_DOCUMENT_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_SAVED_DOCUMENT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crdt/automerge/document.h"
#include "crdt/automerge/waiting_changes.h"

namespace cursorwire::automerge {

// A document as a file of Automerge: chunks after each other, so that changes are appended. Source:
// docs/collab/automerge.md, "Documents".

struct SavedSize {
  // Of the whole chunks: the last one may be cut short, where a program ended while it wrote, or be
  // zeros, where a machine did.
  size_t whole = 0;
  // Of them, the document that they begin with.
  size_t document = 0;
};

// Puts them into an empty document.
//   kDataLoss  something else in it is no chunk, or is not what it says; or it begins with a
//              document that is cut short
//   else       as of WaitingChanges::Add()
absl::StatusOr<SavedSize> LoadSaved(std::string_view bytes, Document& document,
                                    WaitingChanges& waiting);

// The changes of a document that are to be appended to its file. Thread-compatible.
class UnsavedChanges {
 public:
  // What `document` has at the first call is in the file: to be called before it changes. Errors as
  // of Document::NeedHistory().
  absl::Status Begin(Document& document);
  // The chunks of those since the last call; often empty. No edit may be open.
  std::string Take(const Document& document);

 private:
  std::optional<uint32_t> saved_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_SAVED_DOCUMENT_H_
