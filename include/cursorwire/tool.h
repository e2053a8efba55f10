// Room: values
#ifndef CURSORWIRE_TOOL_H_
#define CURSORWIRE_TOOL_H_

#include <cstddef>
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

}  // namespace cursorwire

#endif  // CURSORWIRE_TOOL_H_
