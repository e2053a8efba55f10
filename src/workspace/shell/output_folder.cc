#include "workspace/shell/output_folder.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace cursorwire::workspace {
namespace {

constexpr mode_t kOwnerOnly = 0600;

bool NeedsNoQuotes(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '-' || c == '_' ||
           c == '.';
  });
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string OutputFolder::DefaultParent() {
  const char* given = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view parent = given == nullptr ? "" : given;
  return parent.starts_with('/') && NeedsNoQuotes(parent) ? std::string(parent) : "/tmp";
}

absl::Status OutputFolder::Make() {
  if (removed_) return LocalError(absl::StatusCode::kCancelled, "the program is about to end");
  if (!folder_.empty()) return absl::OkStatus();
  std::string name = parent_ + "/cursorwire-output-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return ChangeError(errno);
  handle_ = OpenFile(::open(name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (handle_.fd() < 0) return ChangeError(errno);
  folder_ = std::move(name);
  return absl::OkStatus();
}

std::string OutputFolder::path() {
  const std::lock_guard lock(mutex_);
  return Make().ok() ? folder_ : "";
}

std::string OutputFolder::FreeName() {
  const std::lock_guard lock(mutex_);
  return absl::StrCat("output-", ++last_number_, ".txt");
}

std::string OutputFolder::Rename(const std::string& path, const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::string renamed = absl::StrCat(folder_, "/", name);
  if (!paths_.contains(path) ||
      ::renameat(handle_.fd(), NameOf(path).c_str(), handle_.fd(), name.c_str()) != 0) {
    return path;
  }
  paths_.erase(path);
  paths_.insert(renamed);
  return renamed;
}

absl::StatusOr<OutputFile> OutputFolder::Create(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (absl::Status status = Make(); !status.ok()) return status;
  OpenFile file(::openat(handle_.fd(), name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                         kOwnerOnly));
  if (file.fd() < 0) return ChangeError(errno);
  std::string path = absl::StrCat(folder_, "/", name);
  paths_.insert(path);
  return OutputFile{.path = std::move(path), .file = std::move(file)};
}

void OutputFolder::Retire(const std::string& path) {
  const std::lock_guard lock(mutex_);
  retired_.push_back(path);
  if (retired_.size() <= kKeptFiles) return;
  Unlink(retired_.front());
  retired_.pop_front();
}

void OutputFolder::Discard(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Unlink(path);
}

void OutputFolder::Unlink(const std::string& path) {
  if (paths_.erase(path) == 0) return;
  ::unlinkat(handle_.fd(), NameOf(path).c_str(), 0);
}

bool OutputFolder::Holds(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return paths_.contains(path);
}

absl::StatusOr<OpenFile> OutputFolder::Open(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  if (!paths_.contains(path)) return FileError(ENOENT);
  OpenFile file(
      ::openat(handle_.fd(), NameOf(path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.fd() < 0) return FileError(errno);
  const absl::StatusOr<FileFacts> facts = file.Facts();
  if (!facts.ok()) return facts.status();
  if (facts->kind != FileKind::kRegular) return WrongKind(facts->kind, FileKind::kRegular);
  return file;
}

void OutputFolder::Remove() {
  const std::lock_guard lock(mutex_);
  removed_ = true;
  if (folder_.empty()) return;
  std::error_code ignored;  // nothing can be done about an error
  std::filesystem::remove_all(std::exchange(folder_, std::string()), ignored);
  paths_.clear();
}

}  // namespace cursorwire::workspace
