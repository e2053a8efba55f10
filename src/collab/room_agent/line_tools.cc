#include "collab/room_agent/line_tools.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "base/text.h"
#include "collab/room_agent/line_search.h"
#include "crdt/text/text_size.h"
#include "json/json_member.h"

namespace cursorwire::room_agent {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxLineArgument = int64_t{1} << 53;  // beyond it doubles are no whole numbers

ToolReply LineToolError(std::string text) { return {.text = std::move(text), .is_error = true}; }
ToolReply LineToolError(const absl::Status& status) {
  return LineToolError(std::string(status.message()));
}

ToolReply LineToolResult(const Json& result) {
  return {.text = result.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

// A whole number; those of JSON that are too large count as kMaxLineArgument.
std::optional<int64_t> WholeNumberOf(const Json& value) {
  if (value.is_number_unsigned()) {
    return static_cast<int64_t>(
        std::min(value.get<uint64_t>(), static_cast<uint64_t>(kMaxLineArgument)));
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!std::isfinite(number) || std::trunc(number) != number) return std::nullopt;
    const auto limit = static_cast<double>(kMaxLineArgument);
    return static_cast<int64_t>(std::clamp(number, -limit, limit));
  }
  if (!value.is_string()) return std::nullopt;
  int64_t number = 0;
  const std::string_view text = Trim(value.get_ref<const std::string&>());
  if (!absl::SimpleAtoi(ToAbsl(text), &number)) return std::nullopt;
  return number;
}

// The arguments of a call. What is missing, or of another type, is an error that names it.
class LineArguments {
 public:
  explicit LineArguments(const Json& arguments) : arguments_(arguments) {}

  // A line below 0 is 0, which no text has.
  uint32_t Line(std::string_view name) {
    const int64_t number = Number(name);
    return static_cast<uint32_t>(std::clamp(number, int64_t{0}, int64_t{UINT32_MAX}));
  }
  int64_t Number(std::string_view name) {
    const std::optional<int64_t> number = WholeNumberOf(MemberOf(arguments_, name));
    if (!number) Refuse(name, "a whole number");
    return number.value_or(0);
  }
  std::string_view Text(std::string_view name) {
    const Json& value = MemberOf(arguments_, name);
    if (value.is_string()) return value.get_ref<const std::string&>();
    Refuse(name, "a text");
    return {};
  }
  bool Has(std::string_view name) const { return !MemberOf(arguments_, name).is_null(); }

  const std::optional<ToolReply>& error() const { return error_; }

 private:
  void Refuse(std::string_view name, std::string_view type) {
    if (error_) return;
    error_ = LineToolError(absl::StrCat("The argument ", ToAbsl(name), " must be ", ToAbsl(type),
                                        Has(name) ? "." : ", and is missing.",
                                        " Make the call again with it."));
  }

  const Json& arguments_;
  std::optional<ToolReply> error_;
};

Json LineArgumentSchema(std::string_view description) {
  return {{"type", "integer"}, {"minimum", 1}, {"description", std::string(description)}};
}

Json TextArgumentSchema(std::string_view description) {
  return {{"type", "string"}, {"description", std::string(description)}};
}

Json LineToolSchema(Json properties, Json required) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Json LineRangeProperties() {
  return {{"start_line", LineArgumentSchema("First line of the range.")},
          {"end_line", LineArgumentSchema("Last line of the range; it is part of it.")}};
}

std::string_view WithoutReturn(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// What search_code tells of a line. Only a line with a number has the member `line`.
Json FoundLine(const PresentLine& line) {
  Json found = Json::object();
  switch (line.kind) {
    case PresentLine::Kind::kNumbered:
      found["line"] = line.start;
      break;
    case PresentLine::Kind::kNew:
      found["new_line_before"] = line.start;
      break;
    case PresentLine::Kind::kReplaced:
      found["in_lines_replaced_by_you"] = absl::StrCat(line.start, "-", line.end);
      break;
  }
  const std::string_view text = WithoutReturn(line.text);
  const std::string_view shown = crdt::PrefixOf(text, crdt::Unit::kCodePoints, kMaxFoundCharacters);
  found["content"] = std::string(shown);
  if (shown.size() < text.size()) found["cut"] = true;
  return found;
}

}  // namespace

std::vector<ToolDefinition> LineToolDefinitions() {
  Json replace = LineRangeProperties();
  replace["new_content"] = TextArgumentSchema(
      "The whole new lines, divided by line feeds. The empty text deletes the range.");
  const Json insert = {
      {"line",
       LineArgumentSchema("The new lines go before this one; the number of lines + 1 appends.")},
      {"content", TextArgumentSchema("The whole new lines, divided by line feeds.")}};
  Json search = {{"pattern", TextArgumentSchema("Text, or a regular expression (RE2); case "
                                                "counts.")},
                 {"max_results", LineArgumentSchema("How many lines at most; 50 if missing, and "
                                                    "never more than 200.")}};
  return {
      {"get_line_range",
       "Reads lines of the document as they are now, each as `N: text`. Line numbers are those of "
       "the document when you were asked; edits, yours and those of others, do not shift them.",
       LineToolSchema(LineRangeProperties(), {"start_line", "end_line"})},
      {"replace_lines",
       "Puts new lines in place of a range, at once. Refused, with the present text, if somebody "
       "changed the range since you saw it. To change the new lines again, name the same range.",
       LineToolSchema(std::move(replace), {"start_line", "end_line", "new_content"})},
      {"insert_at_line",
       "Puts new lines before a line, at once. Several inserts at one line stand in the order of "
       "the calls.",
       LineToolSchema(insert, {"line", "content"})},
      {"delete_lines",
       "Deletes a range of lines, at once. Refused, with the present text, if somebody changed the "
       "range since you saw it.",
       LineToolSchema(LineRangeProperties(), {"start_line", "end_line"})},
      {"search_code",
       "Finds lines of the document with a text, or else with a match of a regular expression.",
       LineToolSchema(std::move(search), {"pattern"})},
  };
}

LineTools::LineTools(LineSnapshot& snapshot, LineToolLimits limits)
    : snapshot_(snapshot), limits_(limits) {}

ToolReply LineTools::Call(std::string_view name, const Json& arguments) {
  if (calls_ < UINT32_MAX) ++calls_;
  if (calls_ > limits_.max_calls) {
    ToolReply reply = LineToolError("limit reached: finish now");
    reply.limit_reached = true;
    return reply;
  }
  ToolReply reply = Dispatch(name, arguments);
  if (reply.edit) ++edits_;
  return reply;
}

ToolReply LineTools::Dispatch(std::string_view name, const Json& arguments) {
  if (name == "get_line_range") return GetLineRange(arguments);
  if (name == "replace_lines") return ReplaceLines(arguments);
  if (name == "insert_at_line") return InsertAtLine(arguments);
  if (name == "delete_lines") return DeleteLines(arguments);
  if (name == "search_code") return SearchCode(arguments);
  return LineToolError(
      "There is no such tool. Use get_line_range, replace_lines, insert_at_line, delete_lines or "
      "search_code.");
}

ToolReply LineTools::GetLineRange(const Json& arguments) {
  LineArguments of(arguments);
  const uint32_t start = of.Line("start_line");
  const uint32_t end = of.Line("end_line");
  if (of.error()) return *of.error();
  absl::StatusOr<std::string> shown = snapshot_.Show(start, end);
  if (!shown.ok()) return LineToolError(shown.status());
  return {.text = *std::move(shown)};
}

// Empty: the content is small enough.
std::string LineTools::CheckContent(std::string_view content) const {
  if (content.size() > limits_.max_content_bytes) {
    return absl::StrCat("The text has ", content.size(), " bytes, and at most ",
                        limits_.max_content_bytes,
                        " are taken in a call. Nothing was done; divide it into several edits.");
  }
  if (content.size() > limits_.max_run_content_bytes - content_bytes_) {
    return absl::StrCat("All texts of your edits together may have ", limits_.max_run_content_bytes,
                        " bytes. Nothing was done; edit less, or finish now.");
  }
  return "";
}

ToolReply LineTools::Edited(absl::StatusOr<std::optional<AppliedEdit>> edit, std::string_view count,
                            size_t content_bytes) {
  if (!edit.ok()) return LineToolError(edit.status());
  Json result = {{"success", true}, {std::string(count), 0}};
  if (*edit) {
    content_bytes_ += content_bytes;
    const AppliedEdit& done = **edit;
    const uint32_t old_lines = done.end_line + 1 - done.start_line;
    result[std::string(count)] = old_lines > 0 ? old_lines : done.lines;
  }
  ToolReply reply = LineToolResult(result);
  reply.edit = *std::move(edit);
  return reply;
}

ToolReply LineTools::ReplaceLines(const Json& arguments) {
  LineArguments of(arguments);
  const uint32_t start = of.Line("start_line");
  const uint32_t end = of.Line("end_line");
  const std::string_view content = of.Text("new_content");
  if (of.error()) return *of.error();
  if (std::string error = CheckContent(content); !error.empty()) {
    return LineToolError(std::move(error));
  }
  return Edited(snapshot_.Replace(start, end, content), "lines_changed", content.size());
}

ToolReply LineTools::InsertAtLine(const Json& arguments) {
  LineArguments of(arguments);
  const uint32_t line = of.Line("line");
  const std::string_view content = of.Text("content");
  if (of.error()) return *of.error();
  if (content.empty()) {
    return LineToolError("The argument content is empty. For an empty line, give one line feed.");
  }
  if (std::string error = CheckContent(content); !error.empty()) {
    return LineToolError(std::move(error));
  }
  return Edited(snapshot_.InsertBefore(line, content), "lines_inserted", content.size());
}

ToolReply LineTools::DeleteLines(const Json& arguments) {
  LineArguments of(arguments);
  const uint32_t start = of.Line("start_line");
  const uint32_t end = of.Line("end_line");
  if (of.error()) return *of.error();
  return Edited(snapshot_.Replace(start, end, ""), "lines_deleted", 0);
}

ToolReply LineTools::SearchCode(const Json& arguments) {
  LineArguments of(arguments);
  const std::string_view pattern = of.Text("pattern");
  const int64_t max_results = of.Has("max_results") ? of.Number("max_results") : kDefaultFoundLines;
  if (of.error()) return *of.error();
  if (pattern.empty() || pattern.size() > kMaxSearchPatternBytes) {
    return LineToolError(
        absl::StrCat("The argument pattern must have 1 to ", kMaxSearchPatternBytes, " bytes."));
  }
  if (max_results < 1) return LineToolError("The argument max_results must be 1 or more.");
  const std::string text = snapshot_.PresentText();
  const LineSearch search =
      SearchLines(text, pattern, static_cast<size_t>(std::min(max_results, kMaxFoundLines)));
  Json found = Json::array();
  for (const uint32_t byte : search.lines) {
    found.push_back(FoundLine(snapshot_.PresentLineAt(text, byte)));
  }
  if (!search.is_complete) {
    found.push_back({{"note", "the end of the document was not searched: use a plainer pattern"}});
  }
  return LineToolResult(found);
}

}  // namespace cursorwire::room_agent
