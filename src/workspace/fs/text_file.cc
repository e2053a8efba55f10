#include "workspace/fs/text_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "workspace/fs/file_version.h"
#include "workspace/fs/text_encoding.h"

namespace cursorwire::workspace {
namespace {

absl::StatusOr<OpenFile> InMemory(std::string_view content) {
  OpenFile file(::memfd_create("cursorwire-text", MFD_CLOEXEC));
  if (file.fd() < 0) return FileError(errno);
  while (!content.empty()) {
    const ssize_t count = ::write(file.fd(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return FileError(errno);
    content.remove_prefix(static_cast<size_t>(count));
  }
  if (absl::Status rewound = file.Rewind(); !rewound.ok()) return rewound;
  return file;
}

// Two bytes are enough to know that it is none.
bool HasMark(const OpenFile& file) {
  char start[2] = {};
  return ::pread(file.fd(), start, sizeof start, 0) == sizeof start &&
         (std::string_view(start, 2) == "\xFF\xFE" || std::string_view(start, 2) == "\xFE\xFF");
}

}  // namespace

absl::StatusOr<std::optional<OpenFile>> OpenUtf16(const OpenFile& file, size_t max_bytes) {
  if (!HasMark(file)) return std::nullopt;
  const std::optional<std::string> content = ReadAll(file, max_bytes);
  if (absl::Status rewound = file.Rewind(); !rewound.ok()) return rewound;
  const std::optional<std::string> text = content ? Utf16ToUtf8(*content) : std::nullopt;
  if (!text) return std::nullopt;
  absl::StatusOr<OpenFile> memory = InMemory(*text);
  if (!memory.ok()) return memory.status();
  return std::optional<OpenFile>(*std::move(memory));
}

}  // namespace cursorwire::workspace
