#ifndef CURSORWIRE_SRC_AGENT_EXEC_PENDING_EXECS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_PENDING_EXECS_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "agent/exec/utf8_pieces.h"
#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// An exec that waits for its answer, without its arguments of any size.
struct PendingExec {
  ::agent::v1::ExecServerMessage exec{};
  size_t bytes = 0;        // that it had with them
  size_t fingerprint = 0;  // of it with them: AnsweredExecs
  // For a shell stream: whether it has started, and what of its output was held back.
  bool started = false;
  Utf8Pieces out{};
  Utf8Pieces err{};
};

// `exec` without the contents of files and the arguments of tools: no answer repeats them.
::agent::v1::ExecServerMessage WithoutContents(const ::agent::v1::ExecServerMessage& exec);

// Execs between the server, which asked, and the handler, which has not answered. Bounded: 256, and
// 64 MiB of arguments. Thread-compatible.
class PendingExecs {
 public:
  // The codes are those that ExecHandler gives no meaning: they say nothing of the machine.
  //   kUnavailable    over one of the bounds
  //   kAlreadyExists  an exec of this id waits already
  absl::Status Add(const ::agent::v1::ExecServerMessage& exec, ExecArgs args);
  // The next one that a handler has not been given.
  std::optional<ExecRequest> Poll();
  // nullptr: there is none of that id. Valid until the next call of another function.
  PendingExec* Find(uint32_t id);
  // The same, forgotten here.
  std::optional<PendingExec> Take(uint32_t id);
  bool contains(uint32_t id) const { return waiting_.contains(id); }
  bool empty() const { return waiting_.empty(); }
  // By id, queued or handed out.
  const std::map<uint32_t, PendingExec>& waiting() const { return waiting_; }
  void Clear();

 private:
  std::deque<ExecRequest> queue_;
  std::map<uint32_t, PendingExec> waiting_;
  size_t bytes_ = 0;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_PENDING_EXECS_H_
