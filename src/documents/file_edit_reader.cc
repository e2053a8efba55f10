#include "documents/file_edit_reader.h"

#include <initializer_list>

#include "documents/file_diff.h"
#include "documents/file_language.h"

namespace cursorwire::documents {
namespace {

constexpr std::initializer_list<const char*> kPaths = {"path", "file_path", "target_file",
                                                       "filename"};

}  // namespace

std::string PathOfEdit(const ToolCallInfo& call) {
  std::string path = StringMember(ReadToolJson(call.arguments_json), kPaths);
  if (!path.empty() || call.result_json.empty()) return path;
  return StringMember(ReadResult(ReadToolJson(call.result_json)).details, kPaths);
}

FileEditMetadata EditOf(const std::string& path, FileOperation operation) {
  return {.file_path = path, .operation = operation, .language = LanguageOfFile(path)};
}

std::optional<std::string> ReadEditArguments(const Json& arguments, FileEditMetadata& edit) {
  if (edit.operation == FileOperation::kDelete) return std::nullopt;
  const auto old_string = FindString(arguments, {"old_string"});
  auto new_string = FindString(arguments, {"new_string"});
  if (old_string && new_string) {
    if (old_string->empty()) {
      edit.operation = FileOperation::kCreate;
    } else {
      edit.diff = FileDiff{.old_string = *old_string, .new_string = *new_string};
    }
    return new_string;
  }
  auto whole = FindString(arguments, {"contents", "content", "file_text"});
  if (!whole) return FindString(arguments, {"code_edit"});
  edit.operation = FileOperation::kCreate;
  return whole;
}

std::optional<std::string> ReadEditResult(const ReadOutcome& read, FileEditMetadata& edit) {
  if (read.outcome.status != ToolStatus::kSuccess) return std::nullopt;
  const auto before = FindString(read.details, {"before_full_file_content", "prev_content"});
  if (edit.operation == FileOperation::kDelete) {
    if (before) edit.diff = DiffOf(*before, "");
    return std::nullopt;
  }
  auto after = FindString(read.details, {"after_full_file_content"});
  if (!before && !after) return std::nullopt;  // the tool does not say
  if (!after) after.emplace();                 // an empty text is left out
  if (before) {
    edit.operation = FileOperation::kEdit;
    edit.diff = DiffOf(*before, *after);
    return edit.diff->new_string;
  }
  const bool was_there = NumberMember(read.details, "lines_removed").value_or(0) > 0;
  edit.operation = was_there ? FileOperation::kEdit : FileOperation::kCreate;
  return after;
}

}  // namespace cursorwire::documents
