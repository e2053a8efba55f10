#include "workspace/edit/file_delete.h"

#include <absl/status/status.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "workspace/fs/code_file.h"
#include "workspace/fs/file_entry.h"
#include "workspace/fs/file_version.h"
#include "workspace/fs/permission.h"

namespace cursorwire::workspace {
namespace {

absl::Status CheckKind(const FileVersion& file) {
  if (!file.exists) return FileError(ENOENT);
  if (file.kind == FileKind::kRegular || file.kind == FileKind::kLink) return absl::OkStatus();
  return WrongKind(file.kind, FileKind::kRegular);
}

// Deletes the file if it is still the one that the policy was asked about.
absl::Status Remove(const FileEntry& entry, const FileVersion& file) {
  const size_t max_bytes = file.content ? file.content->size() : 0;
  const absl::StatusOr<FileVersion> now = LookAt(entry.folder, entry.name, max_bytes);
  if (!now.ok()) return now.status();
  if (!now->exists) return FileError(ENOENT);
  if (!IsSame(file, *now)) {
    return LocalError(absl::StatusCode::kAborted,
                      "the file was changed by somebody else meanwhile; read it again");
  }
  return ::unlinkat(entry.folder.fd(), entry.name.c_str(), 0) == 0 ? absl::OkStatus()
                                                                   : ChangeError(errno);
}

}  // namespace

absl::StatusOr<DeleteOutput> DeleteFile(const EditHost& host, const DeleteArgs& args,
                                        const ActionContext& context) {
  absl::StatusOr<FileEntry> entry = FindEntry(host.workspace, args.path, LastLink::kRefuse);
  if (!entry.ok()) return entry.status();
  if (!entry->missing.empty()) return FileError(ENOENT);
  absl::StatusOr<FileVersion> file =
      LookAt(entry->folder, entry->name, host.options.max_write_bytes);
  if (!file.ok()) return file.status();
  if (absl::Status status = CheckKind(*file); !status.ok()) return status;
  if (absl::Status status = host.known.Check(entry->path, StateOf(*file)); !status.ok()) {
    return status;
  }

  const DeleteAction action{.path = entry->path,
                            .runs_code = RunsCode(host.workspace, args.path, entry->path) ||
                                         IsOneOf(host.options.code_files, entry->path)};
  if (absl::Status status = AskPolicy(host.policy, action, context); !status.ok()) return status;
  if (absl::Status status = Remove(*entry, *file); !status.ok()) return status;
  host.known.Tell(entry->path, {});

  DeleteOutput output{
      .path = args.path, .deleted_file = std::move(entry->path), .file_bytes = file->facts.st_size};
  if (file->content && file->content->size() <= host.options.max_read_bytes &&
      IsText(*file->content)) {
    output.previous_content = *std::move(file->content);
  }
  return output;
}

}  // namespace cursorwire::workspace
