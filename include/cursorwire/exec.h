// Room: src/agent/tools
#ifndef CURSORWIRE_EXEC_H_
#define CURSORWIRE_EXEC_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "cursorwire/sandbox.h"
#include "cursorwire/tools.h"

namespace cursorwire {

// What a handler or a policy is told of an action or a question beside what it is about. A value.
struct ActionContext {
  // The tool call that wants it: the same as of the ToolCallStarted that shows it. An event of the
  // turn may reach its reader later than the handler is called. Empty: the service gave none.
  std::string call_id{};
  // Requested when nobody waits for the answer any more: return soon then, with anything. Its
  // callbacks run on a thread that must not wait.
  std::stop_token stop{};
};

// What the agent may ask of the user's machine, and what it is told in return: values, one pair of
// structs a kind. Paths are as the agent gave them, absolute or relative to the workspace; texts
// are UTF-8. Source: docs/protocol.md, execs.

// A file, or some lines of it.
struct ReadArgs {
  std::string path{};
  // The first line that is wanted: 1 is the first, -1 the last. Guess: the sources do not say.
  std::optional<int32_t> offset{};
  std::optional<uint32_t> limit{};  // lines
};
struct ReadOutput {
  std::string path{};
  std::string content{};
  bool is_text = true;  // false: `content` holds bytes that are not UTF-8
  // Of the whole file; a last one without a newline counts. Of what was read, if that has a zero
  // byte and is truncated.
  int64_t total_lines = 0;
  int64_t file_bytes = 0;
  bool truncated = false;      // there is more than `content`, and it was not asked to be left out
  bool range_applied = false;  // `content` holds only the lines that were asked for
};

// A folder and what is below it.
struct LsArgs {
  std::string path{};
  std::vector<std::string> ignore{};     // globs
  std::chrono::milliseconds timeout{0};  // 0: none was given
};
struct LsFolder {
  std::string path{};  // absolute
  std::vector<LsFolder> folders{};
  std::vector<std::string> files{};  // names
  // False: the lists are empty or truncated; the counts cover everything.
  bool listed = false;
  // For a folder that is not listed: how many files of each extension (".cc") are below it.
  std::map<std::string, int64_t> extension_counts{};
  int64_t file_count = 0;  // below it, at any depth
};
struct LsOutput {
  LsFolder root{};
  bool timed_out = false;  // the tree is what was found in time
};

// Lines of files that match a pattern; also names of files that match a glob.
enum class GrepMode { kContent, kFiles, kCount };
struct GrepArgs {
  std::string pattern{};  // a regular expression; empty with a glob: the files of that name
  std::string path{};     // a file or folder; empty: the workspace
  std::string glob{};     // which files
  std::string type{};     // a language, such as "cpp", in place of a glob
  GrepMode mode = GrepMode::kContent;
  int32_t context_before = 0;  // lines
  int32_t context_after = 0;
  bool case_insensitive = false;
  bool multiline = false;
  std::string sort{};  // "path", "modified", ...; empty: by path
  bool sort_ascending = true;
  std::optional<int32_t> offset{};      // results to skip
  std::optional<int32_t> head_limit{};  // results at most
};
struct GrepLine {
  int64_t number = 0;  // the first line is 1
  std::string text{};
  // `text` is a part of the line, with "..." before it unless it is the start: the first match is
  // in it.
  bool truncated = false;
  bool is_context = false;  // shown because it is beside a result, and not one itself
};
struct GrepFile {
  std::string path{};
  std::vector<GrepLine> lines{};  // of GrepMode::kContent
  int64_t count = 0;              // matching lines in it
};
struct GrepOutput {
  std::string root{};  // the folder that was searched; paths are relative to it
  std::vector<GrepFile> files{};
  int64_t total_files = 0;    // that matched, in `files` or not
  int64_t total_matches = 0;  // matching lines, in `files` or not
  bool truncated = false;     // `files` is not all, and was not asked to be less
  std::optional<int32_t> offset_applied{};
  std::optional<int32_t> head_limit_applied{};
};

// A file that is to hold these bytes and no others.
struct WriteArgs {
  std::string path{};
  std::string content{};
  // The agent gave text, as UTF-8; false: bytes, which are to be written as they are.
  bool is_text = true;
  bool return_content = false;  // the agent wants to see the file as it is afterwards
};
struct WriteOutput {
  std::string path{};
  int64_t lines = 0;
  int64_t file_bytes = 0;
  std::optional<std::string> content_after{};
};

struct DeleteArgs {
  std::string path{};
};
struct DeleteOutput {
  std::string path{};
  std::string deleted_file{};
  int64_t file_bytes = 0;
  std::string previous_content{};
};

// What the service wishes a command to be allowed: docs/sandbox.md, "What the service wishes".
struct RequestedSandbox {
  bool none = false;  // the command is to run as the user, without a sandbox
  SandboxPolicy policy{};

  bool operator==(const RequestedSandbox&) const = default;
};

// A command line for a shell, waited for unless it is to go on in the background.
enum class TimeoutBehavior { kCancel, kBackground };
struct ShellArgs {
  std::string command{};
  std::string working_directory{};
  std::chrono::milliseconds timeout{0};  // 0: none was given
  // At the timeout the command is killed, or goes on in the background. The service asks for the
  // second, with a timeout of 30 s. Source: docs/protocol.md, execs.
  TimeoutBehavior timeout_behavior = TimeoutBehavior::kCancel;
  std::chrono::milliseconds hard_timeout{0};  // kills it in the background; 0: none was given
  bool in_background = false;                 // at once
  bool close_stdin = false;                   // of a command in the background: it gets no input
  // More output than this goes into a file: ShellOutput::output_location.
  std::optional<uint64_t> file_output_threshold_bytes{};
  // The agent takes the output piece by piece: ExecHandler::ShellStream(), Run::AddShellOutput().
  bool streamed = false;
  std::optional<RequestedSandbox> sandbox{};  // nullopt: nothing was wished
};
// A file of this machine that holds all of an output.
struct OutputLocation {
  std::string path{};
  int64_t file_bytes = 0;
  int64_t lines = 0;
};
enum class BackgroundReason { kTimeout = 1, kRequested = 2 };
// A command that goes on: its `shell_id` is one of BackgroundShell().
struct BackgroundedShell {
  uint32_t shell_id = 0;
  std::optional<uint32_t> process_id{};
  BackgroundReason reason = BackgroundReason::kTimeout;
  std::string output_path{};  // a file that gets what it prints; empty: there is none
};
// The result of a command. For a streamed one, `out` and `err` hold what was not given piece by
// piece.
struct ShellOutput {
  int32_t exit_code = 0;
  std::string signal{};  // the name of the one that ended it; else empty
  std::string out{};
  std::string err{};
  std::chrono::milliseconds duration{0};
  bool timed_out = false;  // and was killed
  // The shell's last folder, absolute; empty: not known.
  std::string last_folder{};
  std::optional<OutputLocation> output_location{};
  // Then there is no exit code, and `out` and `err` are what came before.
  std::optional<BackgroundedShell> backgrounded{};
  // What was in force, which the service is told; nullopt: the command ran as the user.
  std::optional<SandboxPolicy> sandbox{};
};

// A command line for a shell that goes on by itself.
struct BackgroundShellArgs {
  std::string command{};
  std::string working_directory{};
  std::optional<RequestedSandbox> sandbox{};  // nullopt: nothing was wished
};
struct BackgroundShellOutput {
  uint32_t shell_id = 0;
  std::optional<uint32_t> process_id{};
  std::string output_path{};  // a file that gets what it prints; empty: there is none
};
// Input for such a shell.
struct WriteShellStdinArgs {
  uint32_t shell_id = 0;
  std::string chars{};
};
struct WriteShellStdinOutput {
  uint32_t output_bytes_before = 0;  // that the shell had written before this input
};

struct FetchArgs {
  std::string url{};
};
struct FetchOutput {
  std::string content{};
  int32_t status_code = 0;
  std::string content_type{};
};

// What a compiler or linter says about a file. Lines and columns are sent as they are given; the
// sources do not say whether they count from 0 or 1. Guess: from 0, as the Language Server
// Protocol.
enum class DiagnosticSeverity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };
struct Diagnostic {
  DiagnosticSeverity severity = DiagnosticSeverity::kError;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  std::string message{};
  std::string source{};
  std::string code{};
};
struct DiagnosticsArgs {
  std::string path{};
};
struct DiagnosticsOutput {
  std::vector<Diagnostic> diagnostics{};
};

// Resources of servers of the Model Context Protocol.
struct ListMcpResourcesArgs {
  std::string server{};  // empty: all
};
struct McpResource {
  std::string uri{};
  std::string name{};
  std::string description{};
  std::string mime_type{};
  std::string server{};
};
struct ListMcpResourcesOutput {
  std::vector<McpResource> resources{};
};
struct ReadMcpResourceArgs {
  std::string server{};
  std::string uri{};
};
struct ReadMcpResourceOutput {
  std::string content{};
  bool is_text = true;
  std::string mime_type{};
};

using ExecArgs = std::variant<ReadArgs, LsArgs, GrepArgs, WriteArgs, DeleteArgs, ShellArgs,
                              BackgroundShellArgs, WriteShellStdinArgs, FetchArgs, DiagnosticsArgs,
                              ListMcpResourcesArgs, ReadMcpResourceArgs, ToolCall>;
using ExecOutput =
    std::variant<ReadOutput, LsOutput, GrepOutput, WriteOutput, DeleteOutput, ShellOutput,
                 BackgroundShellOutput, WriteShellStdinOutput, FetchOutput, DiagnosticsOutput,
                 ListMcpResourcesOutput, ReadMcpResourceOutput, ToolResult>;

// One action that the agent asks for.
struct ExecRequest {
  uint32_t id = 0;  // within its Run
  // The tool call that wants it: the same as of the ToolCallStarted that shows it, and the same if
  // another Run of the turn asks for it once more. Empty: the service gave none.
  std::string call_id{};
  ExecArgs args{};
};

}  // namespace cursorwire

#endif  // CURSORWIRE_EXEC_H_
