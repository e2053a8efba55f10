// cursor-gateway: OpenAI's API in front of the agent service. See cursor-gateway --help.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "api/concat.h"
#include "api_keys.h"
#include "common/code_files.h"
#include "common/exit_code.h"
#include "common/hide_memory.h"
#include "gateway.h"
#include "log_writer.h"
#include "mcp_servers.h"
#include "options.h"
#include "random_text.h"
#include "running_gateway.h"
#include "signals.h"
#include "state/state_store.h"
#include "upstream.h"

namespace cursor_gateway {
namespace {

constexpr size_t kMadeKeyLength = 32;

int Fail(int exit_code, const absl::Status& status) {
  std::cerr << "cursor-gateway: error: " << status.message() << "\n";
  return exit_code;
}

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return cursor_apps::kExitUnauthenticated;
    case absl::StatusCode::kUnavailable:
      return cursor_apps::kExitUnavailable;
    default:
      return cursor_apps::kExitUsage;  // what a start depends on are options alone
  }
}

// A descriptor for each connection of a client.
void RaiseFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

absl::StatusOr<ApiKeys> LoadKeys(const std::string& file, const std::string& made) {
  if (!made.empty()) return ApiKeys::Of(made);
  if (file.empty()) return ApiKeys();
  absl::StatusOr<ApiKeys> keys = ApiKeys::Load(file);
  if (keys.ok() && ApiKeys::IsReadByOthers(file)) {
    std::cerr << "cursor-gateway: warning: others may read the key file " << file
              << "; its mode should be 0600\n";
  }
  return keys;
}

// nullptr: none is wanted. One that is away may come back: the gateway starts without it.
absl::StatusOr<std::unique_ptr<StateStore>> OpenOptionalState(const std::string& place) {
  if (place.empty()) return nullptr;
  absl::StatusOr<OpenedState> opened = OpenState(place);
  if (!opened.ok()) return opened.status();
  if (!opened->away.ok()) {
    std::cerr << "cursor-gateway: warning: starting without the state: " << opened->away.message()
              << "\n";
  }
  return std::move(opened->store);
}

DocumentServiceOptions DocumentOptions(const Options& options, const Upstream& upstream,
                                       std::vector<std::string> code_files,
                                       std::shared_ptr<cursorwire::mcp::Servers> servers,
                                       std::function<void(const std::string& line)> log) {
  const auto make_client = [&upstream](std::shared_ptr<cursorwire::ExecHandler> actions) {
    cursorwire::ClientOptions client = upstream.OptionsOfAnother();
    client.exec_handler = std::move(actions);
    return cursorwire::Client::Create(std::move(client));
  };
  return {.make_client = make_client,
          .workspace = options.workspace,
          .code_files = std::move(code_files),
          .variables = options.variables,
          .log = std::move(log),
          .allow = options.allow,
          .sandbox = options.sandbox,
          .servers = std::move(servers),
          .model_map = options.model_map,
          .max_idle = options.max_idle,
          .max_time = options.max_time};
}

int Serve(const Options& options) {
  absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> configs = ReadMcpServers(options);
  if (!configs.ok()) return Fail(cursor_apps::kExitUsage, configs.status());
  std::vector<std::string> code_files;
  for (const std::string& file : {options.mcp_config, options.key_file, options.ca_file}) {
    cursor_apps::AddCodeFile(file, code_files);
  }
  if (absl::Status status = cursor_apps::AddCodeFiles(*configs, code_files); !status.ok()) {
    return Fail(cursor_apps::kExitUsage, status);
  }
  // Before the rest, for it also hides the token.
  absl::StatusOr<Upstream> upstream = Connect(options, code_files);
  if (!upstream.ok()) return Fail(ExitCodeOf(upstream.status()), upstream.status());
  const std::string made_key = options.makes_key() ? RandomText(kMadeKeyLength) : "";
  absl::StatusOr<ApiKeys> keys = LoadKeys(options.key_file, made_key);
  if (!keys.ok()) return Fail(cursor_apps::kExitUsage, keys.status());
  absl::StatusOr<std::unique_ptr<StateStore>> state = OpenOptionalState(options.state);
  if (!state.ok()) return Fail(cursor_apps::kExitUsage, state.status());
  LogWriter log_writer(STDERR_FILENO);
  const auto log = [&log_writer](const std::string& line) { log_writer.Add(line); };
  McpLog mcp_log(log);  // servers, which parts of the gateway hold, tell it of their ends
  RunningGateway running;
  Signals signals(running.loop());
  const auto servers = StartMcpServers(*std::move(configs), mcp_log);
  absl::Status started = running.Start(
      {.client = std::move(upstream->client),
       .servers = servers,
       .options = {.keys = *std::move(keys),
                   .names = options.names,
                   .chat = {.max_idle = options.max_idle,
                            .max_time = options.max_time,
                            .has_workspace = !options.workspace.empty() && options.allow.read,
                            .servers = options.allow.mcp ? servers : nullptr,
                            .parks = options.parks,
                            .context_as_prompt = options.context_as_prompt,
                            .model_map = options.model_map},
                   .documents =
                       DocumentOptions(options, *upstream, std::move(code_files), servers, log),
                   .state = *std::move(state),
                   .log = log},
       .address = options.address,
       .port = options.port,
       .drain_time = options.drain_time});
  if (!started.ok()) return Fail(ExitCodeOf(started), started);
  const auto kill = [&servers] {
    if (servers != nullptr) servers->Kill();
  };
  const bool is_ipv6 = options.address.find(':') != std::string::npos;
  const auto announce = [&] {
    const std::string url = Concat("http://", is_ipv6 ? "[" : "", options.address,
                                   is_ipv6 ? "]:" : ":", running.port());
    std::cout << "cursor-gateway: listening on " << url << std::endl;
    if (made_key.empty()) return;
    std::cout << "cursor-gateway: open " << url << "/#key=" << made_key << std::endl;
  };
  // Signals are heard meanwhile, and requests answered.
  std::jthread wait([&](const std::stop_token& stop) {
    AwaitMcpServers(servers, mcp_log, stop);
    if (!stop.stop_requested()) running.loop().Post(announce);
  });
  const auto drain = [&] {
    wait.request_stop();
    running.Drain();
  };
  signals.Handle(drain, kill);
  running.Run();
  return cursor_apps::kExitOk;
}

int Main(int argc, char** argv) {
  cursor_apps::HideMemory();
  ::signal(SIGPIPE, SIG_IGN);
  RaiseFileLimit();
  const std::variant<Options, int> parsed = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  return Serve(std::get<Options>(parsed));
}

}  // namespace
}  // namespace cursor_gateway

int main(int argc, char** argv) { return cursor_gateway::Main(argc, argv); }
