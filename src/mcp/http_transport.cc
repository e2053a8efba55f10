#include "mcp/http_transport.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"

namespace cursorwire::mcp {
namespace {

using connect::After;
using connect::TimePoint;

constexpr std::chrono::milliseconds kFarewellTime{1'500};
constexpr size_t kMaxOutputBytes = size_t{256} * 1024;
// What waits for the session, at which no more is read.
constexpr size_t kMaxWaitingBytes = size_t{4} * 1024 * 1024;

// Source: RFC 9110, 5.6.2 and 5.5.
bool IsHeaderName(std::string_view name) {
  const auto is_token = [](unsigned char c) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return absl::ascii_isalnum(c) || kMarks.find(static_cast<char>(c)) != kMarks.npos;
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token);
}

bool IsHeaderValue(std::string_view value) {
  return std::none_of(value.begin(), value.end(),
                      [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> HttpTransport::Start(const ServerConfig& config) {
  http::Headers headers;
  for (const auto& [name, value] : config.headers) {
    if (!IsHeaderName(name) || !IsHeaderValue(value)) {
      return InvalidArgument(absl::StrCat("its header '", name, "' cannot be sent"));
    }
    headers.emplace_back(name, value);
  }
  absl::StatusOr<std::unique_ptr<http::Client>> client = http::Client::Create(
      {.url = config.url, .connect_timeout = config.startup_timeout, .proxy = config.proxy});
  if (!client.ok()) return client.status();
  return std::unique_ptr<Transport>(new HttpTransport(*std::move(client), std::move(headers)));
}

void HttpTransport::Watch(net::Poller& poller, bool wants_output) {
  client_->Watch(poller, wants_output && output_.size() < kMaxWaitingBytes);
}

void HttpTransport::Handle(const net::Poller& poller) {
  client_->Handle(poller);
  Pump(net::Now());
}

std::string HttpTransport::ReadOutput() {
  if (output_.size() <= kMaxOutputBytes) return std::exchange(output_, {});
  std::string bytes = output_.substr(0, kMaxOutputBytes);
  output_.erase(0, kMaxOutputBytes);
  return bytes;
}

void HttpTransport::Write(std::string_view bytes) {
  const TimePoint now = net::Now();
  dialog_.Send(bytes, now);
  Pump(now);
}

void HttpTransport::Pump(TimePoint now) {
  bool more = true;
  while (more) {
    more = false;
    while (const std::optional<uint64_t> id = dialog_.NextAbort()) client_->Abort(*id);
    while (const std::optional<http::Request> request = dialog_.NextRequest()) {
      client_->Start(*request);
    }
    while (std::optional<http::Event> event = client_->NextEvent()) {
      if (event->id == farewell_ && std::holds_alternative<http::End>(event->what)) farewell_ = 0;
      dialog_.OnEvent(*std::move(event), now);
      more = true;
    }
  }
  output_ += dialog_.TakeOutput();
}

void HttpTransport::Close(TimePoint now) {
  if (std::exchange(closed_, true)) return;
  const std::optional<http::Request> farewell = dialog_.Close();
  Pump(now);
  if (!farewell) return;
  farewell_ = farewell->id;
  end_at_ = After(now, kFarewellTime);
  client_->Start(*farewell);
}

bool HttpTransport::Advance(TimePoint now) {
  dialog_.OnDeadline(now);
  Pump(now);
  return closed_ && (farewell_ == 0 || now >= end_at_);
}

std::optional<TimePoint> HttpTransport::deadline() const {
  std::optional<TimePoint> first = client_->deadline();
  const auto add = [&first](TimePoint at) { first = std::min(first.value_or(at), at); };
  if (const auto at = dialog_.deadline()) add(*at);
  if (farewell_ != 0) add(end_at_);
  if (!output_.empty()) add(TimePoint{});
  return first;
}

bool HttpTransport::at_end(TimePoint /*now*/) const {
  return !dialog_.failure().ok() && output_.empty();
}

}  // namespace cursorwire::mcp
