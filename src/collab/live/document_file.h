#ifndef CURSORWIRE_SRC_COLLAB_LIVE_DOCUMENT_FILE_H_
#define CURSORWIRE_SRC_COLLAB_LIVE_DOCUMENT_FILE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "collab/repo/stored_document.h"
#include "files/locked_file.h"

namespace cursorwire::collab {

// The file of one document, which no other process may have open: chunks of Automerge after each
// other. What is appended outlives a process that ends at any moment. Thread-compatible; move-only.
class DocumentFile final : public StoredDocument {
 public:
  static constexpr size_t kMaxBytes = size_t{1024} * 1024 * 1024;

  // Opens or makes <folder>/<id>.automerge, and the folder.
  //   kFailedPrecondition  another process has it open; it is not private; or what the operating
  //                        system says
  //   kResourceExhausted   it is larger than kMaxBytes
  static absl::StatusOr<DocumentFile> Open(const std::string& folder, std::string_view id);

  const std::string& path() const { return file_.path(); }
  std::string TakeBytes() override { return std::exchange(bytes_, {}); }
  // The rest goes to <path>.torn.
  absl::Status Keep(const automerge::SavedSize& size) override;
  absl::Status Append(std::string_view chunks) override;
  bool is_loose() const override { return size_ - compact_size_ > kLooseBytes + compact_size_; }
  absl::Status Replace(std::string_view document) override;

 private:
  static constexpr size_t kLooseBytes = size_t{64} * 1024;

  DocumentFile(LockedFile file, std::string bytes)
      : file_(std::move(file)), bytes_(std::move(bytes)), size_(bytes_.size()) {}

  LockedFile file_;
  std::string bytes_;
  size_t size_ = 0;
  // Of the document chunk at its start.
  size_t compact_size_ = 0;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_LIVE_DOCUMENT_FILE_H_
