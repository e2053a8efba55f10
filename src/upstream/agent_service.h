#ifndef CURSORWIRE_SRC_UPSTREAM_AGENT_SERVICE_H_
#define CURSORWIRE_SRC_UPSTREAM_AGENT_SERVICE_H_

#include <chrono>
#include <memory>

#include "upstream/server_connection.h"
#include "upstream/violations.h"

namespace cursorwire::upstream {

// The methods of the service by their path: AgentService/Run with the assistant behind it, and the
// unary ones. `violations` must outlive it. Thread-compatible.
class AgentService final : public Service {
 public:
  AgentService(std::chrono::milliseconds word_interval, Violations& violations)
      : word_interval_(word_interval), violations_(violations) {}

  std::unique_ptr<RequestHandler> StartRequest(Responder& responder) override;

 private:
  class Request;

  const std::chrono::milliseconds word_interval_;
  Violations& violations_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_AGENT_SERVICE_H_
