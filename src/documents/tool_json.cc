#include "documents/tool_json.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/strings.h"
#include "json/json_member.h"
#include "json/json_reader.h"

namespace cursorwire::documents {
namespace {

// The members by which the results of agent.v1 say that a call failed, and those by which they say
// that it did not (docs/protocol.md, tool calls). Others are taken for a success whose data is the
// whole result.
constexpr std::string_view kFailures[] = {"error",          "failure",
                                          "rejected",       "permission_denied",
                                          "file_not_found", "not_found",
                                          "timeout",        "read_permission_denied",
                                          "spawn_error",    "write_permission_denied",
                                          "not_file",       "invalid_file",
                                          "file_busy",      "no_space",
                                          "tool_not_found", "server_not_found"};
constexpr std::string_view kSuccesses[] = {"success",  "complete", "still_running",
                                           "approved", "async",    "registered"};

// Where failures say why.
constexpr std::initializer_list<const char*> kReasons = {"model_visible_error",
                                                         "client_visible_error",
                                                         "error",
                                                         "error_message",
                                                         "reason",
                                                         "message",
                                                         "stderr"};

template <size_t N>
bool IsAmong(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string AsWords(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

ReadOutcome Failed(const std::string& word, const Json& details, const Json& data) {
  ReadOutcome read{.word = word, .details = details};
  read.outcome = {ToolStatus::kError, WriteJson(data)};
  read.reason = details.is_string() ? details.get<std::string>() : StringMember(details, kReasons);
  if (read.reason.empty()) read.reason = ContentText(details);
  read.message = read.reason.empty() ? AsWords(word) : read.reason;
  return read;
}

// The result without what stands beside its end.
ReadOutcome ReadEnd(const Json& result) {
  for (const auto& [name, details] : result.items()) {
    if (IsAmong(kFailures, name)) return Failed(name, details, result);
    if (!IsAmong(kSuccesses, name)) continue;
    if (FlagOf(details, "is_error")) return Failed("error", details, details);
    ReadOutcome read{.word = name, .details = details};
    read.outcome.data_json = WriteJson(details);
    return read;
  }
  ReadOutcome read{.details = result};
  read.outcome.data_json = WriteJson(result);
  return read;
}

}  // namespace

Json ReadToolJson(const std::string& text) {
  if (text.empty()) return Json::object();
  Json value;
  const bool is_json = !ReadJson(text, {.max_depth = kMaxToolJsonDepth}, value);
  if (is_json && value.is_object()) return value;
  return {{"text", text}};
}

std::string WriteJson(const Json& value) {
  return EscapeLineSeparators(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::optional<std::string> FindString(const Json& object,
                                      std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const Json& member = MemberOf(object, name);
    if (member.is_string()) return member.get<std::string>();
  }
  return std::nullopt;
}

std::string StringMember(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::string text = TextOf(object, name);
    if (!text.empty()) return text;
  }
  return "";
}

std::optional<int32_t> NumberMember(const Json& object, const char* name) {
  const Json& member = MemberOf(object, name);
  const std::string digits = member.is_string() ? member.get<std::string>() : member.dump();
  int32_t number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || rest != digits.data() + digits.size()) return std::nullopt;
  return number;
}

const Json& ArrayMember(const Json& object, const char* name) {
  static const Json& empty = *new Json(Json::array());
  const Json& member = MemberOf(object, name);
  return member.is_array() ? member : empty;
}

const Json& ObjectMember(const Json& object, const char* name) {
  static const Json& empty = *new Json(Json::object());
  const Json& member = MemberOf(object, name);
  return member.is_object() ? member : empty;
}

std::string ContentText(const Json& details) {
  std::string text;
  for (const Json& item : ArrayMember(details, "content")) {
    const std::string piece = StringMember(ObjectMember(item, "text"), {"text"});
    if (!piece.empty()) text += (text.empty() ? "" : "\n") + piece;
  }
  return text;
}

ReadOutcome ReadResult(const Json& result) {
  ReadOutcome read = ReadEnd(result);
  read.sandbox_policy = MemberOf(result, "sandbox_policy");
  return read;
}

}  // namespace cursorwire::documents
