#ifndef CURSORWIRE_TESTS_OTEL_RECORDED_TELEMETRY_H_
#define CURSORWIRE_TESTS_OTEL_RECORDED_TELEMETRY_H_

#include <absl/strings/str_cat.h>
#include <opentelemetry/metrics/meter.h>
#include <opentelemetry/metrics/meter_provider.h>
#include <opentelemetry/trace/tracer.h>
#include <opentelemetry/trace/tracer_provider.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/otel_interceptor.h"

namespace cursorwire::test {

namespace api = opentelemetry;

using Attributes = std::map<std::string, std::string>;

struct RecordedSpan {
  std::string name{};
  api::trace::SpanKind kind = api::trace::SpanKind::kInternal;
  Attributes attributes{};
  api::trace::StatusCode status = api::trace::StatusCode::kUnset;
  std::string description{};
  std::chrono::system_clock::time_point start_system{};
  std::chrono::steady_clock::time_point start{};
  std::chrono::steady_clock::time_point end{};
  int ends = 0;
};

struct RecordedValue {
  std::string histogram{};
  std::string unit{};
  double value = 0;
  Attributes attributes{};
};

// What was recorded so far. Thread-safe.
class Records {
 public:
  size_t AddSpan(RecordedSpan span) {
    const std::lock_guard lock(mutex_);
    spans_.push_back(std::move(span));
    return spans_.size() - 1;
  }
  template <typename Change>
  void ChangeSpan(size_t index, Change change) {
    const std::lock_guard lock(mutex_);
    change(spans_[index]);
  }
  void AddValue(RecordedValue value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
  }
  std::vector<RecordedSpan> spans() const {
    const std::lock_guard lock(mutex_);
    return spans_;
  }
  std::vector<RecordedValue> values(const std::string& histogram) const {
    const std::lock_guard lock(mutex_);
    std::vector<RecordedValue> found;
    for (const RecordedValue& value : values_) {
      if (value.histogram == histogram) found.push_back(value);
    }
    return found;
  }
  // Every text of the spans and metrics.
  std::string AllText() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const RecordedSpan& span : spans_) {
      absl::StrAppend(&text, span.name, "\n", span.description, "\n");
      for (const auto& [key, value] : span.attributes)
        absl::StrAppend(&text, key, "=", value, "\n");
    }
    for (const RecordedValue& value : values_) {
      for (const auto& [key, text_of] : value.attributes) {
        absl::StrAppend(&text, key, "=", text_of, "\n");
      }
    }
    return text;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<RecordedSpan> spans_{};
  std::vector<RecordedValue> values_{};
};

inline std::string TextOf(const api::common::AttributeValue& value) {
  if (const auto* text = std::get_if<api::nostd::string_view>(&value)) return std::string(*text);
  if (const auto* number = std::get_if<int64_t>(&value)) return absl::StrCat(*number);
  if (const auto* number = std::get_if<double>(&value)) return absl::StrCat(*number);
  return absl::StrCat("a value of alternative ", value.index());
}

inline Attributes AttributesOf(const api::common::KeyValueIterable& pairs) {
  Attributes attributes;
  pairs.ForEachKeyValue([&](api::nostd::string_view key, api::common::AttributeValue value) {
    attributes[std::string(key)] = TextOf(value);
    return true;
  });
  return attributes;
}

class RecordingSpan final : public api::trace::Span {
 public:
  RecordingSpan(std::shared_ptr<Records> records, RecordedSpan span)
      : records_(std::move(records)), index_(records_->AddSpan(std::move(span))) {}
  ~RecordingSpan() override {
    records_->ChangeSpan(index_, [](RecordedSpan& span) {
      if (span.ends == 0) ++span.ends;
    });
  }

  void SetAttribute(api::nostd::string_view key,
                    const api::common::AttributeValue& value) noexcept override {
    records_->ChangeSpan(
        index_, [&](RecordedSpan& span) { span.attributes[std::string(key)] = TextOf(value); });
  }
  void SetStatus(api::trace::StatusCode code,
                 api::nostd::string_view description) noexcept override {
    records_->ChangeSpan(index_, [&](RecordedSpan& span) {
      span.status = code;
      span.description = std::string(description);
    });
  }
  void UpdateName(api::nostd::string_view name) noexcept override {
    records_->ChangeSpan(index_, [&](RecordedSpan& span) { span.name = std::string(name); });
  }
  void End(const api::trace::EndSpanOptions& options) noexcept override {
    records_->ChangeSpan(index_, [&](RecordedSpan& span) {
      span.end = options.end_steady_time;
      ++span.ends;
    });
  }
  bool IsRecording() const noexcept override { return true; }

 private:
  const std::shared_ptr<Records> records_;
  const size_t index_;
};

class RecordingTracer final : public api::trace::Tracer {
 public:
  explicit RecordingTracer(std::shared_ptr<Records> records) : records_(std::move(records)) {}

  api::nostd::shared_ptr<api::trace::Span> StartSpan(
      api::nostd::string_view name, const api::common::KeyValueIterable& attributes,
      const api::trace::StartSpanOptions& options) noexcept override {
    return api::nostd::shared_ptr<api::trace::Span>(
        new RecordingSpan(records_, {.name = std::string(name),
                                     .kind = options.kind,
                                     .attributes = AttributesOf(attributes),
                                     .start_system = options.start_system_time,
                                     .start = options.start_steady_time}));
  }

 private:
  const std::shared_ptr<Records> records_;
};

template <class T>
class RecordingHistogram final : public api::metrics::Histogram<T> {
 public:
  RecordingHistogram(std::shared_ptr<Records> records, std::string name, std::string unit)
      : records_(std::move(records)), name_(std::move(name)), unit_(std::move(unit)) {}

  void Record(T value, const api::context::Context& /*context*/) noexcept override {
    records_->AddValue({.histogram = name_, .unit = unit_, .value = static_cast<double>(value)});
  }
  void Record(T value, const api::common::KeyValueIterable& attributes,
              const api::context::Context& /*context*/) noexcept override {
    records_->AddValue({.histogram = name_,
                        .unit = unit_,
                        .value = static_cast<double>(value),
                        .attributes = AttributesOf(attributes)});
  }

 private:
  const std::shared_ptr<Records> records_;
  const std::string name_;
  const std::string unit_;
};

class RecordingMeter final : public api::metrics::Meter {
 public:
  explicit RecordingMeter(std::shared_ptr<Records> records) : records_(std::move(records)) {}

  api::nostd::unique_ptr<api::metrics::Histogram<uint64_t>> CreateUInt64Histogram(
      api::nostd::string_view name, api::nostd::string_view /*description*/,
      api::nostd::string_view unit) noexcept override {
    return Make<uint64_t>(name, unit);
  }
  api::nostd::unique_ptr<api::metrics::Histogram<double>> CreateDoubleHistogram(
      api::nostd::string_view name, api::nostd::string_view /*description*/,
      api::nostd::string_view unit) noexcept override {
    return Make<double>(name, unit);
  }

 private:
  template <class T>
  api::nostd::unique_ptr<api::metrics::Histogram<T>> Make(api::nostd::string_view name,
                                                          api::nostd::string_view unit) const {
    return api::nostd::unique_ptr<api::metrics::Histogram<T>>(
        new RecordingHistogram<T>(records_, std::string(name), std::string(unit)));
  }

  const std::shared_ptr<Records> records_;
};

class RecordingTracerProvider final : public api::trace::TracerProvider {
 public:
  explicit RecordingTracerProvider(std::shared_ptr<Records> records)
      : records_(std::move(records)) {}
  api::nostd::shared_ptr<api::trace::Tracer> GetTracer(
      api::nostd::string_view /*name*/, api::nostd::string_view /*version*/,
      api::nostd::string_view /*schema_url*/) noexcept override {
    return api::nostd::shared_ptr<api::trace::Tracer>(new RecordingTracer(records_));
  }

 private:
  const std::shared_ptr<Records> records_;
};

class RecordingMeterProvider final : public api::metrics::MeterProvider {
 public:
  explicit RecordingMeterProvider(std::shared_ptr<Records> records)
      : records_(std::move(records)) {}
  api::nostd::shared_ptr<api::metrics::Meter> GetMeter(
      api::nostd::string_view /*name*/, api::nostd::string_view /*version*/,
      api::nostd::string_view /*schema_url*/) noexcept override {
    return api::nostd::shared_ptr<api::metrics::Meter>(new RecordingMeter(records_));
  }

 private:
  const std::shared_ptr<Records> records_;
};

// Options whose spans and metrics go to `records`.
inline OtelOptions RecordingOptions(const std::shared_ptr<Records>& records) {
  OtelOptions options;
  options.tracer_provider =
      api::nostd::shared_ptr<api::trace::TracerProvider>(new RecordingTracerProvider(records));
  options.meter_provider =
      api::nostd::shared_ptr<api::metrics::MeterProvider>(new RecordingMeterProvider(records));
  return options;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_OTEL_RECORDED_TELEMETRY_H_
