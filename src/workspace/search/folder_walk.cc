#include "workspace/search/folder_walk.h"

#include <absl/status/status.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace cursorwire::workspace {
namespace {

constexpr size_t kMaxIgnoreFileBytes = size_t{256} * 1024;
// Limit of all ignore files whose rules are kept at a time: a byte may need 100 bytes of memory.
constexpr size_t kMaxKeptIgnoreBytes = size_t{4} * 1024 * 1024;
constexpr std::string_view kGitFolder = ".git";

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using FolderStream = std::unique_ptr<DIR, CloseFolder>;

// Where the names begin in the places of entries of the folder at `place`.
size_t NamesBegin(std::string_view place) { return place.empty() ? 0 : place.size() + 1; }

FileKind KindOfEntry(int folder, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return FileKind::kRegular;
    case DT_DIR:
      return FileKind::kFolder;
    case DT_LNK:
      return FileKind::kLink;
    case DT_FIFO:
      return FileKind::kPipe;
    case DT_SOCK:
      return FileKind::kSocket;
    case DT_UNKNOWN:
      break;  // this file system does not tell the kind
    default:
      return FileKind::kDevice;
  }
  struct stat facts {};
  if (::fstatat(folder, entry.d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return FileKind::kDevice;
  if (S_ISREG(facts.st_mode)) return FileKind::kRegular;
  if (S_ISDIR(facts.st_mode)) return FileKind::kFolder;
  return S_ISLNK(facts.st_mode) ? FileKind::kLink : FileKind::kDevice;
}

// The start of a file; empty if it is missing or cannot be read.
std::string ReadStart(const Workspace& workspace, const std::string& place, size_t max_bytes) {
  const absl::StatusOr<OpenFile> file = workspace.OpenRegularFile(place, LastLink::kRefuse);
  if (!file.ok()) return "";
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() < max_bytes) {
    const absl::StatusOr<size_t> count = file->Read(buffer.data(), buffer.size());
    if (!count.ok() || *count == 0) break;
    text.append(buffer.data(), *count);
  }
  return text;
}

}  // namespace

FolderWalk::FolderWalk(const Workspace& workspace, const WorkLimit& limit, std::string start,
                       IgnoreRules extra, IgnoreFiles files)
    : workspace_(workspace),
      limit_(limit),
      start_(std::move(start)),
      files_(files),
      extra_{.parent = nullptr, .skipped_bytes = NamesBegin(start_), .rules = std::move(extra)} {}

FolderWalk::Folder FolderWalk::Start() const {
  Folder folder;
  for (size_t slash = 0; slash < start_.size(); ++slash) {
    // Only for folders above the start: the start's own rules are read when it is listed.
    folder.scope = WithIgnoreFiles(folder);
    slash = std::min(start_.find('/', slash), start_.size());
    folder.place = start_.substr(0, slash);
  }
  return folder;
}

absl::StatusOr<FolderWalk::Listing> FolderWalk::List(const Folder& folder) const {
  absl::StatusOr<OpenFile> opened = workspace_.OpenFolder(
      folder.place, folder.place == start_ ? LastLink::kFollow : LastLink::kRefuse);
  if (!opened.ok()) return opened.status();
  const FolderStream stream(::fdopendir(opened->fd()));
  if (stream == nullptr) return FileError(errno);
  opened->Release();  // the stream closes it

  Listing listing;
  listing.scope = WithIgnoreFiles(folder);
  for (;;) {
    errno = 0;  // readdir() reports an error only here
    // Safe as long as two threads do not read the same stream.
    const dirent* entry = ::readdir(stream.get());  // NOLINT(concurrency-mt-unsafe)
    if (entry == nullptr && errno != 0) listing.complete = false;
    if (entry == nullptr) break;
    if (limit_.over() || listing.entries.size() == kMaxEntries) {
      listing.complete = false;
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || name == kGitFolder) continue;
    const FileKind kind = KindOfEntry(::dirfd(stream.get()), *entry);
    const std::string place = Join(folder.place, name);
    if (Ignores(listing.scope.get(), place, kind == FileKind::kFolder)) {
      if (files_ == IgnoreFiles::kCursor) listing.ignored.push_back({std::string(name), kind});
      continue;
    }
    if (limit_.over()) {  // perhaps before all rules were checked
      listing.complete = false;
      break;
    }
    listing.entries.push_back({std::string(name), kind});
  }
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return listing;
}

std::shared_ptr<const FolderWalk::Scope> FolderWalk::WithIgnoreFiles(const Folder& folder) const {
  if (limit_.over()) return folder.scope;  // nothing more will be listed
  // As lines of one file: what .cursorignore says holds where both say something.
  std::string text;
  if (files_ == IgnoreFiles::kGitAndCursor) {
    text = ReadStart(workspace_, Join(folder.place, ".gitignore"), kMaxIgnoreFileBytes);
    if (!text.empty()) text += '\n';
  }
  text += ReadStart(workspace_, Join(folder.place, ".cursorignore"), kMaxIgnoreFileBytes);
  if (text.size() > kMaxKeptIgnoreBytes - std::min(*kept_bytes_, kMaxKeptIgnoreBytes)) {
    return folder.scope;
  }
  IgnoreRules rules = IgnoreRules::OfGitignore(text);
  if (rules.empty()) return folder.scope;
  *kept_bytes_ += text.size();
  const auto forget = [kept = kept_bytes_, bytes = text.size()](const Scope* scope) {
    *kept -= bytes;
    delete scope;
  };
  return {new Scope{folder.scope, NamesBegin(folder.place), std::move(rules)}, forget};
}

// The nearest folder that has a matching rule decides.
bool FolderWalk::Ignores(const Scope* scope, const std::string& place, bool is_folder) const {
  const auto check = [&](const Scope& rules) {
    return rules.rules.Check(std::string_view(place).substr(rules.skipped_bytes), is_folder);
  };
  Verdict verdict = check(extra_);
  for (; verdict == Verdict::kNone && scope != nullptr && !limit_.over();
       scope = scope->parent.get()) {
    verdict = check(*scope);
  }
  return verdict == Verdict::kIgnore;
}

}  // namespace cursorwire::workspace
