#include "workspace/edit/file_write.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "workspace/edit/unified_diff.h"
#include "workspace/fs/code_file.h"
#include "workspace/fs/file_entry.h"
#include "workspace/fs/file_version.h"
#include "workspace/fs/new_file.h"
#include "workspace/fs/new_folders.h"
#include "workspace/fs/permission.h"
#include "workspace/fs/text_encoding.h"

namespace cursorwire::workspace {
namespace {

// Also counts a last line without a newline.
int64_t CountLines(std::string_view text) {
  const int64_t newlines = std::count(text.begin(), text.end(), '\n');
  return newlines + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

// Replacing a file needs only write permission for its folder; we require it for the file as well.
absl::Status CheckWritable(const FileEntry& entry, const FileVersion& old) {
  if (!old.exists) return absl::OkStatus();
  if (old.kind != FileKind::kRegular) return WrongKind(old.kind, FileKind::kRegular);
  if (::faccessat(entry.folder.fd(), entry.name.c_str(), W_OK, AT_EACCESS) == 0) {
    return absl::OkStatus();
  }
  return ChangeError(errno);
}

// What the file is to hold.
struct NewContent {
  std::string bytes{};
  // The text of the old file, where that is not its bytes.
  std::optional<std::string> old_text{};
};

// Text goes into the encoding of the old file, where that is known.
absl::StatusOr<NewContent> ContentFor(const FileVersion& old, const WriteArgs& args) {
  if (!old.content || !args.is_text || args.content.empty() || !IsText(args.content)) {
    return NewContent{.bytes = args.content};
  }
  const TextEncoding encoding = EncodingOf(*old.content);
  if (encoding == TextEncoding::kOtherText) {
    return LocalError(
        absl::StatusCode::kInvalidArgument,
        "the file holds text in another encoding than UTF-8, which this would change: "
        "use a command that keeps it, or write bytes, or delete the file first");
  }
  return NewContent{.bytes = EncodeText(args.content, encoding),
                    .old_text = Utf16ToUtf8(*old.content)};
}

struct Description {
  std::string diff{};
  bool shown = true;
  std::string old_text{};
};

// A diff, or a sentence if a diff would show nothing.
Description Describe(const FileEntry& entry, const FileVersion& old, const NewContent& written,
                     const WriteArgs& args) {
  const std::string_view content = written.old_text ? args.content : written.bytes;
  const std::string new_size = absl::StrCat(written.bytes.size(), " bytes");
  const std::string sizes =
      old.exists ? absl::StrCat(new_size, " in place of ", old.facts.st_size) : new_size;
  if (old.exists && !old.content) {
    return {absl::StrCat("The old file cannot be read, or is too large to be shown: ", sizes, "."),
            false};
  }
  std::string_view old_text = old.exists ? std::string_view(*old.content) : "";
  if (written.old_text) old_text = *written.old_text;
  if (!IsText(old_text) || !IsText(content)) {
    return {absl::StrCat("Bytes that are no text: ", sizes, "."), false};
  }
  if (old_text == content) {
    return {old.exists ? "Nothing changes." : "An empty file.", true, std::string(old_text)};
  }
  std::optional<std::string> diff =
      UnifiedDiff({.name = old.exists ? entry.path : "", .text = old_text},
                  {.name = entry.path, .text = content});
  if (diff) return {*std::move(diff), true, std::string(old_text)};
  return {absl::StrCat("The change is too large to be shown: ", sizes, "."), false};
}

absl::Status Replace(const FileEntry& entry, const FileVersion& old, std::string_view content,
                     const std::stop_token& stop) {
  NewFolders folders(entry.folder);
  for (const std::string& name : entry.missing) {
    if (absl::Status status = folders.Enter(name); !status.ok()) return status;
  }
  absl::StatusOr<NewFile> file = NewFile::Create(folders.folder(), old);
  if (!file.ok()) return file.status();
  if (absl::Status status = file->Write(content, stop); !status.ok()) return status;
  if (absl::Status status = CheckStop(stop); !status.ok()) return status;
  if (absl::Status status = file->TakePlaceOf(old, entry.name); !status.ok()) return status;
  folders.Keep();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WriteOutput> WriteFile(const EditHost& host, const WriteArgs& args,
                                      const ActionContext& context) {
  const LocalExecOptions& options = host.options;
  if (args.content.size() > options.max_write_bytes) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("a file of ", args.content.size(),
                                   " bytes is over the limit of ", options.max_write_bytes));
  }
  const absl::StatusOr<FileEntry> entry = FindEntry(host.workspace, args.path, LastLink::kFollow);
  if (!entry.ok()) return entry.status();
  absl::StatusOr<FileVersion> old = FileVersion{};
  if (entry->missing.empty()) old = LookAt(entry->folder, entry->name, options.max_write_bytes);
  if (!old.ok()) return old.status();
  if (absl::Status status = CheckWritable(*entry, *old); !status.ok()) return status;
  if (absl::Status status = host.known.Check(entry->path, StateOf(*old)); !status.ok()) {
    return status;
  }

  const absl::StatusOr<NewContent> written = ContentFor(*old, args);
  if (!written.ok()) return written.status();

  Description change = Describe(*entry, *old, *written, args);
  const WriteAction action{.path = entry->path,
                           .creates = !old->exists,
                           .diff = std::move(change.diff),
                           .shown = change.shown,
                           .old_text = std::move(change.old_text),
                           .runs_code = RunsCode(host.workspace, args.path, entry->path) ||
                                        IsOneOf(options.code_files, entry->path)};
  if (absl::Status status = AskPolicy(host.policy, action, context); !status.ok()) return status;
  absl::Status replaced = Replace(*entry, *old, written->bytes, context.stop);
  if (!replaced.ok()) return replaced;
  host.known.Tell(entry->path, StateOfContent(written->bytes));

  WriteOutput output{.path = args.path,
                     .lines = CountLines(args.content),
                     .file_bytes = static_cast<int64_t>(written->bytes.size())};
  if (args.return_content && args.content.size() <= options.max_read_bytes) {
    output.content_after = args.content;
  }
  return output;
}

}  // namespace cursorwire::workspace
