#include "openai/tool_table.h"

#include <absl/strings/escaping.h>

#include <algorithm>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"
#include "api/json_text.h"
#include "base/sha256.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

constexpr char kFreeText[] = "input";
constexpr char kSearchName[] = "tool_search";
// Its members are known by their own names. Source: docs/gateway-codex.md, "Tools".
constexpr std::string_view kPlainSpace = "functions";
constexpr size_t kDigestBytes = 4;

// A name for what has none that is fit, or one that another tool has: the same in each request.
std::string DigestName(std::string_view space, std::string_view name, std::string text) {
  std::string digest = absl::BytesToHexString(
      cursorwire::Sha256(Concat(space, std::string_view("\0", 1), name)).substr(0, kDigestBytes));
  text.resize(std::min(text.size(), kMaxToolNameLength - digest.size() - 1));
  for (char& c : text) {
    if (!IsToolName(std::string_view(&c, 1))) c = '_';
  }
  return Concat(text, "_", digest);
}

std::string PlainName(std::string_view space, std::string_view name) {
  return space.empty() || space == kPlainSpace ? std::string(name) : Concat(space, "__", name);
}

std::string FreeTextDescription(const json& tool) {
  std::string text = Concat(TextOf(tool, "description"), "\n\nThe argument `", kFreeText,
                            "` is the whole text that this tool takes, as it is.");
  const json* format = FieldOf(tool, "format");
  if (format != nullptr && !TextOf(*format, "definition").empty()) {
    Append(text, " It must follow this grammar (", TextOf(*format, "syntax"), "):\n",
           TextOf(*format, "definition"));
  }
  return text;
}

}  // namespace

absl::Status ToolTable::Add(const json& tools, const std::string& where) {
  return AddList(tools, "", where, Origin::kField);
}

void ToolTable::AddFound(const json& tools) {
  if (entries_ > kMaxToolEntries) return;  // it was told before
  if (!AddList(tools, "", "", Origin::kHistory).ok()) left_out_.emplace_back("more tools");
}

absl::Status ToolTable::AddList(const json& tools, std::string_view space, const std::string& where,
                                Origin origin) {
  if (!tools.is_array()) return WrongField(where, "a list");
  for (size_t i = 0; i < tools.size(); ++i) {
    if (++entries_ > kMaxToolEntries) {
      return BadRequest(Concat("there are more than ", kMaxToolEntries, " entries"), where);
    }
    const json& tool = tools[i];
    absl::Status status = AddTool(tool, space, Concat(where, ".[", i, "]"), origin);
    if (status.ok()) continue;
    if (origin == Origin::kField) return status;
    left_out_.emplace_back(TextOf(tool, "name"));
  }
  return absl::OkStatus();
}

absl::Status ToolTable::AddTool(const json& tool, std::string_view space, const std::string& where,
                                Origin origin) {
  if (!tool.is_object()) return WrongField(where, "an object");
  const std::string_view type = TextOf(tool, "type");
  const std::string members = where + ".";
  if (type == "namespace" && space.empty()) {
    std::string name;
    absl::Status status = RequireString(tool, "name", name, members);
    const json* tools = FieldOf(tool, "tools");
    if (!status.ok() || tools == nullptr) return status;
    return AddList(*tools, name, members + "tools", origin);
  }
  FunctionTool function;
  ClientTool client{.space = std::string(space)};
  if (type == "function") {
    absl::Status status = ReadFunction(tool, members, function);
    if (!status.ok()) return status;
  } else if (type == "custom") {
    absl::Status status = RequireString(tool, "name", function.name, members);
    if (!status.ok()) return status;
    client.form = ToolForm::kCustom;
    function.description = FreeTextDescription(tool);
    function.parameters = CompactJson({{"type", "object"},
                                       {"properties", {{kFreeText, {{"type", "string"}}}}},
                                       {"required", {kFreeText}}});
  } else if (type == kSearchName && TextOf(tool, "execution") == "client") {
    json named = tool;
    named["name"] = kSearchName;
    absl::Status status = ReadFunction(named, members, function);
    if (!status.ok()) return status;
    client.form = ToolForm::kSearch;
  } else {
    if (type.empty()) return WrongField(members + "type", "the type of a tool");
    left_out_.emplace_back(type);
    return absl::OkStatus();
  }
  client.name = function.name;
  return Put(std::move(client), std::move(function), where, origin);
}

absl::Status ToolTable::Put(ClientTool client, FunctionTool function, const std::string& where,
                            Origin origin) {
  if (client.name.empty()) return WrongField(where + ".name", "the name of a tool");
  const auto own = by_own_.find({client.space, client.name});
  if (own != by_own_.end() && origin == Origin::kHistory) {
    function.name = functions_[own->second].name;
    functions_[own->second] = std::move(function);
    clients_[own->second] = std::move(client);
    return absl::OkStatus();
  }
  function.name = PlainName(client.space, client.name);
  if (!IsToolName(function.name) || by_name_.contains(function.name)) {
    function.name = DigestName(client.space, client.name, std::move(function.name));
  }
  if (own != by_own_.end() || by_name_.contains(function.name)) {
    return BadRequest(Concat("there are two tools '", client.name, "'"), where + ".name");
  }
  if (functions_.size() == kMaxTools) {
    return BadRequest(Concat("there are more than ", kMaxTools, " tools"), where);
  }
  by_name_.emplace(function.name, functions_.size());
  by_own_.emplace(std::pair(client.space, client.name), functions_.size());
  functions_.push_back(std::move(function));
  clients_.push_back(std::move(client));
  return absl::OkStatus();
}

std::string ToolTable::NameOf(std::string_view space, std::string_view name) const {
  const auto own = by_own_.find({std::string(space), std::string(name)});
  if (own != by_own_.end()) return functions_[own->second].name;
  std::string plain = PlainName(space, name);
  return IsToolName(plain) ? plain : DigestName(space, name, std::move(plain));
}

const ClientTool* ToolTable::Find(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &clients_[it->second];
}

std::string FreeTextOf(const std::string& arguments) {
  const absl::StatusOr<json> value = ReadJson(arguments);
  const json* text = value.ok() ? FieldOf(*value, kFreeText) : nullptr;
  return text != nullptr && text->is_string() ? text->get<std::string>() : arguments;
}

std::string FreeTextArguments(std::string_view text) { return CompactJson({{kFreeText, text}}); }

}  // namespace cursor_gateway
