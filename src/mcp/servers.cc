#include "cursorwire/mcp/servers.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "cursorwire/connect/version.h"
#include "mcp/child_environment.h"
#include "mcp/resource_handler.h"
#include "mcp/server_loop.h"
#include "mcp/tool_names.h"
#include "process/running_commands.h"

namespace cursorwire::mcp {
namespace {

// The names of a server's tools for models, by its own names. Those that fit go first, so that none
// of them has to give way.
std::map<std::string, std::string> NamesOfTools(const std::string& provider,
                                                const std::vector<ServerTool>& tools) {
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  for (const bool fits : {true, false}) {
    for (const ServerTool& tool : tools) {
      if (FitsAsToolName(provider, tool.name) != fits) continue;
      names[tool.name] = ToolName(provider, tool.name, taken);
    }
  }
  return names;
}

// As the service knows it. Guess, but for "ready": docs/protocol.md, execs.
std::string StatusWord(ServerState state) {
  if (state == ServerState::kReady) return "ready";
  return state == ServerState::kStarting ? "loading" : "error";
}

std::set<std::string> NamesIn(const ToolRegistry& registry) {
  std::set<std::string> names;
  for (size_t i = 0; i < registry.size(); ++i) names.insert(registry.definition(i).name);
  return names;
}

}  // namespace

class Servers::Impl {
 public:
  Impl(std::vector<ServerConfig> configs, ServerWatcher watcher) : watcher_(std::move(watcher)) {
    std::set<std::string> taken = {"cursorwire"};  // the program's own tools
    for (ServerConfig& config : configs) {
      Server server{.name = config.name, .provider = ProviderName(config.name, taken)};
      server.error = config.error;
      if (server.error.ok()) {
        std::vector<std::string> environment = ChildEnvironment(environ, config.env);
        server.loop = std::make_unique<ServerLoop>(
            std::move(config), std::move(environment), std::string(connect::Version()), running_,
            [this, index = servers_.size()] { Tell(index); });
      }
      servers_.push_back(std::move(server));
    }
    for (const Server& server : servers_) {
      if (server.loop != nullptr) server.loop->Start();
    }
  }

  void WaitUntilSettled(const std::stop_token& stop, connect::TimePoint deadline) {
    for (const Server& server : servers_) {
      if (server.loop != nullptr) server.loop->WaitUntilSettled(stop, deadline);
    }
  }

  void TryAgain(const std::stop_token& stop, connect::TimePoint deadline) {
    std::vector<ServerLoop*> tried;
    for (const Server& server : servers_) {
      if (server.loop != nullptr && server.loop->TryAgain()) tried.push_back(server.loop.get());
    }
    for (ServerLoop* loop : tried) loop->AwaitTry(stop, deadline);
  }

  std::vector<ServerReport> reports() const {
    std::vector<ServerReport> reports;
    for (const Server& server : servers_) reports.push_back(ReportOf(server));
    return reports;
  }

  void Stop() {
    for (const Server& server : servers_) {
      if (server.loop != nullptr) server.loop->RequestStop();
    }
    const std::lock_guard lock(stop_mutex_);
    for (const Server& server : servers_) {
      if (server.loop != nullptr) server.loop->Join();
    }
  }

  void Kill() { running_.KillAll(); }

  static void AddTools(const std::shared_ptr<Impl>& impl, ToolRegistry& registry,
                       const CallPolicy& policy) {
    std::set<std::string> taken = NamesIn(registry);
    std::vector<ResourceHandler::Server> with_resources;
    for (size_t i = 0; i < impl->servers_.size(); ++i) {
      const ServerReport report = ReportOf(impl->servers_[i]);
      registry.AddServer(
          {.provider = report.provider, .name = report.name, .status = StatusWord(report.state)});
      if (report.is_tried_again) impl->servers_[i].loop->TryAgain();
      if (!IsOffered(report)) continue;
      if (report.has_resources) {
        with_resources.push_back({.name = report.name,
                                  .provider = report.provider,
                                  .loop = impl->servers_[i].loop.get()});
      }
      registry.AddInstructions(
          {.provider = report.provider, .server = report.name, .text = report.instructions});
      for (const ServerTool& tool : report.tools) {
        registry.AddLater({.name = RequestName(report.provider, tool.offered_name, taken),
                           .description = tool.description,
                           .input_schema = tool.input_schema,
                           .provider = report.provider,
                           .tool_name = tool.offered_name},
                          HandlerOf(impl, i, tool, policy));
      }
    }
    if (with_resources.empty()) return;
    registry.ServeResources(
        std::make_shared<ResourceHandler>(std::move(with_resources), impl, policy));
  }

 private:
  struct Server {
    std::string name{};
    std::string provider{};
    absl::Status error{};                // why there is no loop
    std::unique_ptr<ServerLoop> loop{};  // nullptr: it cannot be used
  };

  // One that has ended is started again by the next call: what it had is offered on.
  static bool IsOffered(const ServerReport& report) {
    const bool may_come_back =
        report.state == ServerState::kFailed && (!report.tools.empty() || report.has_resources);
    return report.state == ServerState::kReady || may_come_back;
  }

  void Tell(size_t index) const {
    if (watcher_ != nullptr) watcher_(ReportOf(servers_[index]));
  }

  static ServerReport ReportOf(const Server& server) {
    ServerReport report;
    if (server.loop != nullptr) {
      report = server.loop->report();
    } else {
      report.state = ServerState::kFailed;
      report.error = server.error;
    }
    report.name = server.name;
    report.provider = server.provider;
    const auto names = NamesOfTools(server.provider, report.tools);
    for (ServerTool& tool : report.tools) tool.offered_name = names.at(tool.name);
    return report;
  }

  static ToolRegistry::LaterHandler HandlerOf(const std::shared_ptr<Impl>& impl, size_t index,
                                              const ServerTool& tool, const CallPolicy& policy) {
    return [impl, index, tool, policy](const ToolCall& call, const ToolReply& reply) {
      const Server& server = impl->servers_[index];
      if (policy) {
        const absl::Status allowed =
            policy({.server = server.name,
                    .provider = server.provider,
                    .tool = tool.name,
                    .model_name = absl::StrCat("mcp_", server.provider, "_", tool.offered_name),
                    .arguments_json = call.arguments_json,
                    .description = tool.description,
                    .input_schema = tool.input_schema,
                    .hints = tool.hints},
                   {.call_id = call.call_id, .stop = call.stop});
        if (!allowed.ok()) {
          return reply.Send(ToolResult::Rejected(std::string(allowed.message())));
        }
      }
      server.loop->Call(tool.name, call, reply);
    };
  }

  const ServerWatcher watcher_;
  process::RunningCommands running_;  // before those that use it
  std::vector<Server> servers_;       // does not change
  std::mutex stop_mutex_;             // one Stop() joins at a time
};

bool HasHttp() {
#ifdef CURSORWIRE_MCP_HTTP
  return true;
#else
  return false;
#endif
}

Servers::Servers(std::vector<ServerConfig> configs, ServerWatcher watcher)
    : impl_(std::make_shared<Impl>(std::move(configs), std::move(watcher))) {}

Servers::~Servers() { Stop(); }

void Servers::WaitUntilSettled(const std::stop_token& stop,
                               std::optional<connect::TimePoint> deadline) {
  impl_->WaitUntilSettled(stop, deadline.value_or(connect::TimePoint::max()));
}

void Servers::TryAgain(const std::stop_token& stop, connect::TimePoint deadline) {
  impl_->TryAgain(stop, deadline);
}

std::vector<ServerReport> Servers::reports() const { return impl_->reports(); }

void Servers::AddTools(ToolRegistry& registry, const CallPolicy& policy) const {
  Impl::AddTools(impl_, registry, policy);
}

void Servers::Stop() { impl_->Stop(); }

void Servers::Kill() { impl_->Kill(); }

}  // namespace cursorwire::mcp
