#include "otel/turn_metrics.h"

#include <opentelemetry/context/context.h>

#include <chrono>
#include <optional>
#include <vector>

#include "otel/attribute.h"

namespace cursorwire::otel {
namespace {

using opentelemetry::context::Context;

// Views into both arguments.
std::vector<Attribute> CommonAttributes(const OtelOptions& options, const RunFacts& facts) {
  std::vector<Attribute> attributes = {{"gen_ai.operation.name", ToOtel("chat")},
                                       {"gen_ai.provider.name", ToOtel("cursor")}};
  if (!facts.model.empty()) attributes.emplace_back("gen_ai.request.model", ToOtel(facts.model));
  if (options.server_address.empty()) return attributes;
  attributes.emplace_back("server.address", ToOtel(options.server_address));
  if (options.server_port != 0) {
    attributes.emplace_back("server.port", int64_t{options.server_port});
  }
  return attributes;
}

}  // namespace

TurnMetrics::TurnMetrics(const OtelOptions& options, opentelemetry::metrics::Meter& meter)
    : options_(options),
      duration_(meter.CreateDoubleHistogram("gen_ai.client.operation.duration",
                                            "Time from the start of a turn to its end", "s")),
      tokens_(meter.CreateUInt64Histogram("gen_ai.client.token.usage",
                                          "Tokens that a turn has used", "{token}")) {}

void TurnMetrics::Record(const connect::CallRecord& call, const RunFacts& facts,
                         std::string_view error_type) const {
  std::vector<Attribute> attributes = CommonAttributes(options_, facts);
  const auto record_tokens = [&](std::string_view type, std::optional<int64_t> count) {
    if (!count) return;
    attributes.emplace_back("gen_ai.token.type", ToOtel(type));
    tokens_->Record(static_cast<uint64_t>(*count), attributes, Context{});
    attributes.pop_back();
  };
  record_tokens("input", facts.input_tokens);
  record_tokens("output", facts.output_tokens);
  if (!error_type.empty()) attributes.emplace_back("error.type", ToOtel(error_type));
  const std::chrono::duration<double> time = call.end - call.start;
  duration_->Record(time.count(), attributes, Context{});
}

}  // namespace cursorwire::otel
