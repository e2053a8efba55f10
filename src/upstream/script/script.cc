#include "cursorwire/script.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire {
namespace {

std::string Quoted(std::string_view text) {
  std::string json;
  wire::AppendJsonString(text, json);
  return json;
}

std::string HexObject(std::string_view bytes) {
  return absl::StrCat(R"({"hex":")", absl::BytesToHexString(ToAbsl(bytes)), R"("})");
}

// The JSON of a step that has these members.
std::string StepObject(const Script::Members& members) {
  std::string json = "{";
  for (const auto& [name, value] : members) {
    absl::StrAppend(&json, json.size() > 1 ? "," : "", Quoted(name), ":", value);
  }
  return json + "}";
}

std::string DetailObject(const ScriptErrorDetail& detail) {
  const auto text = [](bool value) { return value ? "true" : "false"; };
  std::string json =
      absl::StrCat(R"({"title":)", Quoted(detail.title), R"(,"detail":)", Quoted(detail.detail),
                   R"(,"is_retryable":)", text(detail.is_retryable), R"(,"padded":)",
                   text(detail.padded), R"(,"debug":)", text(detail.debug));
  if (!detail.error.empty()) absl::StrAppend(&json, R"(,"error":)", Quoted(detail.error));
  return json + "}";
}

}  // namespace

Script& Script::Name(std::string_view name) {
  name_ = name;
  return *this;
}

Script& Script::WhenPrompt(std::string_view json) {
  when_prompt_ = json;
  return *this;
}

Script& Script::Step(std::string_view name, std::string_view json) {
  steps_.push_back({{std::string(name), std::string(json)}});
  return *this;
}

Script& Script::With(std::string_view name, std::string_view json) {
  if (steps_.empty()) steps_.emplace_back();  // a misuse: becomes a step without a name
  steps_.back().emplace_back(std::string(name), std::string(json));
  return *this;
}

Script& Script::Text(std::string_view text) { return Step("text", Quoted(text)); }
Script& Script::Thinking(std::string_view text) { return Step("thinking", Quoted(text)); }
Script& Script::Tokens(int count) { return Step("tokens", std::to_string(count)); }
Script& Script::Heartbeat() { return Step("heartbeat", "{}"); }
Script& Script::ToolCallPartial(std::string_view json) { return Step("tool_call_partial", json); }
Script& Script::ToolCallStarted(std::string_view json) { return Step("tool_call_started", json); }
Script& Script::ToolCallCompleted(std::string_view json) {
  return Step("tool_call_completed", json);
}
Script& Script::TurnEnded(std::string_view usage_json) { return Step("turn_ended", usage_json); }
Script& Script::Update(std::string_view json) { return Step("update", json); }
Script& Script::Message(std::string_view json) { return Step("message", json); }
Script& Script::Checkpoint(std::string_view state_json) {
  return Step("checkpoint", absl::StrCat(R"({"state":)", ToAbsl(state_json), "}"));
}
Script& Script::CheckpointBytes(std::string_view bytes) {
  return Step("checkpoint", HexObject(bytes));
}
Script& Script::CheckpointOfRequest(int more_turns) {
  return Step("checkpoint", absl::StrCat(R"({"request_state":{"add_turns":)", more_turns, "}}"));
}

Script& Script::CallTool(std::string_view name, std::string_view arguments_json) {
  return Step("call_tool", absl::StrCat(R"({"name":)", Quoted(name), R"(,"arguments":)",
                                        ToAbsl(arguments_json), "}"));
}
Script& Script::Exec(std::string_view json) { return Step("exec", json); }
Script& Script::Query(std::string_view json) { return Step("query", json); }
Script& Script::GetBlob(std::string_view id_hex) {
  return Step("get_blob", absl::StrCat(R"({"id":)", Quoted(id_hex), "}"));
}
Script& Script::GetRootPromptBlob(int index) {
  return Step("get_blob", absl::StrCat(R"({"root_prompt":)", index, "}"));
}
Script& Script::SetBlob(std::string_view bytes) { return Step("set_blob", HexObject(bytes)); }
Script& Script::SetBlob(std::string_view bytes, std::string_view id_hex) {
  return Step("set_blob", absl::StrCat(R"({"id":)", Quoted(id_hex), R"(,"hex":")",
                                       absl::BytesToHexString(ToAbsl(bytes)), R"("})"));
}
Script& Script::Parallel(const Script& asks) {
  std::string json = "[";
  for (const Members& step : asks.steps_) {
    absl::StrAppend(&json, json.size() > 1 ? "," : "", StepObject(step));
  }
  return Step("parallel", json + "]");
}
Script& Script::AwaitAll() { return Step("await_all", "{}"); }

Script& Script::Expect(std::string_view json) { return With("expect", json); }
Script& Script::ExpectToolResult(std::string_view json) {
  return With("expect", absl::StrCat(R"({"mcp_result":)", ToAbsl(json), "}"));
}
Script& Script::ExpectThrow(std::string_view json) { return With("expect_throw", json); }
Script& Script::NoAwait() { return With("await", "false"); }
Script& Script::Within(std::chrono::milliseconds time) {
  return With("within_ms", std::to_string(time.count()));
}
Script& Script::Gzip() { return With("gzip", "true"); }
Script& Script::Flags(uint8_t flags) { return With("flags", std::to_string(flags)); }
Script& Script::UnknownField(uint32_t number, std::string_view bytes) {
  return With("unknown_field", absl::StrCat(R"({"number":)", number, R"(,"hex":")",
                                            absl::BytesToHexString(ToAbsl(bytes)), R"("})"));
}

Script& Script::ExpectRequest(std::string_view json) { return Step("expect_request", json); }
Script& Script::ExpectHeaders(std::string_view json) { return Step("expect_headers", json); }
Script& Script::ExpectMessage(std::string_view json) { return Step("expect_message", json); }
Script& Script::ExpectCancel() { return Step("expect_cancel", "{}"); }
Script& Script::ExpectHalfClose() { return Step("expect_half_close", "{}"); }
Script& Script::ExpectDisconnect() { return Step("expect_disconnect", "{}"); }

Script& Script::EndStream() { return Step("end_stream", "{}"); }
Script& Script::EndStreamRaw(std::string_view payload) {
  return Step("end_stream", HexObject(payload));
}
Script& Script::Error(std::string_view code, std::string_view message,
                      const std::vector<ScriptErrorDetail>& details) {
  std::string list;
  for (const ScriptErrorDetail& detail : details) {
    absl::StrAppend(&list, list.empty() ? "" : ",", DetailObject(detail));
  }
  return Step("error", absl::StrCat(R"({"code":)", Quoted(code), R"(,"message":)", Quoted(message),
                                    R"(,"details":[)", list, "]}"));
}

Script& Script::Wait(std::chrono::milliseconds time) {
  return Step("wait", std::to_string(time.count()));
}
Script& Script::ResponseHeaders(std::string_view json) { return Step("response_headers", json); }
Script& Script::HttpStatus(int status, std::string_view body, std::string_view content_type) {
  return Step("http_status", absl::StrCat(R"({"status":)", status, R"(,"headers":{"content-type":)",
                                          Quoted(content_type), R"(},"hex":")",
                                          absl::BytesToHexString(ToAbsl(body)), R"("})"));
}
Script& Script::Envelope(uint8_t flags, std::string_view payload) {
  return Step("envelope", absl::StrCat(R"({"flags":)", static_cast<int>(flags), R"(,"hex":")",
                                       absl::BytesToHexString(ToAbsl(payload)), R"("})"));
}
Script& Script::Envelope(uint8_t flags, std::string_view payload, uint32_t declared_length) {
  return Step("envelope", absl::StrCat(R"({"flags":)", static_cast<int>(flags), R"(,"length":)",
                                       declared_length, R"(,"hex":")",
                                       absl::BytesToHexString(ToAbsl(payload)), R"("})"));
}
Script& Script::RawBody(std::string_view bytes) { return Step("raw_body", HexObject(bytes)); }
Script& Script::RawConnection(std::string_view bytes) {
  return Step("raw_connection", HexObject(bytes));
}
Script& Script::Split(size_t bytes) { return Step("split", std::to_string(bytes)); }
Script& Script::Finish() { return Step("finish", "{}"); }
Script& Script::Reset(std::string_view code_name) { return Step("reset", Quoted(code_name)); }
Script& Script::GoAway(std::string_view code_name) {
  return Step("goaway", absl::StrCat(R"({"code":)", Quoted(code_name), "}"));
}
Script& Script::GoAwayBefore(std::string_view code_name) {
  return Step("goaway", absl::StrCat(R"({"last_stream":"before","code":)", Quoted(code_name), "}"));
}
Script& Script::Drop() { return Step("drop", "{}"); }
Script& Script::DropReset() { return Step("drop", R"({"reset":true})"); }
Script& Script::Stall() { return Step("stall", "{}"); }

}  // namespace cursorwire
