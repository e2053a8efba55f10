#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_BLOOM_FILTER_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_BLOOM_FILTER_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "crdt/automerge/change_hash.h"

namespace cursorwire::automerge {

// A set of changes that may say of one which is not in it that it is, in a hundredth of the cases,
// and takes 10 bits for each: docs/collab/automerge.md, "Exchange".
class BloomFilter {
 public:
  // Of nothing.
  BloomFilter() = default;
  explicit BloomFilter(std::span<const ChangeHash> hashes);

  //   kInvalidArgument    no filter
  //   kResourceExhausted  it claims more bits than there may be
  static absl::StatusOr<BloomFilter> Read(std::string_view bytes);
  std::string Write() const;

  bool MayContain(const ChangeHash& hash) const;

 private:
  // Calls `visit` with the number of each bit of a hash until it returns false; whether it never
  // did.
  template <typename Visit>
  bool ForEachBit(const ChangeHash& hash, Visit visit) const;

  uint32_t entries_ = 0;
  uint32_t bits_per_entry_ = 10;
  uint32_t probes_ = 7;
  std::string bits_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_BLOOM_FILTER_H_
