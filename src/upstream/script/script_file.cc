#include "cursorwire/script.h"

#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "base/strings.h"
#include "json/checked_json.h"
#include "upstream/script/script_json.h"
#include "upstream/script/step_json.h"

namespace cursorwire {
namespace {

using upstream::Json;

constexpr size_t kMaxBytes = size_t{64} * 1024 * 1024;
constexpr size_t kMaxDepth = 200;
constexpr size_t kMaxValues = size_t{4} * 1024 * 1024;

absl::Status Bad(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument, what);
}

absl::Status ReadWhen(const Json& when, Script& script) {
  if (!when.is_object() || when.size() != 1 || !when.contains("prompt")) {
    return Bad(R"("when" must be an object with the member "prompt")");
  }
  script.WhenPrompt(when["prompt"].dump());
  return absl::OkStatus();
}

absl::StatusOr<Script> ReadScript(const Json& json) {
  if (!json.is_object()) return Bad("a script must be an object");
  Script script;
  for (const auto& [name, value] : json.items()) {
    if (name == "steps" && value.is_array()) continue;
    if ((name == "name" || name == "comment" || name == "$schema") && value.is_string()) continue;
    if (name == "when") {
      if (absl::Status status = ReadWhen(value, script); !status.ok()) return status;
      continue;
    }
    constexpr std::string_view kKnown[] = {"steps", "name", "comment", "$schema"};
    for (const std::string_view known : kKnown) {
      if (name == known) return Bad(absl::StrCat("'", name, "' has the wrong type"));
    }
    return Bad(absl::StrCat("a script has no member '", name,
                            "'; known: $schema, comment, name, steps, when"));
  }
  if (!json.contains("steps")) return Bad("the member 'steps' is missing");
  script.Name(json.value("name", ""));
  for (const Json& step : json["steps"]) {
    if (!step.is_object() || step.empty()) {
      return Bad(absl::StrCat("step ", script.steps().size() + 1,
                              ": a step must be an object with the name of the step"));
    }
    // Put the step's name first, since error messages begin with it.
    std::string first;
    for (const auto& [name, value] : step.items()) {
      for (const std::string_view known : upstream::StepNames()) {
        if (known == name) first = name;
      }
    }
    if (first.empty()) first = step.begin().key();
    script.Step(first, step[first].dump());
    for (const auto& [name, value] : step.items()) {
      if (name != first) script.With(name, value.dump());
    }
  }
  return script;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  const auto error = [&path](int number) {
    return LocalError(
        absl::StatusCode::kNotFound,
        absl::StrCat("cannot read ", path, ": ", std::generic_category().message(number)));
  };
  if (file == nullptr) return error(errno);
  std::string text;
  char buffer[16 * 1024];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), file.get())) {
    text.append(buffer, count);
    if (text.size() > kMaxBytes) return Bad(path + " is larger than 64 MiB");
  }
  if (std::ferror(file.get()) != 0) return error(errno);
  return text;
}

absl::StatusOr<Script> OnlyOne(absl::StatusOr<std::vector<Script>> scripts) {
  if (!scripts.ok()) return scripts.status();
  if (scripts->size() == 1) return std::move(scripts->front());
  return Bad(absl::StrCat("one script is wanted here, not a list of ", scripts->size()));
}

}  // namespace

absl::StatusOr<std::vector<Script>> ParseScripts(std::string_view json) {
  const absl::StatusOr<Json> parsed =
      ParseCheckedJson(json, {.max_depth = kMaxDepth, .max_values = kMaxValues});
  if (!parsed.ok()) return parsed.status();
  const std::vector<Json> list =
      parsed->is_array() ? parsed->get<std::vector<Json>>() : std::vector<Json>{*parsed};
  if (list.empty()) return Bad("the list of scripts is empty");
  std::vector<Script> scripts;
  for (const Json& one : list) {
    absl::StatusOr<Script> script = ReadScript(one);
    if (!script.ok()) {
      if (list.size() == 1) return script.status();
      return Annotate(script.status(), absl::StrCat("script ", scripts.size() + 1));
    }
    scripts.push_back(*std::move(script));
  }
  if (const auto compiled = upstream::CompileScripts(scripts); !compiled.ok()) {
    return compiled.status();
  }
  return scripts;
}

absl::StatusOr<std::vector<Script>> LoadScripts(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<Script>> scripts = ParseScripts(*text);
  if (!scripts.ok()) return Annotate(scripts.status(), path);
  return scripts;
}

absl::StatusOr<Script> ParseScript(std::string_view json) { return OnlyOne(ParseScripts(json)); }

absl::StatusOr<Script> LoadScript(const std::string& path) { return OnlyOne(LoadScripts(path)); }

}  // namespace cursorwire
