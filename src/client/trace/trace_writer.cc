#include "client/trace/trace_writer.h"

#include <algorithm>

#include "agent/trace/trace_line.h"
#include "base/error.h"
#include "base/secret_headers.h"
#include "net/thread.h"

namespace cursorwire {
namespace {

using connect::Header;
using connect::Headers;
using connect::Redactor;

// What waits for the disk: above this, messages are recorded without their bytes.
constexpr size_t kMaxWaitingBytes = size_t{32} * 1024 * 1024;
// Above this, nothing more is recorded.
constexpr size_t kMaxWaitingParts = 65'536;

Headers WithoutSecrets(const Headers& headers, const Redactor& redactor) {
  Headers result;
  for (const Header& header : headers) {
    result.Add(header.name, IsSecretHeader(header.name) ? Redactor::kReplacement
                                                        : redactor.Redact(header.value));
  }
  return result;
}

size_t BytesOf(const TraceWriter::Part& part) {
  const auto* message = std::get_if<TraceMessage>(&part);
  return message == nullptr ? 0 : message->bytes.size();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceWriter>> TraceWriter::Start(TraceFiles files,
                                                                size_t max_message_bytes) {
  std::unique_ptr<TraceWriter> writer(new TraceWriter(std::move(files), max_message_bytes));
  const bool started = net::StartThread(writer->thread_, [&writer = *writer] { writer.Run(); });
  if (!started) return net::NoThreadError();
  return writer;
}

TraceWriter::~TraceWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  added_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void TraceWriter::AddSecrets(std::vector<std::string> secrets) {
  const std::lock_guard lock(mutex_);
  bool is_new = false;
  for (std::string& secret : secrets) {
    if (secret.size() < Redactor::kMinSecretBytes) continue;
    const auto known = std::find(secrets_.begin(), secrets_.end(), secret);
    if (known != secrets_.end()) {
      std::rotate(known, known + 1, secrets_.end());  // one that is in use is not pushed out
      continue;
    }
    if (secrets_.size() == kMaxSecrets) secrets_.erase(secrets_.begin());
    secrets_.push_back(std::move(secret));
    is_new = true;
  }
  if (is_new) redactor_ = std::make_shared<Redactor>(secrets_);
}

void TraceWriter::Add(uint64_t call, Part part) {
  {
    const std::lock_guard lock(mutex_);
    if (!status_.ok()) return;
    if (waiting_.size() >= kMaxWaitingParts) {
      status_ = LocalError(absl::StatusCode::kResourceExhausted,
                           "the disk does not keep up with the trace");
      return;
    }
    auto* message = std::get_if<TraceMessage>(&part);
    if (message != nullptr && waiting_bytes_ + message->bytes.size() > kMaxWaitingBytes) {
      message->bytes.clear();
    }
    waiting_bytes_ += BytesOf(part);
    waiting_.push_back({.call = call, .part = std::move(part)});
  }
  added_.notify_one();
}

TraceMessage TraceWriter::MessageOf(TraceSide from, std::chrono::microseconds at,
                                    std::string_view bytes) const {
  // With what shows whether a secret lies across the place where it will be cut.
  const size_t needed = max_message_bytes_ + Redactor::kMinPieceBytes;
  return {.at = at,
          .from = from,
          .size = bytes.size(),
          .bytes = std::string(bytes.substr(0, std::max(needed, max_message_bytes_)))};
}

absl::Status TraceWriter::Flush() {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [this] { return waiting_.empty() && !is_writing_; });
  return status_;
}

absl::Status TraceWriter::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void TraceWriter::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return !waiting_.empty() || is_stopping_; });
    if (waiting_.empty()) return;
    Item item = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= BytesOf(item.part);
    if (status_.ok()) {
      const std::shared_ptr<const Redactor> redactor = redactor_;
      is_writing_ = true;
      lock.unlock();
      absl::Status status = Write(std::move(item), *redactor);
      lock.lock();
      is_writing_ = false;
      status_.Update(status);
    }
    if (waiting_.empty()) written_.notify_all();
  }
}

absl::Status TraceWriter::Write(Item item, const Redactor& redactor) {
  const std::string line = std::visit(
      [&](auto& part) { return LineOf(item.call, std::move(part), redactor); }, item.part);
  if (files_.IsFull(line.size())) {
    if (absl::Status status = Rotate(); !status.ok()) return status;
  }
  absl::Status status = files_.Append(line);
  if (std::holds_alternative<TraceEnd>(item.part)) open_calls_.erase(item.call);
  return status;
}

std::string TraceWriter::LineOf(uint64_t call, TraceCall part, const Redactor& redactor) {
  part.number = call;
  part.path = redactor.Redact(part.path);
  part.headers = WithoutSecrets(part.headers, redactor);
  std::string line = agent::TraceLineOf(part);
  part.headers = {};
  part.is_continued = true;
  open_calls_[call] = std::move(part);
  return line;
}

std::string TraceWriter::LineOf(uint64_t call, TraceHead part, const Redactor& redactor) {
  part.headers = WithoutSecrets(part.headers, redactor);
  return agent::TraceLineOf(call, part);
}

std::string TraceWriter::LineOf(uint64_t call, TraceMessage part, const Redactor& redactor) {
  part.bytes = redactor.RedactBytes(part.bytes);
  if (part.bytes.size() > max_message_bytes_) part.bytes.resize(max_message_bytes_);
  part.is_cut = part.bytes.size() < part.size;
  return agent::TraceLineOf(call, part);
}

std::string TraceWriter::LineOf(uint64_t call, TraceEnd part, const Redactor& redactor) {
  part.status = redactor.Redact(part.status);
  part.trailers = WithoutSecrets(part.trailers, redactor);
  return agent::TraceLineOf(call, part);
}

absl::Status TraceWriter::Rotate() {
  absl::Status status = files_.Rotate();
  for (const auto& [number, call] : open_calls_) {
    if (status.ok()) status = files_.Append(agent::TraceLineOf(call));
  }
  return status;
}

}  // namespace cursorwire
