#include "terminal_session/tool_line.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/visible_text.h"
#include "json/json_member.h"

namespace cursor_chat {
namespace {

using cursorwire::FlagOf;
using cursorwire::MemberOf;
using cursorwire::ParseObject;
using cursorwire::TextOf;
using nlohmann::json;

// The argument that says most of a call, the first that is there.
constexpr std::array<std::string_view, 9> kTelling = {"command",      "path",        "pattern",
                                                      "glob_pattern", "query",       "search_term",
                                                      "url",          "description", "name"};

std::string TellingArgument(const cursorwire::ToolCallInfo& call) {
  const json arguments = ParseObject(call.arguments_json);
  for (const std::string_view key : kTelling) {
    if (std::string text = TextOf(arguments, key); !text.empty()) return text;
  }
  const bool empty = call.arguments_json.empty() || call.arguments_json == "{}";
  return empty ? "" : call.arguments_json.substr(0, kMaxToolArgumentBytes);
}

// The part of a result that says that the call worked; nullptr: it did not. The schema gives each
// kind of result a field "success".
const json* SuccessOf(const json& result) {
  const json& success = MemberOf(result, "success");
  return success.is_object() && !FlagOf(success, "is_error") ? &success : nullptr;
}

std::string CutTo(const std::string& line, size_t columns) {
  const std::vector<std::string> pieces = cursor_apps::WrapLine(line, columns);
  return pieces.size() > 1 ? cursor_apps::WrapLine(line, columns - 3).front() + "..." : line;
}

const char* ColorOf(std::string_view line) {
  if (line.starts_with('+')) return kGreen;
  if (line.starts_with('-')) return kRed;
  return line.starts_with("@@") ? kCyan : kDim;
}

std::string DiffLines(std::string_view diff, size_t columns, const ScreenStyle& style) {
  std::string text;
  if (diff.ends_with('\n')) diff.remove_suffix(1);
  size_t left_out = 0;
  for (size_t shown = 0;; ++shown) {
    const size_t end = std::min(diff.find('\n'), diff.size());
    const std::string_view line = diff.substr(0, end);
    if (shown < kMaxDiffLines) {
      const std::string seen = CutTo(cursor_apps::ExactLine(line), columns - 5);
      text += "    " + Painted(style, ColorOf(line), seen) + "\n";
    } else {
      ++left_out;
    }
    if (end == diff.size()) break;
    diff.remove_prefix(end + 1);
  }
  if (left_out > 0) text += "    ... " + std::to_string(left_out) + " more lines\n";
  return text;
}

}  // namespace

std::string ToolText(const cursorwire::ToolCallInfo& call) {
  std::string name = call.name.empty() ? call.kind : call.name;
  if (name.empty()) name = "an unknown tool";
  const std::string argument = TellingArgument(call);
  return argument.empty() ? name : name + " " + argument;
}

std::string ToolLines(const cursorwire::ToolCallInfo& call, size_t columns,
                      const ScreenStyle& style) {
  columns = std::max<size_t>(columns, 20);
  const json result = ParseObject(call.result_json);
  const json* success = SuccessOf(result);
  const bool unfinished = result.empty();
  const std::string_view ended = unfinished ? " (no result)" : " (failed)";
  const std::string_view note = success != nullptr ? "" : ended;
  const std::string line = CutTo(cursor_apps::ExactLine(ToolText(call)), columns - note.size() - 4);
  const std::string_view mark = style.unicode ? "\u25CF" : "*";
  std::string text = Painted(style, success != nullptr || unfinished ? kGreen : kRed, mark) + " " +
                     Painted(style, kDim, line + std::string(note)) + "\n";
  const std::string diff = success != nullptr ? TextOf(*success, "diff_string") : "";
  return diff.empty() ? text : text + DiffLines(diff, columns, style);
}

}  // namespace cursor_chat
