#include "terminal_session/attachments.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace cursor_chat {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSpaces = " \t\n\r";
constexpr std::string_view kEscapedSpace = "\\ ";
constexpr std::string_view kBeforePath = "([{<\"'";
// After a path these end the sentence, unless there is a file of the whole name.
constexpr std::string_view kPunctuation = ".,;:!?)]}>\"'";

bool BeginsWord(std::string_view prompt, size_t at) {
  return at == 0 || kSpaces.find(prompt[at - 1]) != kSpaces.npos ||
         kBeforePath.find(prompt[at - 1]) != kBeforePath.npos;
}

// The path after an '@', and how many bytes it has in the prompt.
std::pair<NamedPath, size_t> TakePath(std::string_view rest) {
  if (rest.starts_with('"')) {
    const size_t end = rest.find('"', 1);
    if (end == rest.npos) return {};
    return {{.path = std::string(rest.substr(1, end - 1)), .certain = true}, end + 1};
  }
  std::string path;
  size_t end = 0;
  for (; end < rest.size() && kSpaces.find(rest[end]) == kSpaces.npos; ++end) {
    if (rest.substr(end).starts_with(kEscapedSpace)) ++end;
    path += rest[end];
  }
  return {{.path = std::move(path), .certain = false}, end};
}

absl::Status Named(const std::string& path, const absl::Status& status) {
  return absl::InvalidArgumentError(path + ": " + std::string(status.message()));
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// The path, or without the punctuation after it if only that exists.
std::string PathThatIsMeant(const fs::path& folder, const std::string& path) {
  std::string shorter = path;
  while (!shorter.empty() && !Exists(folder / shorter) &&
         kPunctuation.find(shorter.back()) != kPunctuation.npos) {
    shorter.pop_back();
  }
  return !shorter.empty() && Exists(folder / shorter) ? shorter : path;
}

// Whether a path that is missing is a mistake, and not text such as the name of an npm package.
bool IsMeant(const fs::path& folder, const NamedPath& named) {
  if (named.certain || named.path.starts_with('/')) return true;
  const size_t slash = named.path.find('/');
  return slash != named.path.npos && Exists(folder / named.path.substr(0, slash));
}

size_t BytesOf(const cursorwire::Attachment& attachment) {
  const auto* file = std::get_if<cursorwire::AttachedFile>(&attachment);
  return file == nullptr ? 0 : file->content.size();
}

}  // namespace

std::string AttachedPath(const cursorwire::Attachment& attachment) {
  return std::visit([](const auto& item) { return item.relative_path; }, attachment);
}

absl::StatusOr<Attachments> Attachments::Open(const std::string& folder) {
  auto files = cursorwire::LocalExecHandler::Create(folder.empty() ? "." : folder,
                                                    {.max_read_bytes = kMaxAttachedFileBytes});
  if (!files.ok()) return files.status();
  return Attachments(*std::move(files));
}

absl::StatusOr<cursorwire::Attachment> Attachments::Read(const std::string& path) const {
  std::error_code error;
  if (fs::is_directory(fs::path(folder()) / path, error)) {
    absl::StatusOr<cursorwire::LsOutput> tree = files_->Ls({.path = path}, {});
    if (!tree.ok()) return Named(path, tree.status());
    return cursorwire::AttachedFolder{.tree = std::move(tree->root), .relative_path = path};
  }
  absl::StatusOr<cursorwire::ReadOutput> file = files_->Read({.path = path}, {});
  if (!file.ok()) return Named(path, file.status());
  if (!file->is_text) {
    return absl::InvalidArgumentError(path + ": this is no text in UTF-8 (/image shows images)");
  }
  if (file->truncated) {
    return absl::InvalidArgumentError(path +
                                      ": this is larger than 1 MiB; the agent can read parts "
                                      "of it if you name it without @");
  }
  return cursorwire::AttachedFile{.path = (fs::path(folder()) / path).lexically_normal().string(),
                                  .relative_path = path,
                                  .content = std::move(file->content)};
}

absl::StatusOr<std::vector<cursorwire::Attachment>> Attachments::ReadEach(
    const std::vector<std::string>& paths) const {
  std::vector<cursorwire::Attachment> attachments;
  size_t bytes = 0;
  for (const std::string& path : paths) {
    absl::StatusOr<cursorwire::Attachment> attachment = Read(path);
    if (!attachment.ok()) return attachment.status();
    bytes += BytesOf(*attachment);
    if (attachments.size() == kMaxAttachedPaths || bytes > kMaxAttachedBytes) {
      return absl::InvalidArgumentError(path +
                                        ": this is more than can be attached: 1000 files "
                                        "and folders, 16 MiB");
    }
    attachments.push_back(*std::move(attachment));
  }
  return attachments;
}

absl::StatusOr<std::vector<cursorwire::Attachment>> Attachments::ReadNamed(
    std::string_view prompt) const {
  std::vector<std::string> paths;
  for (const NamedPath& named : PathsIn(prompt)) {
    const std::string path =
        fs::path(PathThatIsMeant(folder(), named.path)).lexically_normal().string();
    if (!Exists(fs::path(folder()) / path) && !IsMeant(folder(), named)) continue;
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  return ReadEach(paths);
}

std::vector<NamedPath> PathsIn(std::string_view prompt) {
  std::vector<NamedPath> paths;
  for (size_t at = prompt.find('@'); at != prompt.npos; at = prompt.find('@', at + 1)) {
    if (!BeginsWord(prompt, at)) continue;
    auto [named, bytes] = TakePath(prompt.substr(at + 1));
    if (!named.path.empty()) paths.push_back(std::move(named));
    at += bytes;
  }
  return paths;
}

}  // namespace cursor_chat
