#ifndef CURSORWIRE_SRC_AGENT_PENDING_EXECS_H_
#define CURSORWIRE_SRC_AGENT_PENDING_EXECS_H_

#include <absl/status/status.h>

#include <deque>
#include <map>
#include <optional>

#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

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
  // The exec of that id, without its arguments of any size, which is forgotten here; nullopt: there
  // is none.
  std::optional<::agent::v1::ExecServerMessage> Take(uint32_t id);
  bool contains(uint32_t id) const { return waiting_.contains(id); }
  void Clear();

 private:
  struct Waiting {
    ::agent::v1::ExecServerMessage exec;
    size_t bytes = 0;
  };

  std::deque<ExecRequest> queue_;
  std::map<uint32_t, Waiting> waiting_;  // by the id of the exec, queued or handed out
  size_t bytes_ = 0;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_PENDING_EXECS_H_
