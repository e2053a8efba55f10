#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "cursorwire/trace.h"
#include "files/locked_file.h"

namespace cursorwire {

absl::StatusOr<TraceContent> ReadTrace(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return FileError("open", path, errno);
  std::string text;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("read", path, errno);
    if (count == 0) break;
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kMaxTraceBytes) {
      return LocalError(absl::StatusCode::kResourceExhausted,
                        absl::StrCat(path, ": larger than ", kMaxTraceBytes, " bytes"));
    }
  }
  absl::StatusOr<TraceContent> content = ParseTrace(text);
  if (!content.ok()) return Annotate(content.status(), path);
  return content;
}

}  // namespace cursorwire
