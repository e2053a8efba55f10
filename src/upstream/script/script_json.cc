#include "upstream/script/script_json.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "upstream/script/expectation.h"
#include "upstream/script/step_json.h"
#include "upstream/script/step_reader.h"

namespace cursorwire::upstream {
namespace {

using What = ScriptStep::What;

absl::StatusOr<Json> JoinMembers(const Script::Members& members) {
  Json object = Json::object();
  for (const auto& [name, text] : members) {
    Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) return BadScript(name + " is not JSON");
    if (object.contains(name)) return BadScript(name + " is there twice");
    object[name] = std::move(value);
  }
  return object;
}

bool SendsBody(const What& what) {
  return std::holds_alternative<Say>(what) || std::holds_alternative<SayRequestState>(what) ||
         std::holds_alternative<AskAll>(what) || std::holds_alternative<SendBody>(what);
}

bool SendsHeaders(const What& what) {
  return std::holds_alternative<ResponseHeaders>(what) || std::holds_alternative<HttpReply>(what);
}

// Refuses a step after one that ends the stream or, for body bytes, after the end of the body.
absl::Status CheckOrder(const ScriptStep& before, const ScriptStep& step, bool headers_sent) {
  const auto follows = [&] {
    return BadScript(absl::StrCat("nothing of the kind can follow ", before.name));
  };
  if (std::holds_alternative<Drop>(before.what) || std::holds_alternative<Stall>(before.what) ||
      std::holds_alternative<ResetStream>(before.what)) {
    return follows();
  }
  const bool finished = std::holds_alternative<FinishBody>(before.what) ||
                        std::holds_alternative<HttpReply>(before.what);
  const bool body = SendsBody(step.what) || SendsHeaders(step.what) ||
                    std::holds_alternative<FinishBody>(step.what);
  if (finished && body) return follows();
  if (headers_sent && SendsHeaders(step.what)) return BadScript("the headers are sent already");
  return absl::OkStatus();
}

absl::Status CheckOrder(const std::vector<ScriptStep>& steps, size_t last) {
  bool headers_sent = false;
  for (size_t i = 0; i < last; ++i) {
    headers_sent = headers_sent || SendsBody(steps[i].what) || SendsHeaders(steps[i].what);
    if (absl::Status status = CheckOrder(steps[i], steps[last], headers_sent); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompiledScript> CompileScript(const Script& script) {
  CompiledScript compiled{.name = script.name()};
  if (!script.when_prompt().empty()) {
    Json pattern = Json::parse(script.when_prompt(), nullptr, false);
    if (pattern.is_discarded()) return BadScript("when.prompt is not JSON");
    if (absl::Status status = CheckPattern(pattern, nullptr); !status.ok()) {
      return Annotate(status, "when.prompt");
    }
    compiled.when_prompt = std::move(pattern);
  }
  for (const Script::Members& members : script.steps()) {
    const size_t number = compiled.steps.size() + 1;
    const std::string where =
        absl::StrCat("step ", number, members.empty() ? "" : " (",
                     members.empty() ? "" : members.front().first, members.empty() ? "" : ")");
    const absl::StatusOr<Json> object = JoinMembers(members);
    if (!object.ok()) return Annotate(object.status(), where);
    absl::StatusOr<ScriptStep> step = CompileStep(*object, number);
    if (!step.ok()) return Annotate(step.status(), where);
    compiled.steps.push_back(*std::move(step));
    if (absl::Status status = CheckOrder(compiled.steps, number - 1); !status.ok()) {
      return Annotate(status, where);
    }
  }
  return compiled;
}

absl::StatusOr<std::vector<CompiledScript>> CompileScripts(std::span<const Script> scripts) {
  std::vector<CompiledScript> all;
  for (const Script& script : scripts) {
    absl::StatusOr<CompiledScript> compiled = CompileScript(script);
    if (!compiled.ok()) {
      if (scripts.size() == 1) return compiled.status();
      return Annotate(compiled.status(), absl::StrCat("script ", all.size() + 1));
    }
    all.push_back(*std::move(compiled));
  }
  return all;
}

}  // namespace cursorwire::upstream
