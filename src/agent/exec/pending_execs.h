#ifndef CURSORWIRE_SRC_AGENT_EXEC_PENDING_EXECS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_PENDING_EXECS_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "agent/v1/exec.pb.h"
#include "base/fifo.h"
#include "base/utf8_pieces.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// An exec that waits for its answer, without its large arguments.
struct PendingExec {
  ::agent::v1::ExecServerMessage exec{};
  size_t bytes = 0;        // size of the exec including those arguments
  size_t fingerprint = 0;  // includes those arguments; see AnsweredExecs
  // For a shell stream: whether it has started, and the bytes of its output that were held back.
  bool started = false;
  Utf8Pieces out{};
  Utf8Pieces err{};
};

// `exec` without the contents of files and the arguments of tools, which no answer repeats.
::agent::v1::ExecServerMessage WithoutContents(const ::agent::v1::ExecServerMessage& exec);

// The execs that the server has sent and the handler has not answered yet. Limits: 256 execs, and
// 64 MiB of arguments. Thread-compatible.
class PendingExecs {
 public:
  // ExecHandler gives no meaning to these codes, so they tell the model nothing about the machine.
  //   kUnavailable    over one of the bounds
  //   kAlreadyExists  an exec with this id is already waiting
  absl::Status Add(const ::agent::v1::ExecServerMessage& exec, ExecArgs args);
  // The next exec that was not handed to a handler yet.
  std::optional<ExecRequest> Poll();
  // nullptr: no exec with that id waits. Valid until the next call of another function.
  PendingExec* Find(uint32_t id);
  // Like Find(), but removes the exec.
  std::optional<PendingExec> Take(uint32_t id);
  bool contains(uint32_t id) const { return waiting_.contains(id); }
  bool empty() const { return waiting_.empty(); }
  // By id; includes the execs that were handed out.
  const std::map<uint32_t, PendingExec>& waiting() const { return waiting_; }
  void Clear();

 private:
  Fifo<ExecRequest> queue_;
  std::map<uint32_t, PendingExec> waiting_;
  size_t bytes_ = 0;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_PENDING_EXECS_H_
