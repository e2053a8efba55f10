#include "metrics.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace cursor_gateway {
namespace {

void Begin(std::ostream& out, std::string_view name, std::string_view type, std::string_view help) {
  out << "# HELP cursor_gateway_" << name << " " << help << "\n# TYPE cursor_gateway_" << name
      << " " << type << "\n";
}

void Single(std::ostream& out, std::string_view name, std::string_view type, uint64_t value,
            std::string_view help) {
  Begin(out, name, type, help);
  out << "cursor_gateway_" << name << " " << value << "\n";
}

}  // namespace

void Metrics::CountRequest(std::string_view path, int status) {
  ++requests_[{std::string(path), status}];
}

void Metrics::CountUsage(const cursorwire::Usage& usage) {
  const auto add = [this](const char* kind, const std::optional<int64_t>& tokens) {
    if (tokens && *tokens > 0) tokens_[kind] += static_cast<uint64_t>(*tokens);
  };
  add("input", usage.input_tokens);
  add("output", usage.output_tokens);
  add("cache_read", usage.cache_read_tokens);
  add("cache_write", usage.cache_write_tokens);
  add("reasoning", usage.reasoning_tokens);
}

void Metrics::CountUpstreamError(std::string_view code) { ++upstream_errors_[std::string(code)]; }

void Metrics::RecordFirstToken(std::chrono::milliseconds time) {
  const double seconds = std::chrono::duration<double>(time).count();
  const auto bound = std::find_if(kBounds.begin(), kBounds.end(),
                                  [seconds](double limit) { return seconds <= limit; });
  ++first_tokens_[static_cast<size_t>(bound - kBounds.begin())];
  first_token_sum_ += seconds;
}

std::string Metrics::Text() const {
  std::ostringstream out;
  Begin(out, "requests_total", "counter", "Requests by path and status.");
  for (const auto& [key, count] : requests_) {
    out << "cursor_gateway_requests_total{path=\"" << key.first << "\",status=\"" << key.second
        << "\"} " << count << "\n";
  }
  Begin(out, "tokens_total", "counter", "Tokens that the service counted, by kind.");
  for (const auto& [kind, count] : tokens_) {
    out << "cursor_gateway_tokens_total{kind=\"" << kind << "\"} " << count << "\n";
  }
  Single(out, "runs_active", "gauge", runs_active, "Turns that go on, parked ones too.");
  Single(out, "runs_parked", "gauge", runs_parked, "Turns that wait for results of tools.");
  Single(out, "runs_total", "counter", runs, "Turns that were started.");
  Begin(out, "upstream_errors_total", "counter", "Turns that failed, by code of the service.");
  for (const auto& [code, count] : upstream_errors_) {
    out << "cursor_gateway_upstream_errors_total{code=\"" << code << "\"} " << count << "\n";
  }
  Begin(out, "first_token_seconds", "histogram", "From the request to the first text.");
  uint64_t below = 0;
  for (size_t i = 0; i < kBounds.size(); ++i) {
    below += first_tokens_[i];
    out << "cursor_gateway_first_token_seconds_bucket{le=\"" << kBounds[i] << "\"} " << below
        << "\n";
  }
  below += first_tokens_.back();
  out << "cursor_gateway_first_token_seconds_bucket{le=\"+Inf\"} " << below << "\n"
      << "cursor_gateway_first_token_seconds_sum " << first_token_sum_ << "\n"
      << "cursor_gateway_first_token_seconds_count " << below << "\n";
  Single(out, "cancelled_total", "counter", cancelled, "Turns whose client left.");
  Single(out, "cold_continuations_total", "counter", cold_continuations,
         "Results of tools whose turn was not there any more.");
  Single(out, "state_errors_total", "counter", state_errors,
         "What could not be kept in, or read from, the place of --state.");
  return out.str();
}

}  // namespace cursor_gateway
