#include "upstream/script_json.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <utility>

#include "agent/sha256.h"
#include "agent/v1/conversation.pb.h"
#include "base/error.h"
#include "base/strings.h"
#include "upstream/gzip.h"
#include "upstream/json_fields.h"
#include "upstream/server_error.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using What = ScriptStep::What;

absl::Status Bad(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument, what);
}

// What stands beside the name of a step in its object.
struct Modifiers {
  Packing packing{};
  std::optional<Json> unknown_field{};
  std::optional<Json> expect{};
  std::optional<Json> expect_throw{};
  std::optional<std::chrono::milliseconds> within{};
  bool await = true;
};

struct StepInput {
  const Json& value;
  const Modifiers& modifiers;
  std::string name{};
  size_t number = 0;  // of the step, from 1
};

// Which modifiers a step takes.
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

// --- messages

absl::Status ReadMessage(const Json& json, std::string_view where,
                         google::protobuf::Message& message) {
  const google::protobuf::LogSilencer silencer;
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto status = google::protobuf::util::JsonStringToMessage(text, &message);
  if (status.ok()) return absl::OkStatus();
  return Bad(absl::StrCat(ToAbsl(where), " is no ", message.GetDescriptor()->full_name(), ": ",
                          std::string(status.message())));
}

absl::Status AddUnknownField(const Json& json, google::protobuf::Message& message) {
  JsonFields fields(json, "unknown_field");
  const auto number = fields.Integer("number", 1, (1 << 29) - 1);
  const auto varint = fields.Integer("varint", 0, std::numeric_limits<int64_t>::max());
  const std::optional<std::string> bytes = fields.Bytes();
  if (!number) fields.Fail("wants a number");
  if (varint.has_value() == bytes.has_value()) {
    fields.Fail("wants one of text, hex, base64 and varint");
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  google::protobuf::UnknownFieldSet* unknown =
      message.GetReflection()->MutableUnknownFields(&message);
  if (varint) {
    unknown->AddVarint(static_cast<int>(*number), static_cast<uint64_t>(*varint));
  } else {
    unknown->AddLengthDelimited(static_cast<int>(*number), *bytes);
  }
  return absl::OkStatus();
}

// `inner`, a part of the message, gets the unknown field.
absl::StatusOr<What> FinishSay(Say&& say, const StepInput& in, google::protobuf::Message& inner) {
  say.packing = in.modifiers.packing;
  if (in.modifiers.unknown_field) {
    if (absl::Status status = AddUnknownField(*in.modifiers.unknown_field, inner); !status.ok()) {
      return status;
    }
  }
  return What(std::move(say));
}

absl::StatusOr<What> FinishUpdate(Say&& say, const StepInput& in) {
  pb::InteractionUpdate& update = *say.message.mutable_interaction_update();
  return FinishSay(std::move(say), in, update);
}

absl::StatusOr<What> ReadUpdate(const StepInput& in) {
  Say say;
  absl::Status status = ReadMessage(in.value, in.name, *say.message.mutable_interaction_update());
  if (!status.ok()) return status;
  return FinishUpdate(std::move(say), in);
}

// A step that is named like its update.
absl::StatusOr<What> ReadNamedUpdate(const StepInput& in, const std::string& field) {
  Say say;
  const Json update = Json::object({{field, in.value}});
  absl::Status status = ReadMessage(update, in.name, *say.message.mutable_interaction_update());
  if (!status.ok()) return status;
  return FinishUpdate(std::move(say), in);
}

absl::StatusOr<What> ReadSameUpdate(const StepInput& in) { return ReadNamedUpdate(in, in.name); }
absl::StatusOr<What> ReadPartial(const StepInput& in) {
  return ReadNamedUpdate(in, "partial_tool_call");
}

absl::StatusOr<What> ReadText(const StepInput& in) {
  if (!in.value.is_string()) return Bad(in.name + " must be a string");
  Say say;
  pb::InteractionUpdate& update = *say.message.mutable_interaction_update();
  const auto text = in.value.get<std::string>();
  if (in.name == "text") {
    update.mutable_text_delta()->set_text(text);
  } else {
    update.mutable_thinking_delta()->set_text(text);
  }
  return FinishUpdate(std::move(say), in);
}

absl::StatusOr<What> ReadTokens(const StepInput& in) {
  if (!in.value.is_number_integer()) return Bad("tokens must be an integer");
  return ReadNamedUpdate({Json::object({{"tokens", in.value}}), in.modifiers, in.name, in.number},
                         "token_delta");
}

absl::StatusOr<What> ReadAnyMessage(const StepInput& in) {
  Say say;
  if (absl::Status status = ReadMessage(in.value, in.name, say.message); !status.ok()) {
    return status;
  }
  pb::AgentServerMessage& message = say.message;
  return FinishSay(std::move(say), in, message);
}

absl::StatusOr<What> ReadCheckpoint(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const Json* state = fields.Find("state");
  const Json* of_request = fields.Find("request_state");
  std::optional<std::string> bytes = fields.Bytes();
  const int forms = (state != nullptr) + (of_request != nullptr) + bytes.has_value();
  if (forms != 1) fields.Fail("wants one of state, request_state, text, hex and base64");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  if (of_request != nullptr) {
    if (in.modifiers.unknown_field) return Bad("unknown_field goes with no request_state");
    JsonFields inner(*of_request, in.name + ".request_state");
    const int64_t turns = inner.Integer("add_turns", 0, 10'000).value_or(0);
    if (absl::Status status = inner.Finish(); !status.ok()) return status;
    return What(SayRequestState{static_cast<int>(turns), in.modifiers.packing});
  }
  if (state != nullptr) {
    pb::ConversationStateStructure message;
    absl::Status status = ReadMessage(*state, in.name + ".state", message);
    if (!status.ok()) return status;
    bytes = message.SerializeAsString();
  }
  Say say;
  say.message.set_conversation_checkpoint_update(*std::move(bytes));
  pb::AgentServerMessage& message = say.message;
  return FinishSay(std::move(say), in, message);
}

// --- what is answered

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
  if (ask.expect && ask.expect_throw) return Bad("expect and expect_throw exclude each other");
  absl::Status status = CheckExpectation(ask.expect, "expect", answer);
  if (status.ok()) {
    status = CheckExpectation(ask.expect_throw, "expect_throw", pb::ExecClientThrow::descriptor());
  }
  if (status.ok() && in.modifiers.unknown_field) {
    status = AddUnknownField(*in.modifiers.unknown_field, inner);
  }
  if (!status.ok()) return status;
  AskAll all;
  all.asks.push_back(std::move(ask));
  return What(std::move(all));
}

absl::StatusOr<What> ReadExec(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kExec};
  pb::ExecServerMessage& exec = *ask.message.mutable_exec_server_message();
  if (absl::Status status = ReadMessage(in.value, in.name, exec); !status.ok()) return status;
  ask.has_id = in.value.contains("id");
  return FinishAsk(std::move(ask), in, exec, pb::ExecClientMessage::descriptor());
}

absl::StatusOr<What> ReadCallTool(const StepInput& in) {
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
  return ReadExec({Json::object({{"mcp_args", mcp}}), in.modifiers, in.name, in.number});
}

absl::StatusOr<What> ReadQuery(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kQuery};
  pb::InteractionQuery& query = *ask.message.mutable_interaction_query();
  if (absl::Status status = ReadMessage(in.value, in.name, query); !status.ok()) return status;
  ask.has_id = in.value.contains("id");
  return FinishAsk(std::move(ask), in, query, pb::InteractionResponse::descriptor());
}

std::string ReadBlobId(JsonFields& fields) {
  const std::string hex = fields.String("id", "");
  const bool good =
      hex.size() % 2 == 0 && hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!good) fields.Fail("wants an id of pairs of hex digits");
  return good ? absl::HexStringToBytes(hex) : "";
}

// An expectation that has a word of its own.
void ReplaceWord(std::optional<Json>& expect, const char* word, const Json& pattern) {
  if (expect && *expect == word) expect = pattern;
}

Json Absent(const char* field) { return {{field, {{"$absent", true}}}}; }
Json Present(const char* field) { return {{field, {{"$any", true}}}}; }

absl::StatusOr<What> ReadGetBlob(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kGetBlob};
  JsonFields fields(in.value, in.name);
  const bool has_id = fields.Has("id");
  pb::KvServerMessage& kv = *ask.message.mutable_kv_server_message();
  kv.mutable_get_blob_args()->set_blob_id(ReadBlobId(fields));
  if (const auto index = fields.Integer("root_prompt", 0, kMaxInteger)) {
    ask.root_prompt = static_cast<size_t>(*index);
  }
  if (const auto id = fields.Integer("kv_id", 0, kMaxInteger)) {
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

absl::StatusOr<What> ReadSetBlob(const StepInput& in) {
  Ask ask{.kind = Ask::Kind::kSetBlob};
  JsonFields fields(in.value, in.name);
  const bool has_id = fields.Has("id");
  const std::string id = ReadBlobId(fields);
  const std::string bytes = fields.RequiredBytes();
  const std::string right_id = agent::Sha256(bytes);
  pb::KvServerMessage& kv = *ask.message.mutable_kv_server_message();
  if (const auto kv_id = fields.Integer("kv_id", 0, kMaxInteger)) {
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

absl::StatusOr<ScriptStep> CompileStep(const Json& object, size_t number);

absl::StatusOr<What> ReadParallel(const StepInput& in) {
  if (!in.value.is_array() || in.value.empty()) {
    return Bad("parallel must be a list of steps that ask");
  }
  AskAll all;
  for (size_t i = 0; i < in.value.size(); ++i) {
    const std::string where = absl::StrCat("parallel[", i, "]");
    absl::StatusOr<ScriptStep> step = CompileStep(in.value[i], in.number);
    if (!step.ok()) return Annotate(step.status(), where);
    auto* inner = std::get_if<AskAll>(&step->what);
    if (inner == nullptr || step->name == "parallel") {
      return Bad(absl::StrCat(where, ": ", step->name, " asks nothing"));
    }
    all.asks.push_back(std::move(inner->asks.front()));
  }
  return What(std::move(all));
}

// --- what the client must do

absl::Status CheckEmpty(const StepInput& in) { return JsonFields(in.value, in.name).Finish(); }

template <typename T>
absl::StatusOr<What> ReadEmpty(const StepInput& in) {
  if (absl::Status status = CheckEmpty(in); !status.ok()) return status;
  return What(T{});
}

absl::StatusOr<What> ReadExpectRequest(const StepInput& in) {
  absl::Status status = CheckPattern(in.value, pb::AgentRunRequest::descriptor());
  if (!status.ok()) return status;
  return What(ExpectRequest{in.value});
}

absl::StatusOr<What> ReadExpectHeaders(const StepInput& in) {
  if (!in.value.is_object()) return Bad("expect_headers must be an object");
  if (absl::Status status = CheckPattern(in.value, nullptr); !status.ok()) return status;
  return What(ExpectHeaders{in.value});
}

absl::StatusOr<What> ReadExpectMessage(const StepInput& in) {
  absl::Status status = CheckPattern(in.value, pb::AgentClientMessage::descriptor());
  if (!status.ok()) return status;
  return What(ExpectMessage{in.value});
}

absl::StatusOr<What> ReadWait(const StepInput& in) {
  if (!in.value.is_number_unsigned() || in.value > kMaxInteger) {
    return Bad("wait must be a number of milliseconds");
  }
  return What(Wait{std::chrono::milliseconds(in.value.get<int64_t>())});
}

// --- ends and bytes

absl::StatusOr<std::string> ReadDetail(const Json& json, const std::string& where) {
  JsonFields fields(json, where);
  if (const Json* raw = fields.Find("raw")) {
    if (absl::Status status = fields.Finish(); !status.ok()) return status;
    return raw->dump();
  }
  ServerErrorDetail detail{.title = fields.String("title", ""),
                           .detail = fields.String("detail", ""),
                           .is_retryable = fields.Bool("is_retryable"),
                           .is_expected = fields.Bool("is_expected"),
                           .padded = fields.Bool("padded").value_or(false),
                           .with_value = fields.Bool("value").value_or(true),
                           .with_debug = fields.Bool("debug").value_or(false)};
  if (const Json* error = fields.Find("error"); error != nullptr && error->is_string()) {
    detail.error_name = error->get<std::string>();
    const std::optional<uint32_t> number = ErrorNumber(detail.error_name);
    if (!number) fields.Fail(absl::StrCat("has no error ", detail.error_name));
    detail.error = number.value_or(0);
  } else if (error != nullptr) {
    detail.error = static_cast<uint32_t>(fields.Integer("error", 0, kMaxInteger).value_or(0));
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return DetailJson(detail);
}

// A Connect error object.
absl::StatusOr<std::string> ReadErrorJson(const Json& json, const std::string& where) {
  JsonFields fields(json, where);
  const std::string code = fields.RequiredString("code");
  const std::string message = fields.String("message", "Error");
  std::vector<std::string> details;
  if (const Json* list = fields.Find("details")) {
    if (!list->is_array()) fields.Fail("wants a list as details");
    for (size_t i = 0; list->is_array() && i < list->size(); ++i) {
      absl::StatusOr<std::string> detail =
          ReadDetail((*list)[i], absl::StrCat(where, ".details[", i, "]"));
      if (!detail.ok()) return detail.status();
      details.push_back(*std::move(detail));
    }
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return ErrorJson(code, message, details);
}

What EndStreamStep(std::string_view payload) {
  SendBody body{.bytes = {}, .ends_stream = true};
  // It fails above four gigabytes alone.
  (void)wire::AppendEnvelope(wire::kEnvelopeEndStream, payload, body.bytes);
  return body;
}

absl::StatusOr<What> ReadError(const StepInput& in) {
  const absl::StatusOr<std::string> error = ReadErrorJson(in.value, in.name);
  if (!error.ok()) return error.status();
  return EndStreamStep(absl::StrCat(R"({"error":)", *error, "}"));
}

absl::StatusOr<What> ReadEndStream(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  std::optional<std::string> payload = fields.Bytes();
  const Json* json = fields.Find("json");
  if (json != nullptr && payload) fields.Fail("has more than one payload");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  if (json != nullptr) payload = json->dump();
  return EndStreamStep(payload.value_or("{}"));
}

absl::StatusOr<What> ReadEnvelope(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const int64_t flags = fields.Integer("flags", 0, 255).value_or(0);
  const std::string payload = fields.Bytes().value_or("");
  const auto length = fields.Integer("length", 0, std::numeric_limits<uint32_t>::max());
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  SendBody body{.bytes = {}, .ends_stream = (flags & wire::kEnvelopeEndStream) != 0};
  (void)wire::AppendEnvelope(static_cast<uint8_t>(flags), payload, body.bytes);
  for (size_t i = 0; length && i < 4; ++i) {
    body.bytes[1 + i] = static_cast<char>(*length >> (8 * (3 - i)) & 0xFF);
  }
  return What(std::move(body));
}

absl::StatusOr<What> ReadRawBody(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  SendBody body{.bytes = fields.RequiredBytes(), .ends_stream = false};
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(std::move(body));
}

absl::StatusOr<What> ReadRawConnection(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  SendConnectionBytes connection{fields.RequiredBytes()};
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(std::move(connection));
}

absl::StatusOr<connect::Headers> ReadHeaders(const Json& json, const std::string& where) {
  connect::Headers headers;
  if (!json.is_object()) return Bad(where + " must be an object");
  for (const auto& [name, value] : json.items()) {
    const std::vector<Json> values =
        value.is_array() ? value.get<std::vector<Json>>() : std::vector<Json>{value};
    for (const Json& one : values) {
      if (!one.is_string()) return Bad(absl::StrCat(where, ".", name, " must be a string"));
      headers.Add(ToLower(name), one.get<std::string>());
    }
  }
  return headers;
}

absl::StatusOr<What> ReadResponseHeaders(const StepInput& in) {
  absl::StatusOr<connect::Headers> headers = ReadHeaders(in.value, in.name);
  if (!headers.ok()) return headers.status();
  return What(ResponseHeaders{*std::move(headers)});
}

absl::StatusOr<What> ReadHttpStatus(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const auto status_code = fields.Integer("status", 200, 599);
  if (!status_code) fields.Fail("wants a status");
  const Json* error = fields.Find("error");
  const Json* headers_json = fields.Find("headers");
  std::optional<std::string> body = fields.Bytes();
  if (error != nullptr && body) fields.Fail("has more than one body");
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  HttpReply reply;
  reply.headers.Add(":status", std::to_string(*status_code));
  bool has_type = false;
  if (headers_json != nullptr) {
    const absl::StatusOr<connect::Headers> headers =
        ReadHeaders(*headers_json, in.name + ".headers");
    if (!headers.ok()) return headers.status();
    has_type = headers->Get("content-type").has_value();
    for (const connect::Header& header : *headers) reply.headers.Add(header.name, header.value);
  }
  if (error != nullptr) {
    absl::StatusOr<std::string> json = ReadErrorJson(*error, in.name + ".error");
    if (!json.ok()) return json.status();
    body = *std::move(json);
    if (!has_type) reply.headers.Add("content-type", "application/json");
  }
  reply.body = body.value_or("");
  return What(std::move(reply));
}

absl::StatusOr<What> ReadSplit(const StepInput& in) {
  if (!in.value.is_number_unsigned() || in.value > kMaxInteger) {
    return Bad("split must be a number of bytes");
  }
  return What(Split{in.value.get<size_t>()});
}

// The codes of RFC 9113, section 7, in their order.
constexpr std::string_view kHttp2Codes[] = {"NO_ERROR",
                                            "PROTOCOL_ERROR",
                                            "INTERNAL_ERROR",
                                            "FLOW_CONTROL_ERROR",
                                            "SETTINGS_TIMEOUT",
                                            "STREAM_CLOSED",
                                            "FRAME_SIZE_ERROR",
                                            "REFUSED_STREAM",
                                            "CANCEL",
                                            "COMPRESSION_ERROR",
                                            "CONNECT_ERROR",
                                            "ENHANCE_YOUR_CALM",
                                            "INADEQUATE_SECURITY",
                                            "HTTP_1_1_REQUIRED"};

absl::StatusOr<uint32_t> ReadHttp2Code(const Json& json, const std::string& where) {
  if (json.is_number_unsigned() && json <= std::numeric_limits<uint32_t>::max()) {
    return json.get<uint32_t>();
  }
  for (size_t i = 0; json.is_string() && i < std::size(kHttp2Codes); ++i) {
    if (kHttp2Codes[i] == json.get<std::string>()) return static_cast<uint32_t>(i);
  }
  return Bad(absl::StrCat(where, " must be a code of HTTP/2: a number, or a name such as CANCEL"));
}

absl::StatusOr<What> ReadReset(const StepInput& in) {
  const absl::StatusOr<uint32_t> code = ReadHttp2Code(in.value, in.name);
  if (!code.ok()) return code.status();
  return What(ResetStream{*code});
}

absl::StatusOr<What> ReadGoAway(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  SendGoAway goaway{.debug_data = fields.String("debug", "")};
  if (const Json* code = fields.Find("code")) {
    const absl::StatusOr<uint32_t> number = ReadHttp2Code(*code, in.name + ".code");
    if (!number.ok()) return number.status();
    goaway.http2_code = *number;
  }
  const Json* last = fields.Find("last_stream");
  if (last != nullptr && *last == "before") {
    goaway.last_stream = SendGoAway::LastStream::kBefore;
  } else if (last != nullptr && *last != "this") {
    goaway.last_stream = SendGoAway::LastStream::kNumber;
    goaway.number = static_cast<int32_t>(fields.Integer("last_stream", 0, kMaxInteger).value_or(0));
  }
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(std::move(goaway));
}

absl::StatusOr<What> ReadDrop(const StepInput& in) {
  JsonFields fields(in.value, in.name);
  const Drop drop{fields.Bool("reset").value_or(false)};
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return What(drop);
}

// --- the table of steps

struct StepRule {
  std::string_view name;
  unsigned modifiers;
  absl::StatusOr<What> (*read)(const StepInput&);
};
constexpr StepRule kSteps[] = {
    {"text", kPacks, ReadText},
    {"thinking", kPacks, ReadText},
    {"tokens", kPacks, ReadTokens},
    {"heartbeat", kPacks, ReadSameUpdate},
    {"tool_call_partial", kPacks, ReadPartial},
    {"tool_call_started", kPacks, ReadSameUpdate},
    {"tool_call_completed", kPacks, ReadSameUpdate},
    {"turn_ended", kPacks, ReadSameUpdate},
    {"update", kPacks, ReadUpdate},
    {"message", kPacks, ReadAnyMessage},
    {"checkpoint", kPacks, ReadCheckpoint},
    {"exec", kPacks | kAsks | kThrows | kWaits, ReadExec},
    {"call_tool", kPacks | kAsks | kThrows | kWaits, ReadCallTool},
    {"query", kPacks | kAsks | kWaits, ReadQuery},
    {"get_blob", kPacks | kAsks | kWaits, ReadGetBlob},
    {"set_blob", kPacks | kAsks | kWaits, ReadSetBlob},
    {"parallel", kWaits, ReadParallel},
    {"await_all", kWaits, ReadEmpty<AwaitAll>},
    {"expect_request", 0, ReadExpectRequest},
    {"expect_headers", 0, ReadExpectHeaders},
    {"expect_message", kWaits, ReadExpectMessage},
    {"expect_cancel", kWaits, ReadEmpty<ExpectCancel>},
    {"expect_half_close", kWaits, ReadEmpty<ExpectHalfClose>},
    {"expect_disconnect", kWaits, ReadEmpty<ExpectDisconnect>},
    {"wait", 0, ReadWait},
    {"end_stream", 0, ReadEndStream},
    {"error", 0, ReadError},
    {"response_headers", 0, ReadResponseHeaders},
    {"http_status", 0, ReadHttpStatus},
    {"envelope", 0, ReadEnvelope},
    {"raw_body", 0, ReadRawBody},
    {"raw_connection", 0, ReadRawConnection},
    {"split", 0, ReadSplit},
    {"finish", 0, ReadEmpty<FinishBody>},
    {"reset", 0, ReadReset},
    {"goaway", 0, ReadGoAway},
    {"drop", 0, ReadDrop},
    {"stall", 0, ReadEmpty<Stall>},
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

// The one member that is no modifier.
absl::StatusOr<const StepRule*> FindStepOf(const Json& object) {
  if (!object.is_object()) return Bad("a step must be an object");
  const StepRule* step = nullptr;
  for (const auto& [name, value] : object.items()) {
    if (FindModifier(name) != nullptr) continue;
    const StepRule* rule = FindStep(name);
    if (rule == nullptr) return Bad(absl::StrCat("there is no step '", name, "'"));
    if (step != nullptr) {
      return Bad(absl::StrCat("two steps in one object: ", ToAbsl(step->name), " and ", name));
    }
    step = rule;
  }
  if (step == nullptr) return Bad("the name of a step is missing");
  return step;
}

absl::StatusOr<Modifiers> ReadModifiers(const Json& object, const StepRule& step) {
  JsonFields fields(object, std::string(step.name));
  (void)fields.Find(step.name);
  for (const ModifierRule& rule : kModifiers) {
    if (fields.Has(rule.name) && (step.modifiers & rule.needs) != rule.needs) {
      return Bad(absl::StrCat(ToAbsl(step.name), " takes no ", ToAbsl(rule.name)));
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

// --- scripts

absl::StatusOr<Json> JoinMembers(const Script::Members& members) {
  Json object = Json::object();
  for (const auto& [name, text] : members) {
    Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) return Bad(name + " is not JSON");
    if (object.contains(name)) return Bad(name + " is there twice");
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

// Steps that nothing, or no more of the body, can follow.
absl::Status CheckOrder(const ScriptStep& before, const ScriptStep& step, bool headers_sent) {
  const auto follows = [&] {
    return Bad(absl::StrCat("nothing of the kind can follow ", before.name));
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
  if (headers_sent && SendsHeaders(step.what)) return Bad("the headers are sent already");
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
    if (pattern.is_discarded()) return Bad("when.prompt is not JSON");
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
