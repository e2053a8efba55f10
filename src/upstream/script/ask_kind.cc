#include "upstream/script/ask_kind.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include "base/strings.h"
#include "upstream/script/step_reader.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::OneofDescriptor;

// The only exec whose output comes in pieces.
constexpr std::string_view kStreamedExec = "shell_stream_args";

// The part that the names of a question and of its answer share.
std::string_view Stem(std::string_view name) {
  for (const std::string_view suffix : {"_args", "_result", "_request", "_response", "_query"}) {
    if (!name.ends_with(suffix)) continue;
    name.remove_suffix(suffix.size());
    return Stem(name);
  }
  return name;
}

const OneofDescriptor* AnswersOf(Ask::Kind kind) {
  return kind == Ask::Kind::kQuery
             ? pb::InteractionResponse::descriptor()->FindOneofByName("result")
             : pb::ExecClientMessage::descriptor()->FindOneofByName("message");
}

std::string AnswerTo(const std::string& asked, const OneofDescriptor* answers) {
  for (int i = 0; i < answers->field_count(); ++i) {
    if (IsAnswerTo(asked, answers->field(i)->name())) return answers->field(i)->name();
  }
  return "a throw alone";
}

bool IsAbsent(const Json& pattern) { return pattern.is_object() && pattern.contains("$absent"); }

// Checks the member names of a pattern for one result.
absl::Status CheckNames(const Json& pattern, const std::string& asked,
                        const OneofDescriptor* answers) {
  if (!pattern.is_object()) return absl::OkStatus();
  for (const auto& [name, value] : pattern.items()) {
    const FieldDescriptor* field = answers->containing_type()->FindFieldByName(name);
    if (field == nullptr || field->containing_oneof() != answers) continue;
    if (IsAnswerTo(asked, name) || IsAbsent(value)) continue;
    return BadScript(absl::StrCat("expect: ", asked.empty() ? "what no schema knows" : asked,
                                  " is answered by ", AnswerTo(asked, answers), ", never by ",
                                  name));
  }
  return absl::OkStatus();
}

}  // namespace

std::string AskedKind(const Ask& ask) {
  return ask.kind == Ask::Kind::kQuery ? OneofCase(ask.message.interaction_query(), "query")
                                       : OneofCase(ask.message.exec_server_message(), "message");
}

bool IsAnswerTo(std::string_view asked, std::string_view result) {
  return Stem(asked) == Stem(result);
}

absl::Status CheckExpectedKind(const Ask& ask) {
  if (!ask.expect) return absl::OkStatus();
  const std::string asked = AskedKind(ask);
  const OneofDescriptor* answers = AnswersOf(ask.kind);
  if (!ask.expect->is_array()) return CheckNames(*ask.expect, asked, answers);
  if (ask.expect->size() != 1 && asked != kStreamedExec) {
    return BadScript(absl::StrCat("expect: a list of ", ask.expect->size(), ", but only ",
                                  ToAbsl(kStreamedExec), " has several results"));
  }
  for (const Json& pattern : *ask.expect) {
    if (absl::Status status = CheckNames(pattern, asked, answers); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::upstream
