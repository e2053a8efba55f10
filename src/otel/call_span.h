#ifndef CURSORWIRE_SRC_OTEL_CALL_SPAN_H_
#define CURSORWIRE_SRC_OTEL_CALL_SPAN_H_

#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/trace/span.h>
#include <opentelemetry/trace/tracer.h>

#include <string_view>

#include "cursorwire/connect/interceptor.h"
#include "cursorwire/otel_interceptor.h"
#include "otel/call_name.h"
#include "otel/run_facts.h"

namespace cursorwire::otel {

// The span of one call, and what is known of the call. `tracer` may be null: then there is no span.
//
// Order: OnSend() and OnMessage() any number of times, then End() once. Without End(), the span
// ends with the object. Thread-compatible.
class CallSpan {
 public:
  CallSpan(const connect::CallRecord& call, const OtelOptions& options,
           opentelemetry::trace::Tracer* tracer);

  void OnSend(std::string_view message);
  void OnMessage(const connect::CallRecord& call, std::string_view message);
  // `error_type` is empty if the call succeeded.
  void End(const connect::CallRecord& call, std::string_view error_type);

  CallPurpose purpose() const { return purpose_; }
  const RunFacts& facts() const { return facts_; }

 private:
  void SetText(std::string_view name, std::string_view value);
  void SetRequest();
  void SetUsage();
  void SetError(std::string_view error_type);

  const CallPurpose purpose_;
  opentelemetry::nostd::shared_ptr<opentelemetry::trace::Span> span_{};  // may be null
  RunFacts facts_{};
};

}  // namespace cursorwire::otel

#endif  // CURSORWIRE_SRC_OTEL_CALL_SPAN_H_
