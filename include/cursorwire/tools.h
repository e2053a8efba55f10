// Room: src/agent/tools
#ifndef CURSORWIRE_TOOLS_H_
#define CURSORWIRE_TOOLS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire {

// Objects and lists within each other in a schema. A schema goes to the service as a protobuf
// message with three levels for an object, and parsers refuse a message with more than 100 levels.
inline constexpr size_t kMaxSchemaDepth = 31;

// How deep the objects and lists of a JSON text are nested: 0 for "1", 2 for "[{}]". Anything else
// than JSON gives some number.
CURSORWIRE_EXPORT size_t SchemaDepth(std::string_view json);

// A function of the host's that the agent may call. A value. Source: docs/protocol.md, tools
// offered.
struct ToolDefinition {
  // 1 to 64 of A-Z, a-z, 0-9, "_" and "-".
  std::string name{};
  // What it does and when to use it, for the model. UTF-8.
  std::string description{};
  // A JSON Schema, an object as JSON text, for the arguments, of kMaxSchemaDepth at most. Empty:
  // any object.
  std::string input_schema{};
  // The server that the tool belongs to and its name there, of the same characters as `name`: the
  // model sees mcp_<provider>_<tool_name>. Empty: the program itself, and `name`. No two tools of a
  // registry have both in common.
  std::string provider{};
  std::string tool_name{};
};

// How to use the tools of one server, for the model. A value. Texts are UTF-8.
struct ToolInstructions {
  std::string provider{};  // as in ToolDefinition
  std::string server{};    // the server's name for people
  std::string text{};
};

// A server that tools belong to. A value. Texts are UTF-8.
struct ToolServer {
  std::string provider{};  // as in ToolDefinition
  std::string name{};      // for people
  // Whether its tools can be called, in a word of the service's.
  std::string status = "ready";
};

// One call of a tool. A value.
struct ToolCall {
  std::string name{};  // as it was registered
  // The same as of the ToolCallStarted that shows it; made up if the service gave none.
  std::string call_id{};
  // What the model gave: a JSON object as text. It need not follow the schema: check it.
  std::string arguments_json{};
  // Requested when nobody waits for the answer any more: return soon then, with anything. Its
  // callbacks run on a thread that must not wait.
  std::stop_token stop{};
};

struct ToolImage {
  std::string bytes{};      // of an image file
  std::string mime_type{};  // empty: by the bytes, as ImageMimeType() does
};

// What a tool gives back to the model. A value. Texts are UTF-8; bytes that are not are replaced by
// U+FFFD. Longer ones than kMaxToolTextBytes in all, and a whole result of more than
// kMaxToolResultBytes, are cut, with a notice in the text.
struct CURSORWIRE_EXPORT ToolResult {
  using Item = std::variant<std::string, ToolImage>;

  std::vector<Item> content{};
  // The call failed, and the content says why: the model may try something else.
  bool is_error = false;
  // A JSON object as text that says the same for programs; empty: there is none. It is left out if
  // it is no JSON object, or longer than kMaxToolTextBytes.
  std::string structured_json{};
  // The user, or a rule of the user's, did not allow the call; the text of the content says why.
  bool is_rejected = false;

  static ToolResult Text(std::string text);
  static ToolResult Error(std::string text);
  static ToolResult Image(std::string bytes);
  static ToolResult Rejected(std::string reason);
};

// Source: docs/protocol.md, MCP calls.
inline constexpr size_t kMaxToolTextBytes = size_t{512} * 1024;
inline constexpr size_t kMaxToolResultBytes = size_t{16} * 1024 * 1024;

// Takes the answer to one ToolCall, later and from any thread. Copies answer the same call.
// The first Send() counts. When the last copy is gone without one, the call is answered with an
// error that says so: the agent never waits in vain. Thread-safe.
class CURSORWIRE_EXPORT ToolReply {
 public:
  using Sink = std::function<void(absl::StatusOr<ToolResult>)>;

  // `sink` is called once, on the thread of the Send() or of the last destructor.
  explicit ToolReply(Sink sink);

  // A status becomes a result with `is_error`, and its message the text.
  void Send(absl::StatusOr<ToolResult> result) const;

 private:
  class CURSORWIRE_HIDDEN State;
  std::shared_ptr<State> state_;  // shared by the copies
};

class ExecHandler;

// The functions that a program offers to the agent. A value: copies share the handlers.
//
//   ToolRegistry tools;
//   tools.Add({.name = "now", .description = "The time"}, [](const ToolCall&) {
//     return ToolResult::Text(Clock());
//   });
//
// Handlers are called on threads of the Client, several at a time: they must be thread-safe. What a
// handler throws becomes a tool error. These threads block signals: see ExecHandler.
class CURSORWIRE_EXPORT ToolRegistry {
 public:
  // Answers by what it returns. A status becomes a result with `is_error`.
  using Handler = std::function<absl::StatusOr<ToolResult>(const ToolCall& call)>;
  // Returns soon, and answers by the reply at any time.
  using LaterHandler = std::function<void(const ToolCall& call, ToolReply reply)>;

  // What is wrong with a definition shows in status().
  ToolRegistry& Add(ToolDefinition definition, Handler handler);
  ToolRegistry& AddLater(ToolDefinition definition, LaterHandler handler);

  // Tells the model how to use the tools of one server. Empty texts and texts that are not UTF-8
  // are ignored.
  ToolRegistry& AddInstructions(ToolInstructions instructions);

  // Names a server for an agent that asks for the state of servers. It is told of the providers of
  // tools in any case, under the name of their provider. Texts that are not UTF-8 are ignored.
  ToolRegistry& AddServer(ToolServer server);

  // Serves the resources of the servers behind these tools: ListMcpResources() and
  // ReadMcpResource() of `handler`, which go before those of ClientOptions::exec_handler. They are
  // asked for in any case, as tools are, also where RunOptions::hand_out_execs is false.
  ToolRegistry& ServeResources(std::shared_ptr<ExecHandler> handler);

  // The first thing that was wrong with an Add(); a turn with such a registry ends with it at once.
  //   kInvalidArgument  a bad name or text, no handler, or a schema that is no JSON object
  //   kAlreadyExists    two tools of one name, or of one provider and tool_name
  const absl::Status& status() const { return status_; }

  bool empty() const { return tools_.empty(); }
  size_t size() const { return tools_.size(); }
  // In the order in which they were added.
  const ToolDefinition& definition(size_t index) const { return tools_[index]->definition; }

  // In the order in which they were added.
  const std::vector<ToolInstructions>& instructions() const { return instructions_; }
  const std::vector<ToolServer>& servers() const { return servers_; }

  // Of ServeResources(); nullptr: there is none.
  const std::shared_ptr<ExecHandler>& resources() const { return resources_; }

  // Calls the handler of `call.name`, and `reply` gets its answer; kNotFound if there is none.
  // Never throws.
  void Call(const ToolCall& call, const ToolReply& reply) const;

 private:
  struct Tool {
    ToolDefinition definition;
    LaterHandler handler;
  };

  std::vector<std::shared_ptr<const Tool>> tools_;  // shared by copies of the registry
  std::vector<ToolInstructions> instructions_;
  std::vector<ToolServer> servers_;
  std::shared_ptr<ExecHandler> resources_;  // shared by copies of the registry, as the tools
  absl::Status status_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_TOOLS_H_
