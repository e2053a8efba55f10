#include "crdt/automerge/chunk.h"

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "crdt/bytes/byte_writer.h"
#include "wire/gzip.h"

namespace cursorwire::automerge {
namespace {

constexpr std::string_view kMagic = "\x85\x6f\x4a\x83";
constexpr size_t kChecksumBytes = 4;  // the first of the hash
constexpr size_t kHashedFrom = kMagic.size() + kChecksumBytes;
constexpr uint8_t kDeflatedChange = 2;

absl::Status Truncated() { return absl::DataLossError("a chunk is cut short"); }

// The hash of a change is over this form, however it was sent.
ChangeHash HashOfChange(std::string_view body, Sha256Hasher& hasher) {
  std::string bytes;
  BeginChunk(bytes, ChunkType::kChange, body.size());
  bytes += body;
  return ChangeHash{hasher.Hash(std::string_view(bytes).substr(kHashedFrom))};
}

}  // namespace

std::string ChangeHash::ToHex() const { return absl::BytesToHexString(ToAbsl(view())); }

absl::StatusOr<std::string> InflatePart(std::string_view bytes, const ChunkLimits& limits) {
  const size_t most = bytes.size() > limits.max_inflated_bytes / limits.max_inflation
                          ? limits.max_inflated_bytes
                          : bytes.size() * limits.max_inflation;
  absl::StatusOr<std::string> inflated = wire::Inflate(bytes, most);
  if (inflated.ok()) return inflated;
  if (absl::IsResourceExhausted(inflated.status())) {
    return absl::ResourceExhaustedError(
        absl::StrCat("deflated data of ", bytes.size(), " bytes becomes more than ", most));
  }
  return absl::InvalidArgumentError(inflated.status().message());
}

absl::StatusOr<Chunk> TakeChunk(crdt::ByteReader& bytes, Sha256Hasher& hasher,
                                const ChunkLimits& limits) {
  const std::string_view magic = bytes.Take(std::min(kMagic.size(), bytes.rest().size()));
  if (magic != kMagic.substr(0, magic.size())) return absl::InvalidArgumentError("no chunk");
  const std::string_view checksum = bytes.Take(kChecksumBytes);
  const std::string_view hashed = bytes.rest();
  const uint8_t type = bytes.TakeByte();
  const uint64_t size = bytes.TakeUint();
  if (bytes.failed()) return Truncated();
  if (size > limits.max_body_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a chunk of ", size, " bytes is over the limit of ", limits.max_body_bytes));
  }
  Chunk chunk;
  chunk.plain = bytes.Take(size);
  if (bytes.failed()) return Truncated();
  if (type == kDeflatedChange) {
    absl::StatusOr<std::string> inflated = InflatePart(chunk.plain, limits);
    if (!inflated.ok()) return inflated.status();
    chunk.plain = {};
    chunk.inflated = *std::move(inflated);
    chunk.hash = HashOfChange(chunk.inflated, hasher);
  } else if (type <= static_cast<uint8_t>(ChunkType::kChange)) {
    chunk.type = static_cast<ChunkType>(type);
    chunk.hash = ChangeHash{hasher.Hash(hashed.substr(0, hashed.size() - bytes.rest().size()))};
  } else {
    return absl::InvalidArgumentError(absl::StrCat("a chunk of the unknown type ", int{type}));
  }
  if (chunk.hash.view().substr(0, kChecksumBytes) != checksum) {
    return absl::DataLossError("the checksum of a chunk is wrong");
  }
  return chunk;
}

void BeginChunk(std::string& out, ChunkType type, size_t body_bytes) {
  out += kMagic;
  out.append(kChecksumBytes, '\0');
  out.push_back(static_cast<char>(type));
  crdt::AppendUint(out, body_bytes);
}

ChangeHash FinishChunk(std::string& out, size_t start, Sha256Hasher& hasher) {
  const ChangeHash hash{hasher.Hash(std::string_view(out).substr(start + kHashedFrom))};
  std::memcpy(out.data() + start + kMagic.size(), hash.bytes.data(), kChecksumBytes);
  return hash;
}

}  // namespace cursorwire::automerge
