#include "turn/running_commands.h"

#include <utility>

namespace cursor_chat {

void RunningCommands::Watch(const std::shared_ptr<cursorwire::LocalExecHandler>& workspace) {
  const std::lock_guard lock(mutex_);
  workspace_ = workspace;
}

std::shared_ptr<cursorwire::mcp::Servers> RunningCommands::StartServers(
    std::vector<cursorwire::mcp::ServerConfig> configs) {
  // With the lock, so that KillAll() finds those that have just started.
  const std::lock_guard lock(mutex_);
  if (killed_) configs.clear();
  servers_ = std::make_shared<cursorwire::mcp::Servers>(std::move(configs));
  return servers_;
}

void RunningCommands::StopServers() {
  std::shared_ptr<cursorwire::mcp::Servers> servers;
  {
    const std::lock_guard lock(mutex_);
    servers = servers_;
  }
  if (servers != nullptr) servers->Stop();
}

void RunningCommands::KillAll() {
  const std::lock_guard lock(mutex_);
  killed_ = true;
  tools_.Kill();
  if (const auto workspace = workspace_.lock()) workspace->KillCommands();
  if (servers_ != nullptr) servers_->Kill();
}

}  // namespace cursor_chat
