#ifndef CURSORWIRE_SRC_COLLAB_REPO_DOCUMENT_ID_H_
#define CURSORWIRE_SRC_COLLAB_REPO_DOCUMENT_ID_H_

#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::collab {

// What names a document of automerge-repo: 16 bytes, written as base58check (27 or 28 characters),
// with "automerge:" in front as a URL: docs/collab/automerge-repo.md, "Document ids".
class DocumentId {
 public:
  using Bytes = std::array<uint8_t, 16>;

  explicit DocumentId(const Bytes& bytes) : bytes_(bytes) {}
  // An id or a URL.
  //   kInvalidArgument  neither; or a part of a document, or one of its former states
  static absl::StatusOr<DocumentId> Parse(std::string_view text);

  const Bytes& bytes() const { return bytes_; }
  // The form of messages.
  std::string ToString() const;
  std::string ToUrl() const;

  friend bool operator==(const DocumentId&, const DocumentId&) = default;

 private:
  Bytes bytes_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_REPO_DOCUMENT_ID_H_
