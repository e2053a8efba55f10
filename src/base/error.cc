#include "base/error.h"

#include <absl/strings/cord.h>
#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <array>
#include <utility>

#include "base/strings.h"

namespace cursorwire {

using connect::ErrorDetail;
using connect::ErrorInfo;
using connect::ErrorOrigin;

namespace {

constexpr char kPayloadUrl[] = "cursorwire/error_info";
constexpr std::array<std::pair<ErrorOrigin, const char*>, 4> kOrigins = {{
    {ErrorOrigin::kServer, "server"},
    {ErrorOrigin::kTransport, "transport"},
    {ErrorOrigin::kProtocol, "protocol"},
    {ErrorOrigin::kLocal, "local"},
}};

// Space-separated words: readable when a Status is printed, and each value safe to split at spaces.
std::string Encode(const ErrorInfo& info) {
  std::string text;
  for (const auto& [origin, name] : kOrigins) {
    if (origin == info.origin) absl::StrAppend(&text, "origin=", name);
  }
  if (info.replay_safe) absl::StrAppend(&text, " replay_safe");
  if (info.http_status != 0) absl::StrAppend(&text, " http_status=", info.http_status);
  if (info.http2_code) absl::StrAppend(&text, " http2_code=", *info.http2_code);
  if (!info.unknown_code.empty()) {
    absl::StrAppend(&text, " unknown_code=", absl::WebSafeBase64Escape(info.unknown_code));
  }
  for (const ErrorDetail& detail : info.details) {
    absl::StrAppend(&text, " detail=", absl::WebSafeBase64Escape(detail.type), ",",
                    absl::WebSafeBase64Escape(detail.value), ",",
                    absl::WebSafeBase64Escape(detail.debug_json));
  }
  for (const connect::Header& header : info.metadata) {
    absl::StrAppend(&text, " metadata=", absl::WebSafeBase64Escape(header.name), ",",
                    absl::WebSafeBase64Escape(header.value));
  }
  return text;
}

std::string Unescape(absl::string_view text) {
  std::string bytes;
  if (!absl::WebSafeBase64Unescape(text, &bytes)) bytes.clear();
  return bytes;
}

void DecodeWord(absl::string_view word, ErrorInfo& info) {
  const std::pair<absl::string_view, absl::string_view> field =
      absl::StrSplit(word, absl::MaxSplits('=', 1));
  const auto& [key, value] = field;
  if (key == "origin") {
    for (const auto& [origin, name] : kOrigins) {
      if (value == name) info.origin = origin;
    }
  } else if (key == "replay_safe") {
    info.replay_safe = true;
  } else if (key == "http_status") {
    if (!absl::SimpleAtoi(value, &info.http_status)) info.http_status = 0;
  } else if (key == "http2_code") {
    uint32_t code = 0;
    if (absl::SimpleAtoi(value, &code)) info.http2_code = code;
  } else if (key == "unknown_code") {
    info.unknown_code = Unescape(value);
  } else if (key == "detail") {
    const std::vector<absl::string_view> parts = absl::StrSplit(value, ',');
    if (parts.size() != 3) return;
    info.details.push_back({Unescape(parts[0]), Unescape(parts[1]), Unescape(parts[2])});
  } else if (key == "metadata") {
    const std::vector<absl::string_view> parts = absl::StrSplit(value, ',');
    if (parts.size() == 2) info.metadata.Add(Unescape(parts[0]), Unescape(parts[1]));
  }
}

}  // namespace

namespace connect {

std::optional<ErrorInfo> GetErrorInfo(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayloadUrl);
  if (!payload) return std::nullopt;
  ErrorInfo info;
  const std::string text(*payload);
  for (absl::string_view word : absl::StrSplit(text, ' ')) DecodeWord(word, info);
  return info;
}

void SetErrorInfo(absl::Status& status, const ErrorInfo& info) {
  status.SetPayload(kPayloadUrl, absl::Cord(Encode(info)));
}

}  // namespace connect

absl::Status MakeError(absl::StatusCode code, std::string_view message, const ErrorInfo& info) {
  absl::Status status(code, ToAbsl(message));
  connect::SetErrorInfo(status, info);
  return status;
}

absl::Status ProtocolError(std::string_view message) {
  return MakeError(absl::StatusCode::kInternal, message, {.origin = ErrorOrigin::kProtocol});
}

absl::Status TransportError(std::string_view message, Replay replay) {
  return MakeError(absl::StatusCode::kUnavailable, message,
                   {.origin = ErrorOrigin::kTransport, .replay_safe = replay == Replay::kSafe});
}

absl::Status LocalError(absl::StatusCode code, std::string_view message) {
  return MakeError(code, message, {.origin = ErrorOrigin::kLocal});
}

absl::Status InvalidArgument(std::string_view message) {
  return LocalError(absl::StatusCode::kInvalidArgument, message);
}

absl::Status CancelledByCaller() {
  return LocalError(absl::StatusCode::kCancelled, "canceled by the caller");
}

absl::Status WithReplay(absl::Status status, Replay replay) {
  if (status.ok()) return status;
  ErrorInfo info =
      connect::GetErrorInfo(status).value_or(ErrorInfo{.origin = ErrorOrigin::kTransport});
  info.replay_safe = replay == Replay::kSafe;
  connect::SetErrorInfo(status, info);
  return status;
}

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(ToAbsl(context), ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    annotated.SetPayload(url, payload);
  });
  return annotated;
}

}  // namespace cursorwire
