#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_TOOL_TABLE_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_TOOL_TABLE_H_

#include <absl/status/status.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/function_tool.h"

namespace cursor_gateway {

// Of all lists of a request: tools that its history has found are there again and again, and each
// that is refused costs more than one that is taken.
inline constexpr size_t kMaxToolEntries = 8192;

// How calls of a tool come back to a client of /v1/responses.
enum class ToolForm { kFunction, kCustom, kSearch };

// A tool as its client knows it.
struct ClientTool {
  ToolForm form = ToolForm::kFunction;
  std::string space{};  // the namespace; empty: none
  std::string name{};   // within it
};

// The tools of one request of /v1/responses: as functions for the model, and as the client knows
// them. Namespaces are flattened; a tool that takes free text becomes a function with one text.
// A value. Source: docs/gateway-codex.md, "Tools".
class ToolTable {
 public:
  // The field `tools`. Types that have no function are left out.
  //   a BadRequest() that names the member: a wrong type; a name twice; too many
  absl::Status Add(const nlohmann::json& tools, const std::string& where);
  // Tools of an item of the history. One that is known is replaced; one that cannot be read is left
  // out, and so are all after kMaxToolEntries: a history must stay usable.
  void AddFound(const nlohmann::json& tools);

  // The name that the model knows a tool by, also one that is not offered now.
  std::string NameOf(std::string_view space, std::string_view name) const;
  // nullptr: the request has no such tool.
  const ClientTool* Find(const std::string& name) const;

  const std::vector<FunctionTool>& functions() const { return functions_; }
  // Names or types, for the log; they are the client's words.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  enum class Origin { kField, kHistory };

  absl::Status AddList(const nlohmann::json& tools, std::string_view space,
                       const std::string& where, Origin origin);
  absl::Status AddTool(const nlohmann::json& tool, std::string_view space, const std::string& where,
                       Origin origin);
  absl::Status Put(ClientTool client, FunctionTool function, const std::string& where,
                   Origin origin);

  std::vector<FunctionTool> functions_;
  std::vector<ClientTool> clients_;                               // as functions_
  std::map<std::string, size_t> by_name_;                         // places in both
  std::map<std::pair<std::string, std::string>, size_t> by_own_;  // by namespace and name
  std::vector<std::string> left_out_;
  size_t entries_ = 0;  // of all lists
};

// What the model gave as the arguments of a tool that takes free text.
std::string FreeTextOf(const std::string& arguments);
// The other way round.
std::string FreeTextArguments(std::string_view text);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_TOOL_TABLE_H_
