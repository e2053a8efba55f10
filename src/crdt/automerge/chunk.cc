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
constexpr size_t kHeadBytes = 11;  // type and length
constexpr uint8_t kDeflatedChange = 2;

absl::Status Truncated() { return absl::DataLossError("a chunk is cut short"); }

// What the hash is over.
void AppendHashed(std::string& out, ChunkType type, std::string_view body) {
  out.push_back(static_cast<char>(type));
  crdt::AppendString(out, body);
}

}  // namespace

std::string ChangeHash::ToHex() const { return absl::BytesToHexString(ToAbsl(view())); }

absl::StatusOr<std::string> InflatePart(std::string_view bytes, const ChunkLimits& limits,
                                        WorkBudget* budget) {
  size_t most = bytes.size() > limits.max_inflated_bytes / limits.max_inflation
                    ? limits.max_inflated_bytes
                    : bytes.size() * limits.max_inflation;
  const bool within_budget = budget == nullptr || most / kBytesOfWork <= budget->left();
  if (!within_budget) most = budget->left() * kBytesOfWork;
  absl::StatusOr<std::string> inflated = wire::Inflate(bytes, most);
  if (budget != nullptr) {
    uint64_t work = (inflated.ok() ? inflated->size() : most) / kBytesOfWork;
    if (!within_budget && absl::IsResourceExhausted(inflated.status())) ++work;
    if (absl::Status status = budget->Take(work); !status.ok()) return status;
  }
  if (inflated.ok()) return inflated;
  if (absl::IsResourceExhausted(inflated.status())) {
    return absl::ResourceExhaustedError(
        absl::StrCat("deflated data of ", bytes.size(), " bytes becomes more than ", most));
  }
  return absl::InvalidArgumentError(inflated.status().message());
}

absl::StatusOr<Chunk> TakeChunk(crdt::ByteReader& bytes, Sha256Hasher& hasher,
                                const ChunkLimits& limits, WorkBudget* budget) {
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
    absl::StatusOr<std::string> inflated = InflatePart(chunk.plain, limits, budget);
    if (!inflated.ok()) return inflated.status();
    chunk.plain = {};
    chunk.inflated = *std::move(inflated);
    std::string scratch;
    chunk.hash = HashOfChange(chunk.inflated, scratch, hasher);
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

ChangeHash HashOfChange(std::string_view body, std::string& scratch, Sha256Hasher& hasher) {
  scratch.clear();
  AppendHashed(scratch, ChunkType::kChange, body);
  return ChangeHash{hasher.Hash(scratch)};
}

std::string ChangeChunk(std::string_view body, const ChangeHash& hash) {
  std::string chunk;
  chunk.reserve(kHashedFrom + kHeadBytes + body.size());
  chunk += kMagic;
  chunk += hash.view().substr(0, kChecksumBytes);
  AppendHashed(chunk, ChunkType::kChange, body);
  return chunk;
}

std::string DocumentChunk(std::string_view body, Sha256Hasher& hasher) {
  std::string chunk(kMagic);
  chunk.append(kChecksumBytes, '\0');
  AppendHashed(chunk, ChunkType::kDocument, body);
  const ChangeHash hash{hasher.Hash(std::string_view(chunk).substr(kHashedFrom))};
  std::memcpy(chunk.data() + kMagic.size(), hash.bytes.data(), kChecksumBytes);
  return chunk;
}

}  // namespace cursorwire::automerge
