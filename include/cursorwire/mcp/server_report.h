// Room: src/mcp
#ifndef CURSORWIRE_MCP_SERVER_REPORT_H_
#define CURSORWIRE_MCP_SERVER_REPORT_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

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

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_MCP_SERVER_REPORT_H_
