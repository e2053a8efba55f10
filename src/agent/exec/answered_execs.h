#ifndef CURSORWIRE_SRC_AGENT_EXEC_ANSWERED_EXECS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_ANSWERED_EXECS_H_

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>

#include "agent/v1/exec.pb.h"

namespace cursorwire::agent {

// The execs of one run that were done: one that comes once more must not be done again. It is the
// same one if its exec_id is, or, where it has none, all that it says. Keeps the last 1024.
// Thread-compatible.
class AnsweredExecs {
 public:
  void Add(uint32_t id, size_t fingerprint);
  bool contains(uint32_t id, size_t fingerprint) const;

  static size_t FingerprintOf(const ::agent::v1::ExecServerMessage& exec);

 private:
  absl::flat_hash_map<uint32_t, size_t> fingerprints_;  // by id, the last of each
  std::deque<uint32_t> ids_;                            // the oldest first
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_ANSWERED_EXECS_H_
