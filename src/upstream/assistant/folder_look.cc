#include "upstream/assistant/folder_look.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

constexpr int kMaxNames = 200;

absl::Status WrongResult() {
  return LocalError(absl::StatusCode::kInvalidArgument,
                    "the result of an exec is not of the exec's kind, or empty");
}

std::string Counted(int64_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// Makes one line of a user's name for something, whatever the name contains.
std::string Line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return text;
}

std::string DescribeFolder(const pb::LsDirectoryTreeNode& root) {
  std::string text = absl::StrCat(root.abs_path(), " holds ");
  if (root.children_were_processed()) {
    absl::StrAppend(&text, Counted(root.children_dirs_size(), "folder"), " and ",
                    Counted(root.children_files_size(), "file"), ":\n");
  } else {
    absl::StrAppend(&text, Counted(root.num_files(), "file"),
                    " at all depths; the first entries are:\n");
  }
  int names = 0;
  for (const pb::LsDirectoryTreeNode& folder : root.children_dirs()) {
    if (++names > kMaxNames) break;
    const std::string& path = folder.abs_path();
    absl::StrAppend(&text, "- ", Line(path.substr(path.rfind('/') + 1)), "/");
    const bool counted = folder.children_were_processed() || folder.num_files() > 0;
    if (counted) absl::StrAppend(&text, " (", Counted(folder.num_files(), "file"), ")");
    text += "\n";
  }
  for (const pb::LsDirectoryTreeNode::File& file : root.children_files()) {
    if (++names > kMaxNames) break;
    absl::StrAppend(&text, "- ", Line(file.name()), "\n");
  }
  if (names > kMaxNames) text += "- and more\n";
  return text;
}

std::string Refused(const std::string& reason) {
  return absl::StrCat("I wanted to look, but your client said no: ", reason, "\n");
}

bool HasOneOf(const std::vector<std::string>& words, std::initializer_list<std::string_view> list) {
  return std::any_of(words.begin(), words.end(), [&list](const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  });
}

bool AsksForTheFolder(std::string_view prompt) {
  const std::string text = ToLower(prompt);
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \t\r\n\"`.,;:!?()"), absl::SkipEmpty());
  return HasOneOf(words, {"what", "what's", "which", "list", "show"}) &&
         HasOneOf(words, {"folder", "directory", "files", "workspace", "repository", "project"});
}

}  // namespace

FolderLook::FolderLook(std::string_view prompt, std::string workspace)
    : workspace_(std::move(workspace)), looks_(AsksForTheFolder(prompt)) {}

std::optional<pb::ExecServerMessage> FolderLook::Next() {
  if (!looks_) return std::nullopt;
  pb::ExecServerMessage exec;
  exec.mutable_ls_args()->set_path(workspace_);
  return exec;
}

absl::Status FolderLook::On(const pb::ExecClientMessage& message) {
  looks_ = false;
  const pb::LsResult& result = message.ls_result();
  switch (result.result_case()) {
    case pb::LsResult::kSuccess:
      answer_ = DescribeFolder(result.success().directory_tree_root());
      return absl::OkStatus();
    case pb::LsResult::kTimeout:
      answer_ = DescribeFolder(result.timeout().directory_tree_root());
      return absl::OkStatus();
    case pb::LsResult::kRejected:
      answer_ = Refused(result.rejected().reason());
      return absl::OkStatus();
    case pb::LsResult::kError:
      answer_ = Refused(result.error().error());
      return absl::OkStatus();
    case pb::LsResult::RESULT_NOT_SET:
      break;
  }
  return WrongResult();
}

}  // namespace cursorwire::upstream
