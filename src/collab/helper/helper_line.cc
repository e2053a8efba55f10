#include "collab/helper/helper_line.h"

#include <absl/strings/str_cat.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "collab/presence/shown_text.h"
#include "json/json_member.h"
#include "json/json_reader.h"

namespace cursorwire::collab {
namespace {

using nlohmann::json;

constexpr JsonBounds kLineBounds{.max_depth = 32, .max_values = 10000};
constexpr size_t kMaxQuotedType = 100;  // characters of a type that is not known

// Reads the members of a line. The first one that is missing or wrong is the error.
class LineMembers {
 public:
  LineMembers(std::string_view type, const json& line) : type_(type), line_(line) {}

  // What it must have.
  std::string Text(std::string_view name) {
    const json& member = MemberOf(line_, name);
    if (member.is_string()) return member.get<std::string>();
    Fail(name, "a text");
    return {};
  }
  // What may be missing, or null.
  std::optional<std::string> MaybeText(std::string_view name) {
    if (MemberOf(line_, name).is_null()) return std::nullopt;
    return Text(name);
  }
  uint32_t Offset(std::string_view name) { return OffsetOf(line_, name, name); }
  std::optional<CursorLine::Selection> Selection() {
    const json& selection = MemberOf(line_, "selection");
    if (selection.is_null()) return std::nullopt;
    if (!selection.is_object()) {
      Fail("selection", R"(an object with "anchor" and "head")");
      return std::nullopt;
    }
    CursorLine::Selection result;
    result.anchor = OffsetOf(selection, "anchor", "selection.anchor");
    result.head = MemberOf(selection, "head").is_null()
                      ? result.anchor
                      : OffsetOf(selection, "head", "selection.head");
    return result;
  }

  const std::optional<LineError>& error() const { return error_; }

 private:
  uint32_t OffsetOf(const json& object, std::string_view name, std::string_view path) {
    const json& member = MemberOf(object, name);
    const double number = member.is_number() ? member.get<double>() : std::nan("");
    if (!std::isfinite(number)) {
      Fail(path, "a number");
      return 0;
    }
    // What is out of range is cut to the text.
    constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
    if (number <= 0) return 0;
    return number < kMost ? static_cast<uint32_t>(number) : kMost;
  }

  void Fail(std::string_view member, std::string_view wanted) {
    if (error_) return;
    error_ = LineError{
        .message = absl::StrCat(ToAbsl(type_), " needs \"", ToAbsl(member), "\": ", ToAbsl(wanted)),
        .code = "bad_message",
        .request = std::string(type_)};
  }

  const std::string_view type_;
  const json& line_;
  std::optional<LineError> error_;
};

std::optional<EditorLine> ReadKind(std::string_view type, LineMembers& members) {
  if (type == "connect") {
    return ConnectLine{.sync_url = members.Text("syncUrl"),
                       .awareness_url = members.MaybeText("awarenessUrl").value_or(""),
                       .name = members.MaybeText("name"),
                       .color = members.MaybeText("color")};
  }
  if (type == "disconnect") return DisconnectLine{};
  if (type == "create") return CreateLine{};
  if (type == "open") return OpenLine{members.Text("docId")};
  if (type == "edit") return EditLine{members.Text("content")};
  if (type == "close") return CloseLine{};
  if (type == "cursor") {
    return CursorLine{.offset = members.Offset("offset"), .selection = members.Selection()};
  }
  if (type == "set_name") return SetNameLine{members.Text("name")};
  if (type == "set_color") return SetColorLine{members.Text("color")};
  if (type == "info") return InfoLine{};
  return std::nullopt;
}

LineError ParseError(std::string_view what) {
  return {.message = absl::StrCat("Parse error: ", ToAbsl(what)), .code = "parse"};
}

LineError ReadError(const JsonFault& fault) {
  switch (fault.kind) {
    case JsonFault::Kind::kTooDeep:
    case JsonFault::Kind::kTooManyValues:
      return {.message = "Too large: the line has too many values, or too deep ones",
              .code = "too_large"};
    case JsonFault::Kind::kEndsEarly:
      return ParseError("the line ends within the JSON");
    case JsonFault::Kind::kLargeNumber:
      return ParseError("a number is too large");
    case JsonFault::Kind::kNotJson:
      break;
  }
  return ParseError(absl::StrCat("no JSON at byte ", fault.byte));
}

}  // namespace

std::variant<EditorLine, LineError> ReadEditorLine(std::string_view line) {
  json value;
  if (const auto fault = ReadJson(line, kLineBounds, value)) return ReadError(*fault);
  if (!value.is_object()) return ParseError("the line is no JSON object");
  const json& type = MemberOf(value, "type");
  if (!type.is_string()) {
    return LineError{.message = "Unknown message type: (none)", .code = "unknown_type"};
  }
  const auto& name = type.get_ref<const std::string&>();
  LineMembers members(name, value);
  std::optional<EditorLine> kind = ReadKind(name, members);
  if (!kind) {
    const std::string shown = ShownText(name, kMaxQuotedType);
    return LineError{.message = absl::StrCat("Unknown message type: ", shown),
                     .code = "unknown_type",
                     .request = shown};
  }
  if (members.error()) return *members.error();
  if (auto* edit = std::get_if<EditLine>(&*kind))
    edit->repaired = WithoutLoneSurrogates(line) != line;
  return *std::move(kind);
}

}  // namespace cursorwire::collab
