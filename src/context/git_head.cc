#include "cursorwire/context/project_layout.h"

#include "base/strings.h"
#include "cursorwire/workspace.h"

namespace cursorwire::context {
namespace {

constexpr size_t kMaxGitHeadBytes = 4096;

}  // namespace

std::string ParseGitHead(std::string_view text) {
  constexpr std::string_view kPrefix = "ref: refs/heads/";
  text = text.substr(0, text.find_first_of("\r\n"));
  if (!text.starts_with(kPrefix) || !IsUtf8(text)) return "";
  return std::string(text.substr(kPrefix.size()));
}

std::optional<GitRepository> ReadGitHead(const std::string& folder) {
  const auto files = LocalExecHandler::Create(folder, {.max_read_bytes = kMaxGitHeadBytes});
  if (!files.ok()) return std::nullopt;
  const absl::StatusOr<ReadOutput> head = (*files)->Read({.path = ".git/HEAD"}, {});
  if (!head.ok() || !head->is_text || head->truncated) return std::nullopt;
  return GitRepository{.path = ToUtf8((*files)->folder()), .branch = ParseGitHead(head->content)};
}

}  // namespace cursorwire::context
