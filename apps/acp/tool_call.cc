#include "acp/tool_call.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "common/visible_text.h"

namespace cursor_acp {
namespace {

constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
    {"read", "read"},       {"ls", "read"},           {"grep", "search"},
    {"glob", "search"},     {"sem_search", "search"}, {"shell", "execute"},
    {"edit", "edit"},       {"delete", "delete"},     {"web_search", "fetch"},
    {"web_fetch", "fetch"}, {"fetch", "fetch"},       {"switch_mode", "switch_mode"},
    {"reflect", "think"},   {"create_plan", "think"}};

// The argument that says most of a call, the first that is there.
constexpr std::array<const char*, 9> kTellingArguments = {
    "command",     "path", "pattern",     "glob_pattern", "query",
    "search_term", "url",  "description", "name"};

std::string TitleOf(const cursorwire::ToolCallInfo& call, const Json& arguments) {
  std::string title = call.name.empty() ? call.kind : call.name;
  if (title.empty()) title = "tool";
  for (const char* name : kTellingArguments) {
    if (const std::string text = TextOf(arguments, name); !text.empty()) {
      title += " " + text;
      break;
    }
  }
  return OneShortLine(title, kMaxToolTitleBytes);
}

// JSON that is too long is shown as the start of its text.
Json Bounded(const std::string& text) {
  if (text.size() <= kMaxShownToolBytes) return ParseObject(text);
  return {{"cut", Shortened(text, kMaxShownToolBytes)}};
}

// The member of a result that says that the call worked; null: it did not. The schema gives each
// kind of result a field "success".
const Json& SuccessIn(const Json& result) { return MemberOf(result, "success"); }

bool HasWorked(const Json& result) {
  const Json& success = SuccessIn(result);
  const Json& exit_code = MemberOf(success, "exit_code");
  const bool bad_exit = exit_code.is_number_integer() && exit_code.get<int64_t>() != 0;
  return success.is_object() && !FlagOf(success, "is_error") && !bad_exit;
}

// What a command has printed.
std::string OutputOf(const Json& result) {
  for (const char* ending : {"success", "failure", "timeout"}) {
    const Json& part = MemberOf(result, ending);
    std::string out = TextOf(part, "stdout");
    const std::string err = TextOf(part, "stderr");
    if (!out.empty() && !err.empty() && !out.ends_with('\n')) out += '\n';
    out += err;
    if (!out.empty()) return out;
  }
  return "";
}

// The texts of the answer of a tool.
std::string TextsOf(const Json& success) {
  std::string texts;
  for (const Json& item : MemberOf(success, "content")) {
    const std::string text = TextOf(MemberOf(item, "text"), "text");
    if (!text.empty()) texts += (texts.empty() ? "" : "\n") + text;
  }
  return texts;
}

// Why a call has failed, from the member that stands in place of "success".
std::string ReasonOf(const Json& result) {
  for (const auto& [ending, part] : result.items()) {
    for (const char* name : {"reason", "error", "error_message", "message"}) {
      if (std::string text = TextOf(part, name); !text.empty()) return text;
    }
    if (part.is_object()) return ending;
  }
  return "";
}

Json ContentOf(const Json& result, const std::string& path) {
  const Json& success = SuccessIn(result);
  if (MemberOf(success, "after_full_file_content").is_string() && !path.empty()) {
    std::optional<Json> diff;
    if (!FlagOf(result, "truncated")) {  // a diff of texts that were cut would be another
      diff = DiffItem(path, MemberOf(success, "before_full_file_content"),
                      TextOf(success, "after_full_file_content"));
    }
    if (diff) return Json::array({*std::move(diff)});
    const std::string lines = TextOf(success, "diff_string");
    return Json::array({TextItem(lines.empty() ? "The change is too large to be shown." : lines)});
  }
  std::string text = OutputOf(result);
  if (text.empty() && success.is_object()) text = TextsOf(success);
  if (text.empty() && !success.is_object()) text = ReasonOf(result);
  return text.empty() ? Json() : Json::array({TextItem(text)});
}

// A fence of Markdown for a text, longer than each row of backticks in it. Source: CommonMark 0.31,
// fenced code blocks.
std::string FenceFor(std::string_view text) {
  size_t longest = 2;
  size_t row = 0;
  for (const char c : text) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  std::string fence(longest + 1, '`');
  return fence;
}

const char* PlanStatusOf(const Json& todo) {
  constexpr int kInProgress = 2;
  constexpr int kCompleted = 3;
  const Json& status = MemberOf(todo, "status");
  const std::string word = status.is_string() ? status.get<std::string>() : "";
  const int number = status.is_number_integer() ? status.get<int>() : 0;
  if (number == kInProgress || word == "TODO_STATUS_IN_PROGRESS") return "in_progress";
  if (number == kCompleted || word == "TODO_STATUS_COMPLETED") return "completed";
  return "pending";
}

bool IsCancelledTodo(const Json& todo) {
  constexpr int kCancelledStatus = 4;
  const Json& status = MemberOf(todo, "status");
  return status == kCancelledStatus || status == "TODO_STATUS_CANCELLED";
}

}  // namespace

std::string_view ToolKindOf(std::string_view kind) {
  const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [kind](const auto& row) { return row.first == kind; });
  return found == std::end(kKinds) ? "other" : found->second;
}

std::string PathOf(const cursorwire::ToolCallInfo& call, const std::string& folder) {
  const std::string path = TextOf(ParseObject(call.arguments_json), "path");
  if (path.empty()) return "";
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

Json ToolCallMembers(const cursorwire::ToolCallInfo& call, const std::string& folder) {
  const Json arguments = ParseObject(call.arguments_json);
  Json members = {{"toolCallId", call.call_id},
                  {"title", TitleOf(call, arguments)},
                  {"kind", std::string(ToolKindOf(call.kind))},
                  {"rawInput", Bounded(call.arguments_json)}};
  if (const std::string path = PathOf(call, folder); !path.empty()) {
    Json location = {{"path", path}};
    const Json& offset = MemberOf(arguments, "offset");
    if (offset.is_number_integer() && offset.get<int64_t>() > 0) location["line"] = offset;
    members["locations"] = Json::array({std::move(location)});
  }
  return members;
}

Json ToolCallEnd(const cursorwire::ToolCallInfo& call, const std::string& folder) {
  const Json result = ParseObject(call.result_json);
  Json members = {{"toolCallId", call.call_id},
                  {"status", HasWorked(result) ? "completed" : "failed"},
                  {"rawOutput", Bounded(call.result_json)}};
  if (Json content = ContentOf(result, PathOf(call, folder)); !content.is_null()) {
    members["content"] = std::move(content);
  }
  return members;
}

Json ToolCallOfHistory(const cursorwire::HistoryToolCall& call, const std::string& id) {
  Json members = ToolCallMembers(
      {.call_id = id, .kind = call.name, .arguments_json = call.arguments_json}, "/");
  members.erase("locations");  // a relative path was one of a folder that may have moved
  members["status"] = call.is_error ? "failed" : "completed";
  members["content"] = Json::array({TextItem(call.result)});
  return members;
}

Json TextItem(std::string_view text) {
  return {{"type", "content"},
          {"content", {{"type", "text"}, {"text", Shortened(text, kMaxShownToolBytes)}}}};
}

std::optional<Json> WholeTextItem(std::string_view text) {
  if (text.size() > kMaxShownToolBytes) return std::nullopt;
  const std::string exact = cursor_apps::ExactText(text);
  if (exact.size() > kMaxShownToolBytes) return std::nullopt;
  const std::string fence = FenceFor(exact);
  return Json{{"type", "content"},
              {"content", {{"type", "text"}, {"text", fence + "\n" + exact + "\n" + fence}}}};
}

std::string QuestionTitle(std::string_view text) {
  // Characters only become longer.
  std::string start(text.substr(0, kMaxToolTitleBytes + 4));
  cursor_apps::CutToWholeCharacters(start);
  std::string line = cursor_apps::ExactLine(start);
  if (line.size() <= kMaxToolTitleBytes) return line;
  line.resize(kMaxToolTitleBytes);
  cursor_apps::CutToWholeCharacters(line);
  return line + "... (cut here; all of it is below)";
}

std::optional<Json> DiffItem(const std::string& path, const Json& old_text,
                             const std::string& new_text) {
  const size_t old_bytes = old_text.is_string() ? old_text.get_ref<const std::string&>().size() : 0;
  if (std::max(old_bytes, new_text.size()) > kMaxShownToolBytes) return std::nullopt;
  return Json{{"type", "diff"},
              {"path", path},
              {"oldText", old_text.is_string() ? old_text : Json()},
              {"newText", new_text}};
}

Json TerminalItem(const std::string& terminal_id) {
  return {{"type", "terminal"}, {"terminalId", terminal_id}};
}

Json PlanOf(const cursorwire::ToolCallInfo& call) {
  if (call.kind != "update_todos") return {};
  // The result has the whole list, also where the arguments only change some of it.
  const Json result = ParseObject(call.result_json);
  const Json arguments = ParseObject(call.arguments_json);
  const Json& told = MemberOf(SuccessIn(result), "todos");
  const Json& todos = told.is_array() ? told : MemberOf(arguments, "todos");
  if (!todos.is_array()) return {};
  if (!told.is_array() && FlagOf(arguments, "merge")) return {};
  Json entries = Json::array();
  for (const Json& todo : todos) {
    if (IsCancelledTodo(todo)) continue;
    entries.push_back({{"content", Shortened(TextOf(todo, "content"), kMaxShownToolBytes / 64)},
                       {"priority", "medium"},
                       {"status", PlanStatusOf(todo)}});
  }
  return entries;
}

}  // namespace cursor_acp
