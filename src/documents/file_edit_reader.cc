#include "documents/file_edit_reader.h"

#include <utility>

#include "documents/file_diff.h"
#include "documents/file_language.h"

namespace cursorwire::documents {
namespace {

void SetPath(const std::string& path, FileEditMetadata& edit) {
  if (path.empty()) return;
  edit.file_path = path;
  edit.language = LanguageOfFile(path);
}

void SetNewFile(std::string_view content, FileEditMetadata& edit) {
  edit.operation = FileOperation::kCreate;
  edit.diff = DiffOf("", content);
}

}  // namespace

void ReadEditArguments(const Json& arguments, FileEditMetadata& edit) {
  SetPath(StringMember(arguments, {"path", "file_path", "target_file", "filename"}), edit);
  if (edit.operation == FileOperation::kDelete) return;
  const auto old_string = FindString(arguments, {"old_string"});
  const auto new_string = FindString(arguments, {"new_string"});
  if (old_string && new_string) {
    if (old_string->empty()) return SetNewFile(*new_string, edit);
    edit.diff = FileDiff{.old_string = *old_string, .new_string = *new_string};
  } else if (const auto content = FindString(arguments, {"contents", "content", "file_text"})) {
    SetNewFile(*content, edit);
  }
}

void ReadEditResult(const ReadOutcome& read, FileEditMetadata& edit) {
  if (read.outcome.status != ToolStatus::kSuccess) return;
  if (edit.file_path.empty()) SetPath(StringMember(read.details, {"path"}), edit);
  if (edit.operation == FileOperation::kDelete) {
    const auto before = FindString(read.details, {"prev_content"});
    if (before) edit.diff = DiffOf(*before, "");
    return;
  }
  const auto before = FindString(read.details, {"before_full_file_content"});
  const auto after = FindString(read.details, {"after_full_file_content"});
  if (!before && !after) return;  // the tool does not say
  const bool was_there = before || NumberMember(read.details, "lines_removed").value_or(0) > 0;
  edit.operation = was_there ? FileOperation::kEdit : FileOperation::kCreate;
  if (before || !was_there) {
    edit.diff = DiffOf(before.value_or(""), after.value_or(""));
  }
}

}  // namespace cursorwire::documents
