// Room: src/mcp
#ifndef CURSORWIRE_MCP_SERVERS_H_
#define CURSORWIRE_MCP_SERVERS_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "cursorwire/exec.h"
#include "cursorwire/export.h"
#include "cursorwire/mcp/server_config.h"
#include "cursorwire/tools.h"

namespace cursorwire::mcp {

// A tool as its server offers it. A value. Texts are the server's, so input of a stranger, without
// control characters and marks that nobody sees.
struct ServerTool {
  std::string name{};  // as the server knows it; may hold any character
  // For models, which see mcp_<provider>_<offered_name>: the same name if it fits.
  std::string offered_name{};
  std::string title{};         // for people; may be empty
  std::string description{};   // for the model
  std::string input_schema{};  // a JSON Schema, an object as JSON text
  // What the server claims of it, such as "read-only": never a reason to allow a call.
  std::vector<std::string> hints{};
};

enum class ServerState {
  kStarting,
  kReady,
  kFailed,  // `error` says why; the next call of one of its tools starts it again
  kStopped,
};

// What a server is and offers. A value.
struct ServerReport {
  std::string name{};      // in the configuration
  std::string provider{};  // the same in the names of its tools: letters, digits and "-"
  ServerState state = ServerState::kStarting;
  absl::Status error{};  // of kFailed
  // Of kFailed: it offers nothing that a call could start it for, so it is tried again by itself,
  // after pauses that grow, and when a turn begins. Stays kFailed until it is ready.
  bool is_tried_again = false;
  // As the server says: its name, version and protocol; empty until it is ready.
  std::string server_name{};
  std::string server_version{};
  std::string protocol_version{};
  std::string instructions{};                 // how to use its tools; may be empty
  std::vector<ServerTool> tools{};            // without those that are left out
  bool has_tools = false;                     // it says so
  bool has_resources = false;                 // likewise
  std::vector<std::string> notices{};         // each one line: what is left out, and what is odd
  std::chrono::milliseconds startup_time{0};  // until it was ready or had failed
};

// Source: docs/mcp.md, limits.
inline constexpr size_t kMaxServerTools = 512;
inline constexpr size_t kMaxToolDescriptionBytes = size_t{8} * 1024;
inline constexpr size_t kMaxToolSchemaBytes = size_t{256} * 1024;

// A call of a tool, or a resource, that the model wants. A value. Texts are the model's and the
// server's: show them with control characters escaped.
struct ServerCall {
  std::string server{};    // in the configuration
  std::string provider{};  // what models know the server by
  std::string tool{};      // as the server knows it; empty: a resource is to be read
  std::string resource{};  // its URI; empty: a tool is to be called
  // What models know the tool by, mcp_<provider>_<offered name>; empty for a resource.
  std::string model_name{};
  std::string arguments_json{};  // of the tool
  // The tool as it was offered, as of ServerTool; empty for a resource. Claims, no reason to allow
  // anything; but a server may change what a name means, so a yes to a tool is one to all of these.
  std::string description{};
  std::string input_schema{};
  std::vector<std::string> hints{};
};

// Decides on that very call or reading: OK allows it, once. Any other status refuses, and the model
// is told its message. It may take its time, to ask a user. Called on several threads at a time.
using CallPolicy =
    std::function<absl::Status(const ServerCall& call, const ActionContext& context)>;

// Is told of each change of a server's state: it is ready, has failed, is started again for a call,
// or is stopped; not of each attempt in ServerReport::is_tried_again. On a thread of that server,
// so one change at a time of each, and several servers at a time; on the constructor's thread where
// a server can have none. What it does holds the server up. Once the constructor has returned it
// may ask the Servers for reports(), and nothing else: to wait for them, or to stop them, would
// wait for itself.
using ServerWatcher = std::function<void(const ServerReport& report)>;

// Whether servers can be URLs: this build has libcurl.
CURSORWIRE_EXPORT bool HasHttp();

// Servers of the Model Context Protocol, whose tools a ToolRegistry can offer.
//
//   auto configs = mcp::ParseServerConfigs(text, {.variable = Find, .folder = folder});
//   mcp::Servers servers(*std::move(configs));
//   servers.WaitUntilSettled();
//   servers.AddTools(request.tools);
//
// Each server is a process or a URL, and has a thread of its own. One that does not start, or is
// slow, costs its own tools: reports() says why; it is tried again, after pauses that grow, and its
// tools are for the requests to come. One that ends fails the calls that are under way and is
// started again at its next call; no call is made twice. Thread-safe.
class CURSORWIRE_EXPORT Servers {
 public:
  // Starts all, side by side, and returns at once. Reads the environment of this process, which no
  // thread may change meanwhile. `watcher` may be called before it returns, and until Stop() has.
  explicit Servers(std::vector<ServerConfig> configs, ServerWatcher watcher = nullptr);
  // Stop(). Registries with its tools may outlive it: their calls then fail.
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  // Returns when each server is ready or given up, `stop` is requested, or at `deadline`; without
  // one, the startup timeouts of the servers are the limit.
  void WaitUntilSettled(const std::stop_token& stop = {},
                        std::optional<connect::TimePoint> deadline = std::nullopt);

  // Before a turn: tries those once more that have failed and offer nothing, whatever their pause,
  // at most once in each ServerConfig::restart_pause. Waits for these attempts until `stop` is
  // requested or until `deadline`; they go on after it.
  void TryAgain(const std::stop_token& stop, connect::TimePoint deadline);

  // In the order of the configurations.
  std::vector<ServerReport> reports() const;

  // Adds the tools that the servers offer now, and how they are to be used. Tools that a server
  // adds later are for the next request; those that are offered can be called as long as the server
  // knows them. Without a policy every call is allowed. Call it after the other tools are added:
  // their names are kept.
  //
  // Servers that TryAgain() is for are tried once more, for the next request: this waits for none.
  //
  // The agent also learns which servers there are and in which state. Where one says that it has
  // resources, the registry serves them: lists are given without asking the policy, as names of
  // tools are; each reading is a question to it. Source: docs/mcp.md, resources.
  void AddTools(ToolRegistry& registry, const CallPolicy& policy = nullptr) const;

  // Ends all servers, side by side, and all that they have started: their input ends, after 1.5 s
  // comes SIGTERM, after another second SIGKILL. Blocks until they are gone. Calls under way fail.
  void Stop();
  // Kills all of them at once. Does not block.
  void Kill();

 private:
  class CURSORWIRE_HIDDEN Impl;
  std::shared_ptr<Impl> impl_;  // shared by the tools in registries
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_MCP_SERVERS_H_
