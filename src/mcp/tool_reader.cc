#include "mcp/tool_reader.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/tools.h"
#include "json/json_member.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

constexpr size_t kMaxNameBytes = 512;
constexpr size_t kMaxTitleBytes = 200;

// Texts of a schema that only readers see. Other strings are names and values of arguments.
void ClearTexts(Json& schema) {
  if (!schema.is_structured()) return;
  for (auto& [name, member] : schema.items()) {
    const bool is_text = schema.is_object() && member.is_string() &&
                         (name == "description" || name == "title" || name == "$comment");
    if (is_text) {
      member = PlainText(member.get_ref<const std::string&>());
    } else {
      ClearTexts(member);
    }
  }
}

absl::StatusOr<std::string> ReadSchema(const Json& value) {
  if (value.is_null()) return std::string(R"({"properties":{},"type":"object"})");
  if (!value.is_object()) return InvalidArgument("its schema is no JSON object");
  Json schema = value;
  if (schema.contains("required") && schema["required"].is_null()) schema.erase("required");
  if (!schema.contains("type") || schema["type"].is_null()) schema["type"] = "object";
  if (schema["type"] != "object") return InvalidArgument("its schema is not one of an object");
  ClearTexts(schema);
  std::string text = jsonrpc::WriteJsonText(schema);
  if (SchemaDepth(text) > kMaxSchemaDepth) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("its schema is nested deeper than ", kMaxSchemaDepth));
  }
  if (text.size() > kMaxToolSchemaBytes) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("its schema has ", text.size(), " bytes, over the limit of ",
                                   kMaxToolSchemaBytes));
  }
  return text;
}

std::vector<std::string> ReadHints(const Json& annotations) {
  constexpr std::pair<const char*, const char*> kHints[] = {{"readOnlyHint", "read-only"},
                                                            {"destructiveHint", "destructive"},
                                                            {"idempotentHint", "idempotent"},
                                                            {"openWorldHint", "open-world"}};
  std::vector<std::string> hints;
  for (const auto& [member, word] : kHints) {
    if (MemberOf(annotations, member) == true) hints.emplace_back(word);
  }
  return hints;
}

// Members of a schema whose own members are schemas, by names that the server chose.
constexpr std::string_view kNamedSchemas[] = {"properties", "patternProperties", "$defs",
                                              "definitions", "dependentSchemas"};
// And those that hold values, not schemas.
constexpr std::string_view kValues[] = {"default", "const", "enum", "examples"};

template <size_t N>
bool IsOneOf(const std::string& name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

bool WantsHeaders(const Json& schema) {
  if (schema.is_array()) return std::any_of(schema.begin(), schema.end(), WantsHeaders);
  if (!schema.is_object()) return false;
  if (schema.contains("x-mcp-header")) return true;
  for (auto member = schema.begin(); member != schema.end(); ++member) {
    if (IsOneOf(member.key(), kValues)) continue;
    const bool is_named = member->is_object() && IsOneOf(member.key(), kNamedSchemas);
    if (is_named ? std::any_of(member->begin(), member->end(), WantsHeaders)
                 : WantsHeaders(*member)) {
      return true;
    }
  }
  return false;
}

absl::StatusOr<ReadTool> ReadServerTool(const Json& value) {
  ReadTool read;
  read.tool.name = TextOf(value, "name");
  if (read.tool.name.empty()) return InvalidArgument("it has no name");
  if (read.tool.name.size() > kMaxNameBytes) {
    return InvalidArgument(absl::StrCat("its name has ", read.tool.name.size(), " bytes"));
  }
  if (TextOf(MemberOf(value, "execution"), "taskSupport") == "required") {
    return InvalidArgument("it can only be called as a task, which is not supported");
  }
  absl::StatusOr<std::string> schema = ReadSchema(MemberOf(value, "inputSchema"));
  if (!schema.ok()) return schema.status();
  read.tool.input_schema = *std::move(schema);
  const Json& annotations = MemberOf(value, "annotations");
  read.tool.hints = ReadHints(annotations);
  std::string title = TextOf(value, "title");
  if (title.empty()) title = TextOf(annotations, "title");
  read.tool.title = PlainLine(title, kMaxTitleBytes);
  read.tool.description = PlainText(TextOf(value, "description"));
  const size_t size = read.tool.description.size();
  if (size > kMaxToolDescriptionBytes) {
    read.tool.description.resize(
        Utf8Prefix(read.tool.description, kMaxToolDescriptionBytes).size());
    read.notice =
        absl::StrCat("its description of ", size, " bytes is cut at ", kMaxToolDescriptionBytes);
  }
  return read;
}

}  // namespace cursorwire::mcp
