#include "collab/live/document_file.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/strings.h"

namespace cursorwire::collab {
namespace {

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  const std::filesystem::path path(folder);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  // The names of its files are all that is needed to open the documents at their server.
  if (::mkdir(folder.c_str(), S_IRWXU) == 0 || std::filesystem::is_directory(path, error)) {
    return absl::OkStatus();
  }
  return FileError("make the folder", folder, errno);
}

}  // namespace

absl::StatusOr<DocumentFile> DocumentFile::Open(const std::string& folder, std::string_view id) {
  if (absl::Status status = MakeFolder(folder); !status.ok()) return status;
  absl::StatusOr<LockedFile> file = LockedFile::Open(
      absl::StrCat(folder, "/", ToAbsl(id), ".automerge"), LockedFile::Missing::kMake);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::string> bytes = file->Read(kMaxBytes);
  if (!bytes.ok()) return bytes.status();
  return DocumentFile(*std::move(file), *std::move(bytes));
}

absl::Status DocumentFile::Keep(const automerge::SavedSize& size) {
  compact_size_ = size.document;
  if (size.whole >= size_) return absl::OkStatus();
  const absl::StatusOr<std::string> all = file_.Read(kMaxBytes);
  if (!all.ok()) return all.status();
  absl::StatusOr<LockedFile> torn = LockedFile::Open(path() + ".torn", LockedFile::Missing::kMake);
  if (!torn.ok()) return torn.status();
  const absl::StatusOr<std::string> former = torn->Read(kMaxBytes);
  if (!former.ok()) return former.status();
  const std::string_view rest = std::string_view(*all).substr(size.whole);
  // A process may have ended right after it had kept it.
  if (!former->ends_with(rest)) {
    if (absl::Status status = torn->Append(former->size(), rest); !status.ok()) return status;
  }
  size_ = size.whole;
  return file_.Append(size_, {});
}

absl::Status DocumentFile::Append(std::string_view chunks) {
  if (chunks.empty()) return absl::OkStatus();
  absl::Status status = file_.Append(size_, chunks);
  if (status.ok()) size_ += chunks.size();
  return status;
}

absl::Status DocumentFile::Replace(std::string_view document) {
  absl::Status status = file_.Replace(document);
  // Where it failed, one or the other file may be there.
  const absl::StatusOr<size_t> size = file_.Size();
  if (!size.ok()) return size.status();
  size_ = *size;
  if (status.ok()) compact_size_ = size_;
  return status;
}

}  // namespace cursorwire::collab
