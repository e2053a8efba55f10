#ifndef CURSORWIRE_SRC_AGENT_EXEC_ANSWERED_EXECS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_ANSWERED_EXECS_H_

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>

#include "agent/v1/exec.pb.h"
#include "base/fifo.h"

namespace cursorwire::agent {

// The answered execs of one run: an exec that the server sends again must not be done again. Two
// execs with the same id and kind are the same if their exec_id is the same or, without an exec_id,
// if all their fields are. Remembers the last 1024. Thread-compatible.
class AnsweredExecs {
 public:
  void Add(uint32_t id, size_t fingerprint);
  bool contains(uint32_t id, size_t fingerprint) const;

  static size_t FingerprintOf(const ::agent::v1::ExecServerMessage& exec);

 private:
  absl::flat_hash_map<uint32_t, size_t> fingerprints_;  // by id; the latest for each id
  Fifo<uint32_t> ids_;                                  // oldest first
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_ANSWERED_EXECS_H_
