#include "documents/command_reader.h"
#include "json/json_member.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace cursorwire::documents {
namespace {

// agent.v1.SandboxPolicy as words.
void ReadSandbox(const Json& policy, TerminalCommandMetadata& command) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"TYPE_INSECURE_NONE", "all"},
      {"TYPE_WORKSPACE_READWRITE", "workspace_readwrite"},
      {"TYPE_WORKSPACE_READONLY", "workspace_readonly"}};
  const std::string type = StringMember(policy, {"type"});
  for (const auto& [name, word] : kTypes) {
    if (type == name) command.permissions.emplace_back(word);
  }
  if (FlagOf(policy, "network_access")) command.permissions.emplace_back("network");
  for (const Json& path : ArrayMember(policy, "additional_readwrite_paths")) {
    if (!path.is_string()) continue;
    const auto& text = path.get_ref<const std::string&>();
    command.permissions.push_back(text == ".git" || text.ends_with("/.git") ? "git_write"
                                                                            : "write:" + text);
  }
}

std::string OutputOf(const Json& details) {
  std::string output = StringMember(details, {"interleaved_output"});
  if (!output.empty()) return output;
  output = StringMember(details, {"stdout"});
  const std::string errors = StringMember(details, {"stderr"});
  if (!output.empty() && !errors.empty() && !output.ends_with('\n')) output += '\n';
  output += errors;
  return output.empty() ? ContentText(details) : output;
}

bool IsInBackground(const Json& details) {
  return details.contains("shell_id") || details.contains("background_reason");
}

bool IsAborted(const Json& details) {
  const auto aborted = details.find("aborted");
  return !StringMember(details, {"signal"}).empty() || details.contains("abort_reason") ||
         (aborted != details.end() && *aborted != Json(false));
}

// agent.v1.ShellSuccess and ShellFailure have a number, and protobuf's JSON leaves a 0 out. A tool
// of a client says it itself.
std::optional<int32_t> ExitCodeOf(const ReadOutcome& read, bool is_of_client) {
  const Json& details = read.details;
  const bool has_run = read.word == "success" || read.word == "failure";
  if (!details.is_object()) return std::nullopt;
  if (details.contains("exit_code")) return NumberMember(details, "exit_code");
  if (is_of_client || !has_run || IsInBackground(details) || IsAborted(details)) {
    return std::nullopt;
  }
  return 0;
}

}  // namespace

void ReadCommandArguments(const Json& arguments, TerminalCommandMetadata& command) {
  command.command = StringMember(arguments, {"command"});
  command.working_directory = StringMember(arguments, {"working_directory", "cwd"});
  command.permissions.clear();
  ReadSandbox(ObjectMember(arguments, "requested_sandbox_policy"), command);
  for (const Json& word : ArrayMember(arguments, "required_permissions")) {
    if (word.is_string()) command.permissions.push_back(word.get<std::string>());
  }
}

void ReadCommandDelta(const Json& delta, TerminalCommandMetadata& command) {
  const Json& shell = ObjectMember(delta, "shell_tool_call_delta");
  for (const char* stream : {"stdout", "stderr"}) {
    command.output += StringMember(ObjectMember(shell, stream), {"content"});
  }
}

void ReadCommandResult(const ReadOutcome& read, bool is_of_client,
                       TerminalCommandMetadata& command) {
  const Json& details = read.details;
  if (read.sandbox_policy.is_object()) {
    command.permissions.clear();
    ReadSandbox(read.sandbox_policy, command);
  }
  command.status = read.outcome.status;
  command.exit_code = ExitCodeOf(read, is_of_client);
  if (command.exit_code.value_or(0) != 0) command.status = ToolStatus::kError;
  const std::string output = OutputOf(details);
  if (!output.empty()) command.output = output;
  if (command.output.empty() && !command.exit_code && !read.message.empty()) {
    command.output = read.message;
  }
  if (const auto time = NumberMember(details, "local_execution_time_ms"); time && *time >= 0) {
    command.duration = std::chrono::milliseconds(*time);
  }
}

}  // namespace cursorwire::documents
