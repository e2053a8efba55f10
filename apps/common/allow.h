#ifndef CURSORWIRE_APPS_COMMON_ALLOW_H_
#define CURSORWIRE_APPS_COMMON_ALLOW_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/workspace.h>

#include <string>

namespace cursor_apps {

// What the agent may do, as --allow says it. A value.
struct Allow {
  bool read = true;
  bool write = false;  // write and delete files
  // Run commands and write input to those in the background; with `write`, also write files from
  // which other programs run code (WriteAction::runs_code).
  bool shell = false;
  bool sandboxed = false;  // run commands in the sandbox; with `write`, they may change the folder
  // Call tools of the servers of --mcp-config without a question. What holds without it is for the
  // program to say.
  bool mcp = false;
  bool ask = false;  // ask the user about what is not allowed
};

// Parses a comma-separated list of read, write, sandboxed, shell, mcp and ask, or "none". Each
// includes read.
//   kInvalidArgument  another word; the message is meant to follow the name of an option
absl::StatusOr<Allow> ParseAllow(const std::string& list);

// OK, or kPermissionDenied with the message for the agent.
absl::Status CheckAllowed(const Allow& allow, const cursorwire::LocalAction& action);

// LocalExecOptions::sandbox for --allow and --sandbox: docs/sandbox.md, "Options".
cursorwire::SandboxSettings SandboxFor(const Allow& allow, cursorwire::SandboxMode mode);

// What a question about a command says of its sandbox; "" if the options want none.
std::string SandboxWords(const cursorwire::ShellAction& action);

// In plan and ask mode nothing may be written or run, whatever `allow` says. OK, or
// kPermissionDenied with the message for the agent.
absl::Status CheckMode(cursorwire::AgentMode mode);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_ALLOW_H_
