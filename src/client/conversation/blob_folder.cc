#include "cursorwire/session_file.h"

#include <absl/base/thread_annotations.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "agent/history/blob_index.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "files/locked_file.h"

namespace cursorwire {
namespace {

constexpr size_t kIdBytes = 32;

std::string HexOf(std::string_view id) { return absl::BytesToHexString(ToAbsl(id)); }

// nullopt: not the name of a blob.
std::optional<std::string> IdOf(const std::string& name) {
  const bool is_hex = name.size() == 2 * kIdBytes &&
                      name.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hex) return std::nullopt;
  return absl::HexStringToBytes(name);
}

absl::Status WriteNew(const std::string& path, std::string_view bytes) {
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return FileError("make", path, errno);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

std::optional<std::string> ReadWhole(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file.valid()) return std::nullopt;
  std::string bytes;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<size_t>(count));
  }
}

class FolderBlobStore final : public BlobStore {
 public:
  FolderBlobStore(std::string folder, BlobLimits limits)
      : folder_(std::move(folder)), index_(limits) {}

  // Takes what lies there into account, the oldest first.
  absl::Status ReadFolder() {
    struct Found {
      std::filesystem::file_time_type time;
      std::string id;
      size_t bytes;
    };
    std::vector<Found> all;
    std::error_code error;
    std::filesystem::directory_iterator entries(folder_, error);
    if (error) return FileError("read", folder_, error.value());
    for (const auto end = std::filesystem::directory_iterator(); entries != end;
         entries.increment(error)) {
      if (error) return FileError("read", folder_, error.value());
      std::error_code gone;
      const std::optional<std::string> id = IdOf(entries->path().filename().string());
      if (!id || !entries->is_regular_file(gone)) continue;
      const auto time = entries->last_write_time(gone);
      const auto bytes = entries->file_size(gone);
      if (!gone) all.push_back({time, *id, static_cast<size_t>(bytes)});
    }
    std::sort(all.begin(), all.end(),
              [](const Found& a, const Found& b) { return a.time < b.time; });
    const std::lock_guard lock(mutex_);
    for (const Found& found : all) index_.Add(found.id, found.bytes);
    return absl::OkStatus();
  }

  std::string Put(std::string_view bytes) override {
    std::string id = Sha256(bytes);
    const std::lock_guard lock(mutex_);
    if (Has(id)) {
      index_.Add(id, bytes.size());
      return id;
    }
    Drop(index_.MakeRoom(bytes.size()));
    if (!Write(id, bytes).ok()) unwritten_.insert_or_assign(id, std::string(bytes));
    index_.Add(id, bytes.size());
    return id;
  }

  absl::Status Set(std::string_view id, std::string_view bytes) override {
    if (absl::Status status = agent::BlobIndex::Check(id, bytes); !status.ok()) return status;
    const std::lock_guard lock(mutex_);
    if (Has(id)) {
      index_.Add(id, bytes.size());
      return absl::OkStatus();
    }
    const auto evicted = index_.MakeRoom(bytes.size());
    if (!evicted.ok()) return evicted.status();
    Drop(evicted);
    if (absl::Status status = Write(id, bytes); !status.ok()) return status;
    index_.Add(id, bytes.size());
    return absl::OkStatus();
  }

  std::optional<std::string> Get(std::string_view id) const override {
    const std::lock_guard lock(mutex_);
    std::optional<std::string> bytes = Read(id);
    if (bytes) index_.Touch(id);
    return bytes;
  }

  std::optional<std::string> Peek(std::string_view id) const override {
    const std::lock_guard lock(mutex_);
    return Read(id);
  }

  bool Contains(std::string_view id) const override {
    const std::lock_guard lock(mutex_);
    return Has(id);
  }

  bool IsHalfFull() const override {
    const std::lock_guard lock(mutex_);
    return index_.IsHalfFull();
  }

  void Protect(std::string_view owner, const std::vector<std::string>& ids) override {
    const std::lock_guard lock(mutex_);
    index_.Protect(owner, ids);
  }

 private:
  std::string PathOf(std::string_view id) const { return absl::StrCat(folder_, "/", HexOf(id)); }

  std::optional<std::string> Read(std::string_view id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (id.size() != kIdBytes) return std::nullopt;
    const auto unwritten = unwritten_.find(std::string(id));
    if (unwritten != unwritten_.end()) return unwritten->second;
    std::optional<std::string> bytes = ReadWhole(PathOf(id));
    if (!bytes || Sha256(*bytes) != id) {
      verified_.erase(std::string(id));
      return std::nullopt;
    }
    // Another process may have stored it.
    if (!index_.Contains(id)) index_.Add(id, bytes->size());
    verified_.insert(std::string(id));
    return bytes;
  }

  // Its bytes are there, and were once seen to be those of its name.
  bool Has(std::string_view id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (unwritten_.contains(std::string(id))) return true;
    if (!verified_.contains(std::string(id))) return Read(id).has_value();
    return ::access(PathOf(id).c_str(), R_OK) == 0;
  }

  absl::Status Write(std::string_view id, std::string_view bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const std::string path = PathOf(id);
    // No other writer has that name: neither a thread of this process nor another process.
    const std::string beside = absl::StrCat(path, ".", ::getpid(), ".", ++count_, ".new");
    absl::Status status = WriteNew(beside, bytes);
    if (status.ok() && ::rename(beside.c_str(), path.c_str()) != 0) {
      status = FileError("replace", path, errno);
    }
    if (status.ok()) {
      verified_.insert(std::string(id));
    } else {
      ::unlink(beside.c_str());
    }
    return status;
  }

  void Drop(const absl::StatusOr<std::vector<std::string>>& evicted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!evicted.ok()) return;
    for (const std::string& id : *evicted) {
      unwritten_.erase(id);
      verified_.erase(id);
      ::unlink(PathOf(id).c_str());
    }
  }

  const std::string folder_;
  mutable std::mutex mutex_;
  mutable agent::BlobIndex index_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::string> unwritten_ ABSL_GUARDED_BY(mutex_);
  mutable absl::flat_hash_set<std::string> verified_ ABSL_GUARDED_BY(mutex_);
  uint64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace

absl::StatusOr<std::shared_ptr<BlobStore>> OpenBlobFolder(const std::string& folder,
                                                          BlobLimits limits) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return FileError("make", folder, errno);
  }
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return FileError("open", folder, errno);
  if (!S_ISDIR(info.st_mode) || (info.st_mode & 0077) != 0) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat(folder, ": not a folder, or others may read it: chmod 700 it"));
  }
  auto store = std::make_shared<FolderBlobStore>(folder, limits);
  if (absl::Status status = store->ReadFolder(); !status.ok()) return status;
  return store;
}

}  // namespace cursorwire
