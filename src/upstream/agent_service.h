#ifndef CURSORWIRE_SRC_UPSTREAM_AGENT_SERVICE_H_
#define CURSORWIRE_SRC_UPSTREAM_AGENT_SERVICE_H_

#include <chrono>
#include <memory>

#include "upstream/account/account_state.h"
#include "upstream/script/script_queue.h"
#include "upstream/server/server_connection.h"
#include "upstream/server/violations.h"

namespace cursorwire::upstream {

// Serves the methods by their path: AgentService/Run, by the scripts of `runs` or else by the
// assistant, the unary methods, and what belongs to the account. `violations` must outlive it, and
// so must `runs` and `account` unless they are nullptr. Thread-compatible.
class AgentService final : public Service {
 public:
  AgentService(std::chrono::milliseconds word_interval, Violations& violations,
               ScriptQueue* runs = nullptr, AccountState* account = nullptr)
      : word_interval_(word_interval), violations_(violations), runs_(runs), account_(account) {}

  std::unique_ptr<RequestHandler> StartRequest(Responder& responder) override;

 private:
  class Request;

  const std::chrono::milliseconds word_interval_;
  Violations& violations_;
  ScriptQueue* const runs_;
  AccountState* const account_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_AGENT_SERVICE_H_
