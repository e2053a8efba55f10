#include "agent/exec/sandbox_policy.h"

#include <string>

#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

bool WishesNetwork(const pb::SandboxPolicy& policy) {
  return policy.network_access() &&
         policy.network_policy().default_action() != pb::NetworkPolicy::DEFAULT_ACTION_DENY;
}

}  // namespace

std::optional<RequestedSandbox> ToRequestedSandbox(const pb::SandboxPolicy& policy) {
  if (policy.type() == pb::SandboxPolicy::TYPE_UNSPECIFIED) return std::nullopt;
  RequestedSandbox wish{.none = policy.type() == pb::SandboxPolicy::TYPE_INSECURE_NONE};
  if (policy.type() == pb::SandboxPolicy::TYPE_WORKSPACE_READONLY) {
    wish.policy.workspace = WorkspaceAccess::kRead;
  }
  wish.policy.network = WishesNetwork(policy);
  wish.policy.tmp_write = !policy.disable_tmp_write();
  wish.policy.writable.assign(policy.additional_readwrite_paths().begin(),
                              policy.additional_readwrite_paths().end());
  return wish;
}

void FillPolicyInForce(const std::optional<SandboxPolicy>& sandbox, pb::SandboxPolicy& policy) {
  if (!sandbox) {
    policy.set_type(pb::SandboxPolicy::TYPE_INSECURE_NONE);
    return;
  }
  policy.set_type(sandbox->workspace == WorkspaceAccess::kWrite
                      ? pb::SandboxPolicy::TYPE_WORKSPACE_READWRITE
                      : pb::SandboxPolicy::TYPE_WORKSPACE_READONLY);
  policy.set_network_access(sandbox->network);
  for (const std::string& path : sandbox->writable) {
    policy.add_additional_readwrite_paths(ToUtf8(path));
  }
  // The schema has no field for it; `.git` of the workspace is written where it is named.
  if (sandbox->git_write) policy.add_additional_readwrite_paths(".git");
  if (!sandbox->tmp_write) policy.set_disable_tmp_write(true);
}

}  // namespace cursorwire::agent
