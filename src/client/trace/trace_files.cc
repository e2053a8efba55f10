#include "client/trace/trace_files.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "agent/trace/trace_line.h"
#include "base/error.h"
#include "base/strings.h"
#include "files/locked_file.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxTraceFiles = 1000;

absl::Status RefuseTrace(const std::string& path, std::string_view why) {
  return LocalError(absl::StatusCode::kFailedPrecondition, absl::StrCat(path, ": ", ToAbsl(why)));
}

absl::Status CheckOptions(const TraceOptions& options) {
  if (options.max_files >= 1 && options.max_files <= kMaxTraceFiles) return absl::OkStatus();
  return LocalError(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("max_files of a trace must be from 1 to ", kMaxTraceFiles));
}

// OK if nothing is at `path`, or an empty file, or a trace that nobody writes.
absl::Status CheckFormerFile(const std::string& path) {
  // O_NONBLOCK: a pipe must not block.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file.valid() && errno == ENOENT) return absl::OkStatus();
  if (!file.valid() && errno == ELOOP) return RefuseTrace(path, "this is a symbolic link");
  if (!file.valid()) return FileError("open", path, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return FileError("open", path, errno);
  if (!S_ISREG(info.st_mode)) return RefuseTrace(path, "this is not a plain file");
  if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0) {
    return RefuseTrace(path, "another process records a trace in this file");
  }
  char start[64];
  const ssize_t count = ::pread(file.get(), start, sizeof(start), 0);
  if (count < 0) return FileError("read", path, errno);
  const std::string_view bytes(start, static_cast<size_t>(count));
  if (bytes.empty() || agent::BeginsLikeTrace(bytes)) return absl::OkStatus();
  return RefuseTrace(path, "this file is not a trace, and would be put aside or replaced by one");
}

}  // namespace

absl::StatusOr<TraceFiles> TraceFiles::Open(const std::string& path, const TraceOptions& options,
                                            int64_t start_unix_us) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  TraceFiles files(path, options, start_unix_us);
  if (absl::Status status = files.CheckFormerFiles(); !status.ok()) return status;
  struct stat info {};
  const bool is_there = ::lstat(path.c_str(), &info) == 0;
  absl::Status status = is_there && info.st_size > 0 ? files.PutAside() : absl::OkStatus();
  // So that the new file is private, even if the empty one was not.
  if (is_there && info.st_size == 0 && ::unlink(path.c_str()) != 0) {
    status = FileError("remove", path, errno);
  }
  if (status.ok()) status = files.Begin();
  if (!status.ok()) return status;
  return files;
}

std::string TraceFiles::PathOf(size_t age) const {
  return age == 0 ? path_ : absl::StrCat(path_, ".", age);
}

absl::Status TraceFiles::CheckFormerFiles() const {
  for (size_t age = 0; age < options_.max_files; ++age) {
    if (absl::Status status = CheckFormerFile(PathOf(age)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

bool TraceFiles::IsFull(size_t bytes) const {
  return !is_empty_ && bytes_ + bytes > options_.max_file_bytes;
}

absl::Status TraceFiles::Rotate() {
  if (absl::Status status = PutAside(); !status.ok()) return status;
  return Begin();
}

absl::Status TraceFiles::PutAside() const {
  for (size_t age = options_.max_files - 1; age > 0; --age) {
    const std::string from = PathOf(age - 1);
    const std::string to = PathOf(age);
    if (::rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) continue;
    return FileError("rename", from, errno);
  }
  if (options_.max_files == 1 && ::unlink(path_.c_str()) != 0 && errno != ENOENT) {
    return FileError("remove", path_, errno);
  }
  return absl::OkStatus();
}

absl::Status TraceFiles::Begin() {
  FileDescriptor file(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return FileError("make", path_, errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return FileError("lock", path_, errno);
  file_ = std::move(file);
  bytes_ = 0;
  absl::Status status = Append(agent::TraceFirstLine(start_unix_us_));
  is_empty_ = true;
  return status;
}

absl::Status TraceFiles::Append(std::string_view line) {
  is_empty_ = false;
  bytes_ += line.size();
  while (!line.empty()) {
    const ssize_t count = ::write(file_.get(), line.data(), line.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("write", path_, errno);
    line.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

}  // namespace cursorwire
