#include "cursorwire/connect/logging_interceptor.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/strings.h"
#include "cursorwire/connect/code.h"

namespace cursorwire::connect {
namespace {

constexpr std::string_view kAlwaysRedacted[] = {"authorization", "proxy-authorization", "cookie",
                                                "set-cookie", "x-cursor-*"};

// `pattern` is in lower case, and may end in `*`.
bool Matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

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
  WriteHeaders(call, ">", headers);
  return absl::OkStatus();
}

void LoggingInterceptor::OnHead(const CallRecord& call, const Headers& headers) {
  WriteHeaders(call, "<", headers);
}

void LoggingInterceptor::OnEnd(const CallRecord& call, const CallEnd& end) {
  WriteHeaders(call, "<", end.trailers);
  sink_(absl::StrCat(Path(call), " ", ToAbsl(CodeText(end.status.code())),
                     " http=", call.http_status, " ", Milliseconds(call.start, call.end), " ",
                     Count("sent", call.sent), " ", Count("received", call.received)));
}

std::string LoggingInterceptor::Path(const CallRecord& call) const {
  // Behind a `?` stands what may be a secret, or the request itself.
  const std::string_view path = call.path;
  return Printable(path.substr(0, path.find('?')), options_.max_value_bytes);
}

bool LoggingInterceptor::IsRedacted(std::string_view name) const {
  const auto matches = [name](std::string_view pattern) { return Matches(pattern, name); };
  return std::any_of(std::begin(kAlwaysRedacted), std::end(kAlwaysRedacted), matches) ||
         std::any_of(options_.redacted.begin(), options_.redacted.end(), matches);
}

void LoggingInterceptor::WriteHeaders(const CallRecord& call, std::string_view direction,
                                      const Headers& headers) const {
  if (options_.headers == LogHeaders::kNo) return;
  for (const Header& header : headers) {
    const std::string value =
        IsRedacted(header.name) ? "(redacted)" : Printable(header.value, options_.max_value_bytes);
    sink_(absl::StrCat(Path(call), " ", ToAbsl(direction), " ",
                       Printable(header.name, options_.max_value_bytes), ": ", value));
  }
}

}  // namespace cursorwire::connect
