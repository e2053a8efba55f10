#include "workspace/edit/file_state.h"

#include <absl/hash/hash.h>
#include <absl/status/status.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace cursorwire::workspace {
namespace {

constexpr size_t kHashedBytes = size_t{64} * 1024;  // at a time

// Blocks are full but for the last one, so that equal contents have equal hashes.
class ContentHash {
 public:
  void Add(std::string_view block) { hash_ = absl::HashOf(hash_, block); }
  size_t hash() const { return hash_; }

 private:
  size_t hash_ = 0;
};

// Fills `block` as far as the file goes. Returns the number of bytes.
absl::StatusOr<size_t> ReadBlock(const OpenFile& file, std::string& block) {
  size_t filled = 0;
  while (filled < block.size()) {
    const absl::StatusOr<size_t> count = file.Read(block.data() + filled, block.size() - filled);
    if (!count.ok()) return count.status();
    if (*count == 0) break;
    filled += *count;
  }
  return filled;
}

absl::StatusOr<std::optional<size_t>> HashOfRest(const OpenFile& file, size_t max_bytes,
                                                 const WorkLimit& limit) {
  ContentHash hash;
  std::string block(kHashedBytes, '\0');
  for (size_t hashed = 0; hashed <= max_bytes && !limit.over();) {
    const absl::StatusOr<size_t> count = ReadBlock(file, block);
    if (!count.ok()) return count.status();
    if (*count > 0) hash.Add(std::string_view(block).substr(0, *count));
    hashed += *count;
    if (*count < block.size()) {
      return hashed <= max_bytes ? std::optional<size_t>(hash.hash()) : std::nullopt;
    }
  }
  return std::nullopt;
}

FileState StateOfFacts(const struct stat& facts) {
  return {.exists = true,
          .device = facts.st_dev,
          .inode = facts.st_ino,
          .bytes = facts.st_size,
          .modified_ns = NanosecondsOf(facts.st_mtim)};
}

}  // namespace

size_t HashOfContent(std::string_view content) {
  ContentHash hash;
  for (size_t start = 0; start < content.size(); start += kHashedBytes) {
    hash.Add(content.substr(start, kHashedBytes));
  }
  return hash.hash();
}

FileState StateOf(const FileVersion& version) {
  if (!version.exists) return {};
  FileState state = StateOfFacts(version.facts);
  if (version.content) state.hash = HashOfContent(*version.content);
  return state;
}

absl::StatusOr<FileState> StateOf(const OpenFile& file, size_t max_bytes, const WorkLimit& limit) {
  struct stat facts {};
  if (::fstat(file.fd(), &facts) != 0) return FileError(errno);
  FileState state = StateOfFacts(facts);
  if (static_cast<uint64_t>(std::max<off_t>(0, facts.st_size)) > max_bytes) return state;
  const absl::StatusOr<std::optional<size_t>> hash = HashOfRest(file, max_bytes, limit);
  if (!hash.ok()) return hash.status();
  state.hash = *hash;
  if (absl::Status rewound = file.Rewind(); !rewound.ok()) return rewound;
  return state;
}

FileState StateOfContent(std::string_view content) {
  return {.exists = true,
          .hash = HashOfContent(content),
          .bytes = static_cast<int64_t>(content.size())};
}

bool HoldsTheSame(const FileState& a, const FileState& b) {
  if (!a.exists || !b.exists) return a.exists == b.exists;
  if (a.hash && b.hash) return *a.hash == *b.hash;
  return a.device == b.device && a.inode == b.inode && a.bytes == b.bytes &&
         a.modified_ns == b.modified_ns;
}

}  // namespace cursorwire::workspace
