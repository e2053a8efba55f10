#include "upstream/script/step_json.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "upstream/script/ask_steps.h"
#include "upstream/script/end_steps.h"
#include "upstream/script/expect_steps.h"
#include "upstream/script/json_fields.h"
#include "upstream/script/message_steps.h"
#include "upstream/script/step_reader.h"
#include "upstream/script/wire_steps.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {
namespace {

using What = ScriptStep::What;

// Flags for the modifiers that a step accepts.
constexpr unsigned kPacks = 1;
constexpr unsigned kAsks = 2;
constexpr unsigned kThrows = 4;
constexpr unsigned kWaits = 8;

struct ModifierRule {
  std::string_view name;
  unsigned needs;
};
constexpr ModifierRule kModifiers[] = {
    {"await", kAsks},          {"comment", 0},        {"expect", kAsks},
    {"flags", kPacks},         {"gzip", kPacks},      {"expect_throw", kThrows},
    {"unknown_field", kPacks}, {"within_ms", kWaits},
};

absl::StatusOr<What> ReadParallelStep(const StepInput& in) {
  if (!in.value.is_array() || in.value.empty()) {
    return BadScript("parallel must be a list of steps that ask");
  }
  AskAll all;
  for (size_t i = 0; i < in.value.size(); ++i) {
    const std::string where = absl::StrCat("parallel[", i, "]");
    absl::StatusOr<ScriptStep> step = CompileStep(in.value[i], in.number);
    if (!step.ok()) return Annotate(step.status(), where);
    auto* inner = std::get_if<AskAll>(&step->what);
    if (inner == nullptr || step->name == "parallel") {
      return BadScript(absl::StrCat(where, ": ", step->name, " asks nothing"));
    }
    all.asks.push_back(std::move(inner->asks.front()));
  }
  return What(std::move(all));
}

struct StepRule {
  std::string_view name;
  unsigned modifiers;
  StepReader read;
};
constexpr StepRule kSteps[] = {
    {"text", kPacks, ReadTextStep},
    {"thinking", kPacks, ReadTextStep},
    {"tokens", kPacks, ReadTokensStep},
    {"heartbeat", kPacks, ReadNamedUpdateStep},
    {"tool_call_partial", kPacks, ReadPartialToolCallStep},
    {"tool_call_started", kPacks, ReadNamedUpdateStep},
    {"tool_call_completed", kPacks, ReadNamedUpdateStep},
    {"turn_ended", kPacks, ReadNamedUpdateStep},
    {"update", kPacks, ReadUpdateStep},
    {"message", kPacks, ReadMessageStep},
    {"checkpoint", kPacks, ReadCheckpointStep},
    {"exec", kPacks | kAsks | kThrows | kWaits, ReadExecStep},
    {"call_tool", kPacks | kAsks | kThrows | kWaits, ReadCallToolStep},
    {"query", kPacks | kAsks | kWaits, ReadQueryStep},
    {"get_blob", kPacks | kAsks | kWaits, ReadGetBlobStep},
    {"set_blob", kPacks | kAsks | kWaits, ReadSetBlobStep},
    {"parallel", kWaits, ReadParallelStep},
    {"await_all", kWaits, ReadEmptyStep<AwaitAll>},
    {"expect_request", 0, ReadExpectRequestStep},
    {"expect_headers", 0, ReadExpectHeadersStep},
    {"expect_message", kWaits, ReadExpectMessageStep},
    {"expect_cancel", kWaits, ReadEmptyStep<ExpectCancel>},
    {"expect_half_close", kWaits, ReadEmptyStep<ExpectHalfClose>},
    {"expect_disconnect", kWaits, ReadEmptyStep<ExpectDisconnect>},
    {"wait", 0, ReadWaitStep},
    {"end_stream", 0, ReadEndStreamStep},
    {"error", 0, ReadErrorStep},
    {"response_headers", 0, ReadResponseHeadersStep},
    {"http_status", 0, ReadHttpStatusStep},
    {"envelope", 0, ReadEnvelopeStep},
    {"raw_body", 0, ReadRawBodyStep},
    {"raw_connection", 0, ReadRawConnectionStep},
    {"split", 0, ReadSplitStep},
    {"finish", 0, ReadEmptyStep<FinishBody>},
    {"reset", 0, ReadResetStep},
    {"goaway", 0, ReadGoAwayStep},
    {"drop", 0, ReadDropStep},
    {"stall", 0, ReadEmptyStep<Stall>},
};

const StepRule* FindStep(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSteps), std::end(kSteps),
                                   [&](const StepRule& rule) { return rule.name == name; });
  return found == std::end(kSteps) ? nullptr : found;
}

const ModifierRule* FindModifier(std::string_view name) {
  const auto* found = std::find_if(std::begin(kModifiers), std::end(kModifiers),
                                   [&](const ModifierRule& rule) { return rule.name == name; });
  return found == std::end(kModifiers) ? nullptr : found;
}

// The only member that is not a modifier.
absl::StatusOr<const StepRule*> FindStepOf(const Json& object) {
  if (!object.is_object()) return BadScript("a step must be an object");
  const StepRule* step = nullptr;
  for (const auto& [name, value] : object.items()) {
    if (FindModifier(name) != nullptr) continue;
    const StepRule* rule = FindStep(name);
    if (rule == nullptr) return BadScript(absl::StrCat("there is no step '", name, "'"));
    if (step != nullptr) {
      return BadScript(
          absl::StrCat("two steps in one object: ", ToAbsl(step->name), " and ", name));
    }
    step = rule;
  }
  if (step == nullptr) return BadScript("the name of a step is missing");
  return step;
}

absl::StatusOr<Modifiers> ReadModifiers(const Json& object, const StepRule& step) {
  JsonFields fields(object, std::string(step.name));
  (void)fields.Find(step.name);
  for (const ModifierRule& rule : kModifiers) {
    if (fields.Has(rule.name) && (step.modifiers & rule.needs) != rule.needs) {
      return BadScript(absl::StrCat(ToAbsl(step.name), " takes no ", ToAbsl(rule.name)));
    }
  }
  Modifiers modifiers;
  const auto copy = [&](const char* name, std::optional<Json>& to) {
    if (const Json* value = fields.Find(name)) to = *value;
  };
  copy("expect", modifiers.expect);
  copy("expect_throw", modifiers.expect_throw);
  copy("unknown_field", modifiers.unknown_field);
  (void)fields.String("comment", "");
  modifiers.await = fields.Bool("await").value_or(true);
  modifiers.packing.gzip = fields.Bool("gzip").value_or(false);
  const int64_t gzip_flag = modifiers.packing.gzip ? wire::kEnvelopeCompressed : 0;
  modifiers.packing.flags =
      static_cast<uint8_t>(fields.Integer("flags", 0, 255).value_or(gzip_flag));
  if (const auto within = fields.Integer("within_ms", 0, kMaxInteger)) {
    modifiers.within = std::chrono::milliseconds(*within);
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return modifiers;
}

}  // namespace

absl::StatusOr<ScriptStep> CompileStep(const Json& object, size_t number) {
  const absl::StatusOr<const StepRule*> rule = FindStepOf(object);
  if (!rule.ok()) return rule.status();
  const absl::StatusOr<Modifiers> modifiers = ReadModifiers(object, **rule);
  if (!modifiers.ok()) return modifiers.status();
  const std::string name((*rule)->name);
  absl::StatusOr<What> what = (*rule)->read({object.at(name), *modifiers, name, number});
  if (!what.ok()) return what.status();
  ScriptStep step{.name = name, .what = *std::move(what)};
  if (modifiers->within) step.within = *modifiers->within;
  return step;
}

std::vector<std::string_view> StepNames() {
  std::vector<std::string_view> names;
  for (const StepRule& rule : kSteps) names.push_back(rule.name);
  return names;
}

std::vector<std::string_view> ModifierNames() {
  std::vector<std::string_view> names;
  for (const ModifierRule& rule : kModifiers) names.push_back(rule.name);
  return names;
}

}  // namespace cursorwire::upstream
