#include "cursorwire/otel_interceptor.h"

#include <opentelemetry/metrics/meter.h>
#include <opentelemetry/trace/tracer.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/version.h"
#include "otel/attribute.h"
#include "otel/call_span.h"
#include "otel/turn_metrics.h"

namespace cursorwire {
namespace {

namespace api = opentelemetry;
using otel::CallPurpose;
using otel::CallSpan;
using otel::ToOtel;

constexpr char kScope[] = "cursorwire";

// What is left when an error has no code of its own.
constexpr std::string_view kOtherError = "_OTHER";

// Empty: the call succeeded. A turn is done when the service says so, whatever comes after; a call
// that ends well without that has lost its turn.
std::string_view ErrorType(const CallSpan& span, const absl::Status& status) {
  if (span.purpose() == CallPurpose::kTurn) {
    if (span.facts().is_cancelled) return connect::CodeText(absl::StatusCode::kCancelled);
    if (span.facts().is_ended) return "";
    if (status.ok()) return kOtherError;
  }
  return status.ok() ? "" : connect::CodeText(status.code());
}

// Runs `what` and drops what it throws: telemetry must not end a call.
template <typename What>
void Quietly(What what) noexcept {
  try {
    what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory, so a span is missing
  }
}

}  // namespace

class OtelInterceptor::Impl {
 public:
  explicit Impl(OtelOptions options) : options_(std::move(options)) {
    const api::nostd::string_view version = ToOtel(connect::Version());
    if (options_.tracer_provider) tracer_ = options_.tracer_provider->GetTracer(kScope, version);
    if (!options_.meter_provider) return;
    meter_ = options_.meter_provider->GetMeter(kScope, version);
    if (meter_) metrics_.emplace(options_, *meter_);
  }

  void Start(const connect::CallRecord& call) {
    auto span = std::make_unique<CallSpan>(call, options_, tracer_.get());
    const std::lock_guard lock(mutex_);
    spans_.insert_or_assign(&call, std::move(span));
  }

  // Null: there is none. It stays where it is until Take(), which is the last of a call.
  CallSpan* Find(const connect::CallRecord& call) {
    const std::lock_guard lock(mutex_);
    const auto found = spans_.find(&call);
    return found == spans_.end() ? nullptr : found->second.get();
  }

  void End(const connect::CallRecord& call, const absl::Status& status) {
    const std::unique_ptr<CallSpan> span = Take(call);
    if (span == nullptr) return;
    const std::string_view error_type = ErrorType(*span, status);
    span->End(call, error_type);
    if (!metrics_ || span->purpose() != CallPurpose::kTurn) return;
    metrics_->Record(call, span->facts(), error_type);
  }

 private:
  std::unique_ptr<CallSpan> Take(const connect::CallRecord& call) {
    const std::lock_guard lock(mutex_);
    auto node = spans_.extract(&call);
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  const OtelOptions options_;
  api::nostd::shared_ptr<api::trace::Tracer> tracer_{};  // may be null
  api::nostd::shared_ptr<api::metrics::Meter> meter_{};  // may be null
  std::optional<otel::TurnMetrics> metrics_{};
  std::mutex mutex_;
  // Of open calls; guarded by mutex_. What one points to is used without it, since the functions of
  // one call come one after the other.
  std::map<const connect::CallRecord*, std::unique_ptr<CallSpan>> spans_{};
};

OtelInterceptor::OtelInterceptor(OtelOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

OtelInterceptor::~OtelInterceptor() = default;

absl::Status OtelInterceptor::OnRequest(const connect::CallRecord& call,
                                        connect::Headers& /*headers*/) {
  Quietly([&] { impl_->Start(call); });
  return absl::OkStatus();
}

void OtelInterceptor::OnSend(const connect::CallRecord& call, std::string_view message) {
  Quietly([&] {
    if (CallSpan* span = impl_->Find(call)) span->OnSend(message);
  });
}

void OtelInterceptor::OnMessage(const connect::CallRecord& call, std::string_view message) {
  Quietly([&] {
    if (CallSpan* span = impl_->Find(call)) span->OnMessage(call, message);
  });
}

void OtelInterceptor::OnEnd(const connect::CallRecord& call, const connect::CallEnd& end) {
  Quietly([&] { impl_->End(call, end.status); });
}

}  // namespace cursorwire
