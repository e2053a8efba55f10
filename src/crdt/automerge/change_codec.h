#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_CODEC_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_CODEC_H_

#include <absl/container/inlined_vector.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "crdt/automerge/change_hash.h"
#include "crdt/automerge/op_columns.h"

namespace cursorwire::automerge {

// Whether these bytes can be the id of an actor: it is as long as one may be.
bool IsActor(std::string_view actor);

// What a change says of itself; its operations are in the columns. The views are into what it was
// read from.
struct ChangeHead {
  absl::InlinedVector<ChangeHash, 2> deps{};  // sorted
  std::string_view actor{};
  uint64_t seq = 1;  // among the changes of its actor
  uint32_t start_op = 1;
  int64_t time = 0;  // seconds since 1970, or what its maker likes
  std::string_view message{};
  // Those that its operations name beside `actor`, sorted. In the columns, index 0 is `actor`, 1
  // the first of these.
  absl::InlinedVector<std::string_view, 2> other_actors{};
  Columns columns{};
  std::string_view rest{};  // bytes of a later version of the format
};

// Source: docs/collab/automerge.md, "Changes".
//   kInvalidArgument    no change
//   kDataLoss           cut short
absl::StatusOr<ChangeHead> ReadChange(std::string_view body);

// Writes changes, one after the other. Thread-compatible.
class ChangeWriter {
 public:
  // What ReadChange() would read this from, with the columns of `head`. Valid until the next call.
  std::string_view Write(const ChangeHead& head);

 private:
  std::string body_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_CODEC_H_
