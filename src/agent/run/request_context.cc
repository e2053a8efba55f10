#include "agent/run/request_context.h"

#include "agent/exec/ls_listing.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

bool IsEmpty(const Environment& environment) {
  return environment.os_version.empty() && environment.shell.empty() &&
         environment.time_zone.empty() && environment.workspace.empty() &&
         environment.terminals_folder.empty() && !environment.sandbox_enabled &&
         !environment.sandbox_supported;
}

void FillEnv(const Environment& environment, pb::RequestContextEnv& env) {
  env.set_os_version(ToUtf8(environment.os_version));
  env.set_shell(ToUtf8(environment.shell));
  env.set_time_zone(ToUtf8(environment.time_zone));
  if (!environment.terminals_folder.empty()) {
    env.set_terminals_folder(ToUtf8(environment.terminals_folder));
  }
  if (environment.sandbox_enabled) env.set_sandbox_enabled(*environment.sandbox_enabled);
  if (environment.sandbox_supported) {
    env.set_sandbox_supported(*environment.sandbox_supported);
    env.set_sandbox_network_has_defaults(false);  // no list of hosts: all of the network, or none
  }
  if (environment.workspace.empty()) return;
  env.add_workspace_paths(ToUtf8(environment.workspace));
  env.set_process_working_directory(ToUtf8(environment.workspace));
}

void FillType(const AgentRule& rule, pb::CursorRuleType& type) {
  switch (rule.use) {
    case RuleUse::kAlways:
      type.mutable_global();
      return;
    case RuleUse::kForFiles:
      for (const std::string& glob : rule.globs) type.mutable_file_globbed()->add_globs(glob);
      return;
    case RuleUse::kOnRequest:
      type.mutable_agent_fetched()->set_description(rule.description);
      return;
    case RuleUse::kByName:
      type.mutable_manually_attached();
      return;
  }
}

void FillRule(const AgentRule& rule, pb::CursorRule& wire) {
  wire.set_full_path(rule.path);
  wire.set_content(rule.content);
  FillType(rule, *wire.mutable_type());
}

void FillRepository(const GitRepository& repository, pb::GitRepoInfo& wire) {
  wire.set_path(repository.path);
  wire.set_status(repository.status);
  wire.set_branch_name(repository.branch);
}

}  // namespace

pb::RequestContext MakeRequestContext(const ChatRequest& request, const Environment& environment,
                                      const ToolOffer& tools) {
  pb::RequestContext context;
  for (const pb::McpToolDefinition& tool : tools.definitions()) *context.add_tools() = tool;
  for (const ToolInstructions& instructions : tools.instructions()) {
    *context.add_mcp_instructions() = ToMessage(instructions);
  }
  for (const AgentRule& rule : request.rules) FillRule(rule, *context.add_rules());
  for (const GitRepository& repository : request.git_repositories) {
    FillRepository(repository, *context.add_git_repos());
  }
  for (const LsFolder& layout : request.project_layouts) {
    FillFolder(layout, *context.add_project_layouts());
  }
  if (!IsEmpty(environment)) FillEnv(environment, *context.mutable_env());
  if (!request.system.empty() && request.system_placement != SystemPlacement::kRulesMessage) {
    context.set_cloud_rule(request.system);
  }
  return context;
}

}  // namespace cursorwire::agent
