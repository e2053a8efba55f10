#include <absl/strings/str_cat.h>

#include "cursorwire/script.h"
#include "wire/json.h"

namespace cursorwire {
namespace {

std::string MemberText(std::string_view name, std::string_view json) {
  std::string text;
  wire::AppendJsonString(name, text);
  return absl::StrCat(text, ": ", std::string(json));
}

std::string StepText(const Script::Members& members) {
  std::string text;
  for (const auto& [name, json] : members) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", MemberText(name, json));
  }
  return absl::StrCat("{", text, "}");
}

std::string ScriptText(const Script& script) {
  std::string text = "{\n";
  if (!script.name().empty()) {
    std::string name;
    wire::AppendJsonString(script.name(), name);
    absl::StrAppend(&text, "  \"name\": ", name, ",\n");
  }
  if (!script.when_prompt().empty()) {
    absl::StrAppend(&text, "  \"when\": {", MemberText("prompt", script.when_prompt()), "},\n");
  }
  std::string steps;
  for (const Script::Members& step : script.steps()) {
    absl::StrAppend(&steps, steps.empty() ? "\n    " : ",\n    ", StepText(step));
  }
  return absl::StrCat(text, "  \"steps\": [", steps, steps.empty() ? "]\n}" : "\n  ]\n}");
}

}  // namespace

std::string ScriptsToJson(const std::vector<Script>& scripts) {
  std::string list;
  for (const Script& script : scripts) {
    absl::StrAppend(&list, list.empty() ? "" : ",\n", ScriptText(script));
  }
  return scripts.size() == 1 ? list + "\n" : absl::StrCat("[", list, "]\n");
}

}  // namespace cursorwire
