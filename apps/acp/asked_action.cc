#include "acp/asked_action.h"

#include <utility>

#include "acp/tool_call.h"
#include "common/allow.h"
#include "common/visible_text.h"

namespace cursor_acp {
namespace {

// A file from which other programs run code must not look like any other.
std::string FileTitle(const std::string& doing, const std::string& path, bool runs_code) {
  return QuestionTitle(doing + (runs_code ? " (other programs may run it) " : " ") + path);
}

Json FileMembers(std::string title, std::string_view kind, const std::string& path) {
  return {
      {"title", std::move(title)}, {"kind", kind}, {"locations", Json::array({{{"path", path}}})}};
}

}  // namespace

AskedAction AskedAbout(const cursorwire::WriteAction& action) {
  std::string title = FileTitle(action.creates ? "make" : "edit", action.path, action.runs_code);
  return {.members = FileMembers(std::move(title), "edit", action.path),
          .words = cursor_apps::ExactLine(action.path) + "\n" + action.diff,
          .scope = action.runs_code ? Scope() : Scope{"write"},
          .runs_code = action.runs_code};
}

AskedAction AskedAbout(const cursorwire::DeleteAction& action) {
  std::string title = FileTitle("delete", action.path, action.runs_code);
  return {.members = FileMembers(std::move(title), "delete", action.path),
          .words = cursor_apps::ExactLine(action.path),
          .scope = action.runs_code ? Scope() : Scope{"delete", action.path},
          .runs_code = action.runs_code};
}

AskedAction AskedAbout(const cursorwire::ShellAction& action) {
  const std::string how = action.in_background ? "in the background, in " : "in ";
  const std::string sandbox = cursor_apps::SandboxWords(action);
  const std::string runs = sandbox.empty() ? "" : cursor_apps::ExactLine(sandbox) + "\n";
  const Scope scope = {"shell", action.working_directory, action.command, sandbox};
  return {.members = {{"title", QuestionTitle(action.command)},
                      {"kind", "execute"},
                      {"rawInput",
                       {{"command", Shortened(action.command, kMaxShownToolBytes)},
                        {"cwd", action.working_directory}}}},
          .words = runs + how + cursor_apps::ExactLine(action.working_directory) + ":\n" +
                   action.command,
          .scope = action.in_background ? Scope() : scope};
}

AskedAction AskedAbout(const cursorwire::ShellInputAction& action) {
  return {.members = {{"title", QuestionTitle("input for " + action.command)},
                      {"kind", "execute"},
                      {"rawInput", {{"input", Shortened(action.chars, kMaxShownToolBytes)}}}},
          .words = "for " + cursor_apps::ExactLine(action.command) + ":\n" + action.chars};
}

AskedAction AskedAbout(const cursorwire::mcp::ServerCall& call, std::string_view before) {
  const bool reads = !call.resource.empty();
  const std::string& what = reads ? call.resource : call.tool;
  AskedAction asked{
      .members = {{"title", QuestionTitle(std::string(before) + call.server + ": " + what)},
                  {"kind", reads ? "read" : "other"},
                  {"rawInput", reads ? Json{{"uri", what}} : ParseObject(call.arguments_json)}},
      .words = reads ? what : call.arguments_json};
  if (reads) {
    asked.scope = {"resource", call.server, what};
  } else {
    // A server may change what a tool is under the same name: another tool, of which nobody has
    // said yes.
    asked.scope = {"tool", call.server, what, call.description, call.input_schema};
    asked.scope.insert(asked.scope.end(), call.hints.begin(), call.hints.end());
  }
  return asked;
}

std::optional<Json> ServerWords(const cursorwire::mcp::ServerCall& call) {
  std::string words = call.description;
  for (const std::string& hint : call.hints) words += "\n(" + hint + ")";
  if (words.empty()) return std::nullopt;
  return WholeTextItem("The server says of this tool:\n" + words);
}

}  // namespace cursor_acp
