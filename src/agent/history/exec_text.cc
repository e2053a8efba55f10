#include "agent/history/exec_text.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <variant>

#include "agent/tools/tool_offer.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire::agent {
namespace {

constexpr size_t kCutNoticeBytes = 64;
// Of what stands after the printed text of a command, where both are too much.
constexpr size_t kMaxEndBytes = 10'000;

// Writes a flat JSON object.
class Object {
 public:
  Object& Add(std::string_view name, std::string_view text) {
    if (text.empty()) return *this;
    Name(name);
    wire::AppendJsonString(text, json_);
    return *this;
  }
  Object& Add(std::string_view name, int64_t number) {
    Name(name);
    absl::StrAppend(&json_, number);
    return *this;
  }
  std::string Take() { return json_ + "}"; }

 private:
  void Name(std::string_view name) {
    if (json_.size() > 1) json_ += ',';
    wire::AppendJsonString(name, json_);
    json_ += ':';
  }

  std::string json_ = "{";
};

struct NameAndArguments {
  std::string name;
  std::string json;
};

// The names are those of the kinds in docs/protocol.md, execs.
struct ToNameAndArguments {
  NameAndArguments operator()(const ReadArgs& args) const {
    Object object;
    object.Add("path", args.path);
    if (args.offset) object.Add("offset", *args.offset);
    if (args.limit) object.Add("limit", *args.limit);
    return {"read", object.Take()};
  }
  NameAndArguments operator()(const LsArgs& args) const {
    return {"ls", Object().Add("path", args.path).Take()};
  }
  NameAndArguments operator()(const GrepArgs& args) const {
    return {"grep", Object()
                        .Add("pattern", args.pattern)
                        .Add("path", args.path)
                        .Add("glob", args.glob)
                        .Add("type", args.type)
                        .Take()};
  }
  NameAndArguments operator()(const WriteArgs& args) const {
    return {"write", Object().Add("path", args.path).Add("file_text", args.content).Take()};
  }
  NameAndArguments operator()(const DeleteArgs& args) const {
    return {"delete", Object().Add("path", args.path).Take()};
  }
  NameAndArguments operator()(const ShellArgs& args) const {
    return {"shell", Object()
                         .Add("command", args.command)
                         .Add("working_directory", args.working_directory)
                         .Take()};
  }
  NameAndArguments operator()(const BackgroundShellArgs& args) const {
    return {"background_shell_spawn", Object()
                                          .Add("command", args.command)
                                          .Add("working_directory", args.working_directory)
                                          .Take()};
  }
  NameAndArguments operator()(const WriteShellStdinArgs& args) const {
    return {"write_shell_stdin",
            Object().Add("shell_id", args.shell_id).Add("chars", args.chars).Take()};
  }
  NameAndArguments operator()(const FetchArgs& args) const {
    return {"fetch", Object().Add("url", args.url).Take()};
  }
  NameAndArguments operator()(const DiagnosticsArgs& args) const {
    return {"diagnostics", Object().Add("path", args.path).Take()};
  }
  NameAndArguments operator()(const ListMcpResourcesArgs& args) const {
    return {"list_mcp_resources", Object().Add("server", args.server).Take()};
  }
  NameAndArguments operator()(const ReadMcpResourceArgs& args) const {
    return {"read_mcp_resource", Object().Add("server", args.server).Add("uri", args.uri).Take()};
  }
  NameAndArguments operator()(const ToolCall& call) const {
    return {ToolOffer::ModelName(call.name), call.arguments_json};
  }
};

void AddFolder(const LsFolder& folder, std::string& text) {
  if (text.size() > kMaxHistoryResultBytes) return;
  absl::StrAppend(&text, folder.path, "/\n");
  for (const std::string& file : folder.files) absl::StrAppend(&text, file, "\n");
  for (const LsFolder& inner : folder.folders) AddFolder(inner, text);
}

struct ToText {
  std::string operator()(const ReadOutput& output) const {
    if (output.is_text) return output.content;
    return absl::StrCat("[", output.file_bytes, " bytes that are not text]");
  }
  std::string operator()(const LsOutput& output) const {
    std::string text;
    AddFolder(output.root, text);
    return text;
  }
  std::string operator()(const GrepOutput& output) const {
    std::string text;
    for (const GrepFile& file : output.files) {
      if (text.size() > kMaxHistoryResultBytes) break;
      if (file.lines.empty()) absl::StrAppend(&text, file.path, ": ", file.count, "\n");
      for (const GrepLine& line : file.lines) {
        absl::StrAppend(&text, file.path, ":", line.number, ":", line.text, "\n");
      }
    }
    absl::StrAppend(&text, output.total_matches, " matches in ", output.total_files, " files");
    return text;
  }
  std::string operator()(const WriteOutput& output) const {
    return absl::StrCat("wrote ", output.lines, " lines to ", output.path);
  }
  std::string operator()(const DeleteOutput& output) const {
    return absl::StrCat("deleted ", output.path);
  }
  std::string operator()(const ShellOutput& output) const {
    std::string text = absl::StrCat(output.out, output.err);
    if (!text.empty() && text.back() != '\n') text += '\n';
    if (output.backgrounded) {
      return absl::StrCat(text, "goes on as shell ", output.backgrounded->shell_id);
    }
    if (!output.signal.empty()) return absl::StrCat(text, "ended by ", output.signal);
    return absl::StrCat(text, "exit code ", output.exit_code);
  }
  std::string operator()(const BackgroundShellOutput& output) const {
    return absl::StrCat("started as shell ", output.shell_id);
  }
  std::string operator()(const WriteShellStdinOutput&) const { return "written"; }
  std::string operator()(const FetchOutput& output) const { return output.content; }
  std::string operator()(const DiagnosticsOutput& output) const {
    std::string text;
    for (const Diagnostic& diagnostic : output.diagnostics) {
      if (text.size() > kMaxHistoryResultBytes) break;
      absl::StrAppend(&text, diagnostic.line, ":", diagnostic.column, ": ", diagnostic.message,
                      "\n");
    }
    return text;
  }
  std::string operator()(const ListMcpResourcesOutput& output) const {
    std::string text;
    for (const McpResource& resource : output.resources) {
      if (text.size() > kMaxHistoryResultBytes) break;
      absl::StrAppend(&text, resource.uri, " ", resource.name, "\n");
    }
    return text;
  }
  std::string operator()(const ReadMcpResourceOutput& output) const {
    return output.is_text ? output.content : "[bytes that are not text]";
  }
  std::string operator()(const ToolResult& result) const {
    std::string text;
    for (const ToolResult::Item& item : result.content) {
      if (!text.empty()) text += '\n';
      const auto* part = std::get_if<std::string>(&item);
      text += part == nullptr ? "[an image]" : *part;
    }
    return text;
  }
};

bool IsError(const ExecOutput& output) {
  if (const auto* result = std::get_if<ToolResult>(&output)) return result->is_error;
  const auto* shell = std::get_if<ShellOutput>(&output);
  return shell != nullptr && !shell->backgrounded &&
         (shell->exit_code != 0 || !shell->signal.empty() || shell->timed_out);
}

// The start of a text of `bytes` bytes, of which `start` is at hand, as UTF-8 and in at most
// `max_bytes`, with a notice of how much of it is left out.
std::string Bounded(std::string_view start, size_t bytes, size_t max_bytes) {
  std::string result = ToUtf8(Utf8Prefix(start, max_bytes));
  if (bytes <= max_bytes && result.size() <= max_bytes) return result;
  const size_t room = max_bytes - std::min(max_bytes, kCutNoticeBytes);
  std::string_view kept = Utf8Prefix(start, room);
  for (result = ToUtf8(kept); result.size() > room; result = ToUtf8(kept)) {
    // A byte that is not UTF-8 becomes three.
    const size_t excess = result.size() - room;
    kept = Utf8Prefix(kept, kept.size() - (excess + 2) / 3);
  }
  return absl::StrCat(result, "\n[cut: ", bytes - kept.size(), " bytes left out]");
}

}  // namespace

std::string BoundedResult(std::string_view text) {
  return Bounded(text, text.size(), kMaxHistoryResultBytes);
}

void PrintedText::Append(std::string_view text) {
  start_ += text.substr(0, kMaxHistoryResultBytes - start_.size());
  bytes_ += text.size();
}

HistoryToolCall ToHistory(const ExecArgs& args, std::string_view call_id) {
  NameAndArguments what = std::visit(ToNameAndArguments(), args);
  if (what.json.size() > kMaxHistoryArgumentsBytes) {
    what.json = absl::StrCat(R"({"truncated":true,"bytes":)", what.json.size(), R"(,"sha256":")",
                             absl::BytesToHexString(Sha256(what.json)), R"("})");
  }
  return {.call_id = ToUtf8(call_id),
          .name = std::move(what.name),
          .arguments_json = std::move(what.json)};
}

void SetResult(const absl::StatusOr<ExecOutput>& output, const PrintedText& printed,
               HistoryToolCall& call) {
  const std::string end =
      output.ok() ? std::visit(ToText(), *output) : std::string(output.status().message());
  call.is_error = !output.ok() || IsError(*output);
  if (printed.bytes() == printed.start().size() &&
      printed.bytes() + end.size() <= kMaxHistoryResultBytes) {
    call.result = BoundedResult(printed.start() + end);
    return;
  }
  const size_t room = printed.bytes() == 0 ? kMaxHistoryResultBytes : kMaxEndBytes;
  const std::string bounded_end = Bounded(end, end.size(), room);
  call.result =
      Bounded(printed.start(), printed.bytes(), kMaxHistoryResultBytes - bounded_end.size()) +
      bounded_end;
}

}  // namespace cursorwire::agent
