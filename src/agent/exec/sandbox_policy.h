#ifndef CURSORWIRE_SRC_AGENT_EXEC_SANDBOX_POLICY_H_
#define CURSORWIRE_SRC_AGENT_EXEC_SANDBOX_POLICY_H_

#include <optional>

#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"
#include "cursorwire/sandbox.h"

namespace cursorwire::agent {

// What the service wishes a command to be allowed; nullopt: nothing. A list of hosts counts as no
// network: this client cannot hold a command to it. Source: docs/protocol.md, execs.
std::optional<RequestedSandbox> ToRequestedSandbox(const ::agent::v1::SandboxPolicy& policy);

// What was in force, for a result; nullopt: no sandbox.
void FillPolicyInForce(const std::optional<SandboxPolicy>& sandbox,
                       ::agent::v1::SandboxPolicy& policy);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_SANDBOX_POLICY_H_
