#include "cursorwire/trace.h"

#include <absl/base/thread_annotations.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "base/secret_headers.h"
#include "client/trace/trace_writer.h"

namespace cursorwire {
namespace {

using connect::CallRecord;
using std::chrono::microseconds;

int64_t UnixMicrosecondsNow() {
  return std::chrono::duration_cast<microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

microseconds Since(const CallRecord& call, connect::TimePoint time) {
  return std::max(microseconds(0), std::chrono::duration_cast<microseconds>(time - call.start));
}

microseconds SinceNow(const CallRecord& call) {
  return Since(call, std::chrono::steady_clock::now());
}

}  // namespace

class Trace::Impl {
 public:
  explicit Impl(std::unique_ptr<TraceWriter> writer) : writer_(std::move(writer)) {}

  TraceWriter& writer() { return *writer_; }

  // The number of a call that begins.
  uint64_t Begin(const CallRecord& call) {
    const std::lock_guard lock(mutex_);
    return open_[&call] = next_++;
  }
  uint64_t NumberOf(const CallRecord& call) const {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(&call);
    return found == open_.end() ? 0 : found->second;
  }
  void End(const CallRecord& call) {
    const std::lock_guard lock(mutex_);
    open_.erase(&call);
  }
  void KeepSecrets(const connect::Headers& headers) {
    std::vector<std::string> secrets;
    for (const connect::Header& header : headers) {
      if (IsSecretHeader(header.name)) AddSecretWords(header.value, secrets);
    }
    writer_->AddSecrets(std::move(secrets));
  }

 private:
  const std::unique_ptr<TraceWriter> writer_;
  mutable std::mutex mutex_;
  std::map<const CallRecord*, uint64_t> open_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
};

absl::StatusOr<std::shared_ptr<Trace>> Trace::Open(const std::string& path,
                                                   const TraceOptions& options) {
  absl::StatusOr<TraceFiles> files = TraceFiles::Open(path, options, UnixMicrosecondsNow());
  if (!files.ok()) return files.status();
  absl::StatusOr<std::unique_ptr<TraceWriter>> writer =
      TraceWriter::Start(*std::move(files), options.max_message_bytes);
  if (!writer.ok()) return writer.status();
  return std::shared_ptr<Trace>(new Trace(std::make_unique<Impl>(*std::move(writer))));
}

Trace::Trace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trace::~Trace() = default;

absl::Status Trace::Flush() { return impl_->writer().Flush(); }
absl::Status Trace::status() const { return impl_->writer().status(); }

absl::Status Trace::OnRequest(const CallRecord& call, connect::Headers& headers) {
  impl_->KeepSecrets(headers);
  TraceCall start;
  // After a `?` stands what may be a secret, or the request itself.
  start.path = call.path.substr(0, call.path.find('?'));
  start.kind = call.kind;
  start.start_unix_us = UnixMicrosecondsNow();
  start.headers = headers;
  impl_->writer().Add(impl_->Begin(call), std::move(start));
  return absl::OkStatus();
}

void Trace::OnSend(const CallRecord& call, std::string_view message) {
  TraceWriter& writer = impl_->writer();
  writer.Add(impl_->NumberOf(call), writer.MessageOf(TraceSide::kClient, SinceNow(call), message));
}

void Trace::OnHead(const CallRecord& call, const connect::Headers& headers) {
  impl_->writer().Add(
      impl_->NumberOf(call),
      TraceHead{.at = SinceNow(call), .http_status = call.http_status, .headers = headers});
}

void Trace::OnMessage(const CallRecord& call, std::string_view message) {
  TraceWriter& writer = impl_->writer();
  writer.Add(impl_->NumberOf(call), writer.MessageOf(TraceSide::kServer, SinceNow(call), message));
}

void Trace::OnEnd(const CallRecord& call, const connect::CallEnd& end) {
  impl_->writer().Add(
      impl_->NumberOf(call),
      TraceEnd{.at = Since(call, call.end), .status = end.status, .trailers = end.trailers});
  impl_->End(call);
}

}  // namespace cursorwire
