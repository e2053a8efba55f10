#include "upstream/script/ask_steps.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "upstream/script/ask_kind.h"
#include "upstream/script/json_fields.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using What = ScriptStep::What;

absl::Status CheckExpectation(const std::optional<Json>& pattern, std::string_view where,
                              const google::protobuf::Descriptor* type) {
  if (!pattern) return absl::OkStatus();
  return Annotate(CheckPattern(*pattern, type), where);
}

absl::StatusOr<What> FinishAsk(Ask&& ask, const StepInput& in, google::protobuf::Message& inner,
                               const google::protobuf::Descriptor* answer) {
  ask.packing = in.modifiers.packing;
  ask.await = in.modifiers.await;
  if (in.modifiers.expect) ask.expect = in.modifiers.expect;
  ask.expect_throw = in.modifiers.expect_throw;
  if (ask.expect && ask.expect_throw)
    return BadScript("expect and expect_throw exclude each other");
  absl::Status status = CheckExpectation(ask.expect, "expect", answer);
  if (status.ok()) {
    status = CheckExpectation(ask.expect_throw, "expect_throw", pb::ExecClientThrow::descriptor());
  }
  const bool has_kinds = ask.kind == Ask::Kind::kExec || ask.kind == Ask::Kind::kQuery;
  if (status.ok() && has_kinds) status = CheckExpectedKind(ask);
  if (status.ok() && in.modifiers.unknown_field) {
    status = AddUnknownField(*in.modifiers.unknown_field, inner);
  }
  if (!status.ok()) return status;
  AskAll all;
  all.asks.push_back(std::move(ask));
  return What(std::move(all));
}

std::string ReadBlobId(JsonFields& fields) {
  const std::string hex = fields.String("id", "");
  const bool good =
      hex.size() % 2 == 0 && hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!good) fields.Fail("wants an id of pairs of hex digits");
  return good ? absl::HexStringToBytes(hex) : "";
}

// Replaces a word that is shorthand for an expectation.
void ReplaceWord(std::optional<Json>& expect, const char* word, const Json& pattern) {
  if (expect && *expect == word) expect = pattern;
}

Json Absent(const char* field) { return {{field, {{"$absent", true}}}}; }
Json Present(const char* field) { return {{field, {{"$any", true}}}}; }

// Reads the message of a question, in protobuf's JSON mapping or as its bytes. `has_id`: the script
// gives the id, which it always does in bytes.
absl::Status ReadAsked(const StepInput& in, google::protobuf::Message& message, bool& has_id) {
  const bool is_bytes =
      in.value.is_object() &&
      (in.value.contains("text") || in.value.contains("hex") || in.value.contains("base64"));
  if (!is_bytes) {
    has_id = in.value.contains("id");
    return ReadMessage(in.value, in.name, message);
  }
  has_id = true;
  JsonFields fields(in.value, in.name);
  const std::string bytes = fields.RequiredBytes();
  const google::protobuf::LogSilencer silencer;
  if (!message.ParseFromString(bytes)) {
    fields.Fail(absl::StrCat("wants the bytes of ", message.GetDescriptor()->full_name()));
  }
  return fields.Finish();
}

}  // namespace

absl::StatusOr<What> ReadExecStep(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kExec};
  pb::ExecServerMessage& exec = *ask.message.mutable_exec_server_message();
  if (absl::Status status = ReadAsked(in, exec, ask.has_id); !status.ok()) return status;
  return FinishAsk(std::move(ask), in, exec, pb::ExecClientMessage::descriptor());
}

absl::StatusOr<What> ReadCallToolStep(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const std::string name = fields.RequiredString("name");
  const Json* arguments = fields.Find("arguments");
  const std::string call_id =
      fields.String("tool_call_id", ToStd(absl::StrCat("call-", in.number)));
  const std::string provider = fields.String("provider_identifier", "");
  if (arguments != nullptr && !arguments->is_object()) fields.Fail("wants an object as arguments");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  const Json mcp = {{"name", name},
                    {"tool_name", name},
                    {"tool_call_id", call_id},
                    {"provider_identifier", provider},
                    {"args", arguments == nullptr ? Json::object() : *arguments}};
  return ReadExecStep({Json::object({{"mcp_args", mcp}}), in.modifiers, in.name, in.number});
}

absl::StatusOr<What> ReadQueryStep(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kQuery};
  pb::InteractionQuery& query = *ask.message.mutable_interaction_query();
  if (absl::Status status = ReadAsked(in, query, ask.has_id); !status.ok()) return status;
  return FinishAsk(std::move(ask), in, query, pb::InteractionResponse::descriptor());
}

absl::StatusOr<What> ReadGetBlobStep(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kGetBlob};
  JsonFields fields(in.value, in.name);
  const bool has_id = fields.Has("id");
  pb::KvServerMessage& kv = *ask.message.mutable_kv_server_message();
  kv.mutable_get_blob_args()->set_blob_id(ReadBlobId(fields));
  if (const auto index = fields.Integer("root_prompt", 0, kMaxInteger)) {
    ask.root_prompt = static_cast<size_t>(*index);
  }
  if (const auto id = fields.Integer("kv_id", 0, std::numeric_limits<uint32_t>::max())) {
    ask.has_id = true;
    kv.set_id(static_cast<uint32_t>(*id));
  }
  if (has_id == ask.root_prompt.has_value()) fields.Fail("wants one of id and root_prompt");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  Modifiers modifiers = in.modifiers;
  ReplaceWord(modifiers.expect, "miss", Absent("blob_data"));
  return FinishAsk(std::move(ask), {in.value, modifiers, in.name, in.number}, kv,
                   pb::GetBlobResult::descriptor());
}

absl::StatusOr<What> ReadSetBlobStep(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kSetBlob};
  JsonFields fields(in.value, in.name);
  const bool has_id = fields.Has("id");
  const std::string id = ReadBlobId(fields);
  const std::string bytes = fields.RequiredBytes();
  const std::string right_id = Sha256(bytes);
  pb::KvServerMessage& kv = *ask.message.mutable_kv_server_message();
  if (const auto kv_id = fields.Integer("kv_id", 0, std::numeric_limits<uint32_t>::max())) {
    ask.has_id = true;
    kv.set_id(static_cast<uint32_t>(*kv_id));
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  kv.mutable_set_blob_args()->set_blob_id(has_id ? id : right_id);
  kv.mutable_set_blob_args()->set_blob_data(bytes);
  const Json ok = Absent("error");
  const Json error = Present("error");
  Modifiers modifiers = in.modifiers;
  if (!modifiers.expect) modifiers.expect = has_id && id != right_id ? error : ok;
  ReplaceWord(modifiers.expect, "ok", ok);
  ReplaceWord(modifiers.expect, "error", error);
  return FinishAsk(std::move(ask), {in.value, modifiers, in.name, in.number}, kv,
                   pb::SetBlobResult::descriptor());
}

}  // namespace cursorwire::upstream
