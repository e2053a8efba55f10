#ifndef CURSORWIRE_SRC_MCP_SESSION_H_
#define CURSORWIRE_SRC_MCP_SESSION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "cursorwire/mcp/servers.h"
#include "jsonrpc/connection.h"
#include "mcp/tool_pages.h"

namespace cursorwire::mcp {

struct SessionOptions {
  std::string client_name = "cursorwire";
  std::string client_version{};
  bool over_http = false;
  std::chrono::milliseconds startup_timeout{30'000};   // also of a page of a list
  std::chrono::milliseconds call_timeout{600'000};     // since the start or the last progress
  std::chrono::milliseconds max_call_time{3'600'000};  // with any progress
};

// The server can be called: its tools are known. Once.
struct SessionReady {};
// tools() has changed.
struct ToolsChanged {};
// A call is over, with its result or an error that names no server. Once for each call that was not
// cancelled.
struct CallEnded {
  uint64_t call = 0;
  absl::StatusOr<Json> result{};
};
// Nothing can be asked of this server any more. Once; calls under way have ended before.
struct SessionFailed {
  absl::Status status{};
};
// What a person should know, in one line.
struct SessionNotice {
  std::string text{};
};
using SessionEvent =
    std::variant<SessionReady, ToolsChanged, CallEnded, SessionFailed, SessionNotice>;

// The client's side of the Model Context Protocol with one server, over messages that are lines:
// version negotiation (the handshake first, then the protocol without one), the list of tools with
// its pages and changes, calls with progress, timeouts and cancellation, resources. It claims no
// capability: what the server asks is refused, but for pings. Without I/O, clock or thread.
//
// Order: after the constructor, in any order: Receive() what came, OnDeadline() at deadline(),
// OnClosed() when the transport has ended, and calls once there was SessionReady; after each,
// TakeOutput() is to be sent, and NextEvent() until it returns nullopt. Thread-compatible.
// Source: docs/mcp.md, the protocol.
class Session {
 public:
  Session(SessionOptions options, connect::TimePoint now);

  void Receive(std::string_view bytes, connect::TimePoint now);
  // The transport has ended. `status` is the error of what is under way.
  void OnClosed(absl::Status status) { Fail(std::move(status)); }
  std::optional<connect::TimePoint> deadline() const;
  void OnDeadline(connect::TimePoint now);
  std::optional<SessionEvent> NextEvent();

  // `arguments` is an object; `tool` is the server's name for it.
  //   kFailedPrecondition  the session is not ready, or has failed
  //   kResourceExhausted   the arguments are too long, or too many calls are under way
  absl::StatusOr<uint64_t> CallTool(const std::string& tool, Json arguments,
                                    connect::TimePoint now);
  // The same for a page of resources/list, and for resources/read. They end with CallEnded too;
  // kNotFound: there is no such resource.
  //   kUnimplemented  the server has no resources
  absl::StatusOr<uint64_t> ListResources(const std::optional<std::string>& cursor,
                                         connect::TimePoint now);
  absl::StatusOr<uint64_t> ReadResource(const std::string& uri, connect::TimePoint now);
  // Gives a call up: it has no CallEnded, and the server is told.
  void CancelCall(uint64_t call, std::string_view reason);

  bool has_output() const { return connection_.has_output(); }
  std::string TakeOutput() { return connection_.TakeOutput(); }
  // False while the server does not read what is sent: nothing more of it should be read.
  bool wants_input() const { return connection_.wants_input(); }

  const std::vector<ServerTool>& tools() const { return tools_; }
  const std::string& server_name() const { return server_name_; }
  const std::string& server_version() const { return server_version_; }
  const std::string& protocol_version() const { return protocol_version_; }
  const std::string& instructions() const { return instructions_; }
  bool has_tools() const { return has_tools_; }  // it says so
  bool has_resources() const { return has_resources_; }
  size_t calls_under_way() const { return calls_.size(); }

 private:
  enum class Phase { kInitializing, kDiscovering, kListing, kReady, kFailed };
  struct Call {
    uint64_t token = 0;  // of its progress
    std::chrono::milliseconds timeout{0};
    connect::TimePoint timeout_at{};
    connect::TimePoint limit_at{};
  };

  void Initialize();
  void OnInitialized(jsonrpc::Answer answer, connect::TimePoint now);
  void Discover(const jsonrpc::RpcError& refusal);
  void OnDiscovered(jsonrpc::Answer answer, connect::TimePoint now);
  void ReadServer(const Json& result, const Json& server_info);
  void StartList(connect::TimePoint now);
  void RequestPage();
  void OnPage(jsonrpc::Answer answer, connect::TimePoint now);
  void EndList(absl::Status status, connect::TimePoint now);
  void OnListChanged(connect::TimePoint now);
  void BecomeReady();
  void OnCallAnswer(jsonrpc::Answer answer);
  void OnLog(const Json& params);
  void OnProgress(const Json& params, connect::TimePoint now);
  void EndCall(uint64_t id, absl::StatusOr<Json> result);
  // Ends what waits for an answer if as many answers as that came with wrong ids.
  void EndMistaken(connect::TimePoint now);
  size_t open_requests() const { return calls_.size() + (pages_ ? 1 : 0); }
  void Fail(absl::Status status);
  void Count(connect::TimePoint now);

  void Take(const jsonrpc::Request& request, connect::TimePoint now);
  void Take(const jsonrpc::Notification& notification, connect::TimePoint now);
  void Take(jsonrpc::Answer& answer, connect::TimePoint now);
  void Take(const jsonrpc::Cancellation& cancellation, connect::TimePoint now);
  void Take(const jsonrpc::StrayError& stray, connect::TimePoint now);
  void Take(const jsonrpc::StrayAnswer& stray, connect::TimePoint now);
  void Take(const jsonrpc::Overlong& line, connect::TimePoint now);
  void Take(const jsonrpc::Noise& noise, connect::TimePoint now);

  // Sends a request with what every request of this protocol has.
  absl::StatusOr<uint64_t> Send(const char* method, Json params);
  absl::StatusOr<uint64_t> StartCall(const char* method, Json params,
                                     std::chrono::milliseconds timeout, connect::TimePoint now);

  const SessionOptions options_;
  jsonrpc::Connection connection_;
  std::deque<SessionEvent> events_;
  Phase phase_ = Phase::kInitializing;
  bool modern_ = false;  // the protocol without a handshake
  std::string refusal_;  // of the handshake
  const connect::TimePoint startup_limit_at_;
  bool has_tools_ = false;
  bool has_resources_ = false;
  std::string server_name_;
  std::string server_version_;
  std::string protocol_version_;
  std::string instructions_;
  std::vector<ServerTool> tools_;

  std::optional<ToolPages> pages_;  // of the list that is read now
  uint64_t page_request_ = 0;
  connect::TimePoint list_limit_at_{};
  connect::TimePoint next_list_at_{};
  bool list_again_ = false;

  std::map<uint64_t, Call> calls_;  // by the id of the request
  uint64_t next_token_ = 1;
  bool noise_told_ = false;
  absl::Status stray_;  // the last answer with a wrong id; OK: there was none
  size_t strays_ = 0;   // such answers since nothing was open
  connect::TimePoint second_ends_at_{};
  size_t messages_of_second_ = 0;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_SESSION_H_
