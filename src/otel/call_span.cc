#include "otel/call_span.h"

#include <absl/strings/str_cat.h>
#include <opentelemetry/common/timestamp.h>
#include <opentelemetry/trace/span_metadata.h>
#include <opentelemetry/trace/span_startoptions.h>

#include <chrono>

#include "base/strings.h"
#include "otel/attribute.h"

namespace cursorwire::otel {
namespace {

namespace api = opentelemetry;
using SpanPtr = api::nostd::shared_ptr<api::trace::Span>;
using std::chrono::duration_cast;
using std::chrono::steady_clock;
using std::chrono::system_clock;

// The call began when it was started, not when the interceptors before this one were done.
api::trace::StartSpanOptions StartOf(const connect::CallRecord& call) {
  const auto age = duration_cast<system_clock::duration>(steady_clock::now() - call.start);
  api::trace::StartSpanOptions options;
  options.kind = api::trace::SpanKind::kClient;
  options.start_steady_time = api::common::SteadyTimestamp(call.start);
  options.start_system_time = api::common::SystemTimestamp(system_clock::now() - age);
  return options;
}

SpanPtr StartTurn(const connect::CallRecord& call, api::trace::Tracer& tracer) {
  return tracer.StartSpan("chat",
                          {{"gen_ai.operation.name", ToOtel("chat")},
                           {"gen_ai.provider.name", ToOtel("cursor")},
                           {"gen_ai.system", ToOtel("cursor")}},
                          StartOf(call));
}

SpanPtr StartRpc(const connect::CallRecord& call, const CallName& name,
                 api::trace::Tracer& tracer) {
  return tracer.StartSpan(ToOtel(name.method_path),
                          {{"rpc.system", ToOtel("connect_rpc")},
                           {"rpc.service", ToOtel(name.service)},
                           {"rpc.method", ToOtel(name.method)}},
                          StartOf(call));
}

SpanPtr Start(const connect::CallRecord& call, api::trace::Tracer* tracer) {
  if (tracer == nullptr) return {};
  const CallName name = NameOf(call);
  switch (name.purpose) {
    case CallPurpose::kTurn:
      return StartTurn(call, *tracer);
    case CallPurpose::kRpc:
      return StartRpc(call, name, *tracer);
    case CallPurpose::kHttp:
      break;
  }
  return tracer->StartSpan("HTTP", StartOf(call));
}

}  // namespace

CallSpan::CallSpan(const connect::CallRecord& call, const OtelOptions& options,
                   api::trace::Tracer* tracer)
    : purpose_(NameOf(call).purpose), span_(Start(call, tracer)) {
  if (!span_ || purpose_ != CallPurpose::kTurn || options.server_address.empty()) return;
  SetText("server.address", options.server_address);
  if (options.server_port != 0) {
    span_->SetAttribute("server.port", int64_t{options.server_port});
  }
}

void CallSpan::OnSend(std::string_view message) {
  if (purpose_ != CallPurpose::kTurn) return;
  const bool had_request = facts_.has_request;
  AddSent(message, facts_);
  if (facts_.has_request && !had_request) SetRequest();
}

void CallSpan::OnMessage(const connect::CallRecord& call, std::string_view message) {
  if (purpose_ != CallPurpose::kTurn) return;
  const bool had_text = facts_.has_text;
  AddReceived(message, facts_);
  if (!span_ || had_text || !facts_.has_text) return;
  const std::chrono::duration<double> time = steady_clock::now() - call.start;
  span_->SetAttribute("cursorwire.time_to_first_text", time.count());
}

void CallSpan::End(const connect::CallRecord& call, std::string_view error_type) {
  if (!span_) return;
  if (call.http_status != 0) {
    span_->SetAttribute("http.response.status_code", int64_t{call.http_status});
  }
  SetUsage();
  if (!error_type.empty()) SetError(error_type);
  api::trace::EndSpanOptions options;
  options.end_steady_time = api::common::SteadyTimestamp(call.end);
  span_->End(options);
}

void CallSpan::SetText(std::string_view name, std::string_view value) {
  if (span_ && !value.empty()) span_->SetAttribute(ToOtel(name), ToOtel(value));
}

void CallSpan::SetRequest() {
  SetText("gen_ai.request.model", facts_.model);
  SetText("gen_ai.conversation.id", facts_.conversation_id);
  if (!span_ || facts_.model.empty()) return;
  span_->UpdateName(ToOtel(absl::StrCat("chat ", ToAbsl(facts_.model))));
}

void CallSpan::SetUsage() {
  if (facts_.input_tokens) span_->SetAttribute("gen_ai.usage.input_tokens", *facts_.input_tokens);
  if (facts_.output_tokens) {
    span_->SetAttribute("gen_ai.usage.output_tokens", *facts_.output_tokens);
  }
}

// The message of the error may hold anything, so the code is all that is told.
void CallSpan::SetError(std::string_view error_type) {
  SetText("error.type", error_type);
  if (purpose_ == CallPurpose::kRpc) SetText("rpc.connect_rpc.error_code", error_type);
  span_->SetStatus(api::trace::StatusCode::kError, ToOtel(error_type));
}

}  // namespace cursorwire::otel
