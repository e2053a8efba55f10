#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_WORK_BUDGET_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_WORK_BUDGET_H_

#include <absl/status/status.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cursorwire::automerge {

// Work is counted in rows of changes: an operation, or one that it overwrites. Each takes about 0.2
// microseconds; other work counts as many rows as take the same time.
constexpr uint64_t kWorkOfDocumentRow = 8;
constexpr uint64_t kBytesOfWork = 32;  // bytes that are inflated, or a name that is read again
constexpr uint64_t kHeadsOfWork = 32;  // heads of a document, for each change that makes another

struct WorkLimits {
  // Whatever the length of the messages. It is there again as far as later messages are longer than
  // what is in them needs.
  uint64_t sure = 10000000;
  // For each byte of a message.
  uint64_t of_byte = 100;
  // For all bytes of one message.
  uint64_t max_of_bytes = 50000000;
};

// How much work a peer may cause: alike rows take next to no bytes, so its bytes alone do not bound
// it. docs/collab/automerge.md, "Exchange".
//
// Order: BeginMessage(), then Take() for all that is done for it. Thread-compatible.
class WorkBudget {
 public:
  explicit WorkBudget(const WorkLimits& limits = {}) : limits_(limits), left_(limits.sure) {}

  void BeginMessage(size_t bytes) {
    left_ = std::min(left_, limits_.sure);
    earned_ = 0;
    has_ended_ = false;
    AddBytes(bytes);
  }
  // What came with an earlier message, and is done with this one.
  void AddBytes(size_t bytes) {
    const uint64_t room = limits_.max_of_bytes - earned_;
    const uint64_t more =
        bytes != 0 && limits_.of_byte > room / bytes ? room : limits_.of_byte * bytes;
    earned_ += more;
    left_ += more;
  }

  //   kResourceExhausted  so much is not left: nothing is, and the message ends
  absl::Status Take(uint64_t work) {
    if (work <= left_) {
      left_ -= work;
      return absl::OkStatus();
    }
    left_ = 0;
    has_ended_ = true;
    return absl::ResourceExhaustedError("a message is more work than its length allows");
  }
  uint64_t left() const { return left_; }

  // Nothing more of the message is to be taken.
  void End() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }

 private:
  const WorkLimits limits_;
  uint64_t left_;
  uint64_t earned_ = 0;
  bool has_ended_ = false;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_WORK_BUDGET_H_
