#include "crdt/automerge/bloom_filter.h"

#include <absl/status/status.h>

#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"

namespace cursorwire::automerge {
namespace {

constexpr uint64_t kMaxFilterBits = 134217728;
constexpr uint64_t kMaxProbes = 16;
constexpr uint64_t kBitsOfByte = 8;

uint64_t BytesFor(uint64_t entries, uint64_t bits_per_entry) {
  return (entries * bits_per_entry + kBitsOfByte - 1) / kBitsOfByte;
}

}  // namespace

template <typename Visit>
bool BloomFilter::ForEachBit(const ChangeHash& hash, Visit visit) const {
  const auto modulo = static_cast<uint32_t>(kBitsOfByte * bits_.size());
  uint32_t x = hash.Word(0) % modulo;
  uint32_t y = hash.Word(4) % modulo;
  const uint32_t z = hash.Word(8) % modulo;
  if (!visit(x)) return false;
  for (uint32_t i = 1; i < probes_; ++i) {
    x = (x + y) % modulo;
    y = (y + z) % modulo;
    if (!visit(x)) return false;
  }
  return true;
}

BloomFilter::BloomFilter(std::span<const ChangeHash> hashes)
    : entries_(static_cast<uint32_t>(hashes.size())),
      bits_(BytesFor(hashes.size(), bits_per_entry_), '\0') {
  for (const ChangeHash& hash : hashes) {
    ForEachBit(hash, [this](uint32_t bit) {
      char& byte = bits_[bit / kBitsOfByte];
      byte = static_cast<char>(static_cast<uint8_t>(byte) | 1U << bit % kBitsOfByte);
      return true;
    });
  }
}

absl::StatusOr<BloomFilter> BloomFilter::Read(std::string_view bytes) {
  BloomFilter filter;
  if (bytes.empty()) return filter;
  crdt::ByteReader reader(bytes);
  const uint64_t entries = reader.TakeUint();
  const uint64_t bits_per_entry = reader.TakeUint();
  const uint64_t probes = reader.TakeUint();
  if (reader.failed()) return absl::InvalidArgumentError("a filter is cut short");
  if (entries > kMaxFilterBits || bits_per_entry > kMaxFilterBits ||
      entries * bits_per_entry > kMaxFilterBits) {
    return absl::ResourceExhaustedError("a filter claims more than 2^27 bits");
  }
  if (probes == 0 || probes > kMaxProbes) {
    return absl::InvalidArgumentError("a filter has no probes, or more than 16");
  }
  if (reader.rest().size() != BytesFor(entries, bits_per_entry)) {
    return absl::InvalidArgumentError("a filter is not as long as it says");
  }
  filter.entries_ = static_cast<uint32_t>(entries);
  filter.bits_per_entry_ = static_cast<uint32_t>(bits_per_entry);
  filter.probes_ = static_cast<uint32_t>(probes);
  filter.bits_ = reader.rest();
  return filter;
}

std::string BloomFilter::Write() const {
  std::string bytes;
  if (entries_ == 0) return bytes;
  crdt::AppendUint(bytes, entries_);
  crdt::AppendUint(bytes, bits_per_entry_);
  crdt::AppendUint(bytes, probes_);
  return bytes + bits_;
}

bool BloomFilter::MayContain(const ChangeHash& hash) const {
  if (bits_.empty()) return false;
  return ForEachBit(hash, [this](uint32_t bit) {
    return (static_cast<uint8_t>(bits_[bit / kBitsOfByte]) >> bit % kBitsOfByte & 1) != 0;
  });
}

}  // namespace cursorwire::automerge
