#include "cursorwire/connect/interceptor.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/secret_headers.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"

namespace cursorwire::connect {
namespace {

LoggingOptions WithLowerCaseNames(LoggingOptions options) {
  for (std::string& name : options.redacted) name = ToLower(name);
  return options;
}

std::string Milliseconds(TimePoint start, TimePoint end) {
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(end - start).count();
  return absl::StrCat(time / 1000, ".", absl::Dec(time % 1000, absl::kZeroPad3), "ms");
}

std::string Count(std::string_view name, const MessageCount& count) {
  return absl::StrCat(ToAbsl(name), "=", count.messages, "/", count.bytes, "B");
}

}  // namespace

LoggingInterceptor::LoggingInterceptor(Sink sink, LoggingOptions options)
    : sink_(std::move(sink)), options_(WithLowerCaseNames(std::move(options))) {}

absl::Status LoggingInterceptor::OnRequest(const CallRecord& call, Headers& headers) {
  if (options_.headers == LogHeaders::kNo) return absl::OkStatus();
  KeepSecrets(call, headers);
  WriteHeaders(call, ">", headers, RedactorOf(call));
  return absl::OkStatus();
}

void LoggingInterceptor::OnHead(const CallRecord& call, const Headers& headers) {
  if (options_.headers == LogHeaders::kYes) WriteHeaders(call, "<", headers, RedactorOf(call));
}

void LoggingInterceptor::OnEnd(const CallRecord& call, const CallEnd& end) {
  if (options_.headers == LogHeaders::kYes) {
    const Redactor redactor = RedactorOf(call);
    {
      const std::lock_guard lock(mutex_);
      redactors_.erase(&call);
    }
    WriteHeaders(call, "<", end.trailers, redactor);  // may throw
  }
  sink_(absl::StrCat(Path(call), " ", ToAbsl(CodeText(end.status.code())),
                     " http=", call.http_status, " ", Milliseconds(call.start, call.end), " ",
                     Count("sent", call.sent), " ", Count("received", call.received)));
}

std::string LoggingInterceptor::Path(const CallRecord& call) const {
  // After a `?` stands what may be a secret, or the request itself.
  const std::string_view path = call.path;
  return Printable(path.substr(0, path.find('?')), options_.max_value_bytes);
}

bool LoggingInterceptor::IsRedacted(std::string_view name) const {
  return IsSecretHeader(name) ||
         std::any_of(options_.redacted.begin(), options_.redacted.end(),
                     [name](std::string_view pattern) { return MatchesHeader(pattern, name); });
}

void LoggingInterceptor::KeepSecrets(const CallRecord& call, const Headers& headers) {
  std::vector<std::string> secrets;
  for (const Header& header : headers) {
    if (IsRedacted(header.name)) AddSecretWords(header.value, secrets);
  }
  const std::lock_guard lock(mutex_);
  redactors_.insert_or_assign(&call, Redactor(secrets));
}

Redactor LoggingInterceptor::RedactorOf(const CallRecord& call) const {
  const std::lock_guard lock(mutex_);
  const auto found = redactors_.find(&call);
  return found == redactors_.end() ? Redactor() : found->second;
}

void LoggingInterceptor::WriteHeaders(const CallRecord& call, std::string_view direction,
                                      const Headers& headers, const Redactor& redactor) const {
  for (const Header& header : headers) {
    const std::string value = IsRedacted(header.name) ? Redactor::kReplacement
                                                      : Printable(redactor.Redact(header.value),
                                                                  options_.max_value_bytes);
    sink_(absl::StrCat(Path(call), " ", ToAbsl(direction), " ",
                       Printable(header.name, options_.max_value_bytes), ": ", value));
  }
}

}  // namespace cursorwire::connect
