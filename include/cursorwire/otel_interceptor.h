// Room: src/otel
#ifndef CURSORWIRE_OTEL_INTERCEPTOR_H_
#define CURSORWIRE_OTEL_INTERCEPTOR_H_

#include <absl/status/status.h>
#include <opentelemetry/metrics/meter_provider.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/trace/provider.h>
#include <opentelemetry/trace/tracer_provider.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/connect/interceptor.h"
#include "cursorwire/export.h"

namespace cursorwire {

// A value. The providers are by default the global ones of the program when the options are made:
// set those first. Null: no spans, or no metrics.
struct OtelOptions {
  opentelemetry::nostd::shared_ptr<opentelemetry::trace::TracerProvider> tracer_provider =
      opentelemetry::trace::Provider::GetTracerProvider();
  opentelemetry::nostd::shared_ptr<opentelemetry::metrics::MeterProvider> meter_provider =
      opentelemetry::metrics::Provider::GetMeterProvider();
  // Host and port that serve the turns, for `server.address` and `server.port`. A call does not
  // know them. Empty and 0: left out.
  std::string server_address{};
  uint16_t server_port = 0;
};

// Makes an OpenTelemetry span of each call, and metrics of turns, by the semantic conventions for
// generative AI. docs/traces.md lists the names. It is a library of its own, cursorwire::otel,
// which exists only where opentelemetry-cpp was found when it was built.
//
//   auto otel = std::make_shared<OtelInterceptor>();
//   auto client = Client::Create({.channel = {.interceptors = {otel}}});
//
// A call of agent.v1.AgentService/Run is one span "chat MODEL"; each retry of a turn is another
// call. Any other call is an RPC span, or a span "HTTP" if it is raw. The parent is the span that
// is active on the thread that starts the call.
//
// Neither spans nor metrics hold a prompt, an answer, a header, a query of a URL, or the text of an
// error.
//
// Threads: those of Interceptor; one object may serve any number of channels. It never throws into
// a call: where memory runs out, a span is missing. Spans of calls that are open when it is
// destroyed end then.
class CURSORWIRE_EXPORT OtelInterceptor final : public connect::Interceptor {
 public:
  explicit OtelInterceptor(OtelOptions options = {});
  ~OtelInterceptor() override;

  absl::Status OnRequest(const connect::CallRecord& call, connect::Headers& headers) override;
  void OnSend(const connect::CallRecord& call, std::string_view message) override;
  void OnMessage(const connect::CallRecord& call, std::string_view message) override;
  void OnEnd(const connect::CallRecord& call, const connect::CallEnd& end) override;

 private:
  class CURSORWIRE_HIDDEN Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_OTEL_INTERCEPTOR_H_
