#include "cursorwire/connect/redactor.h"

#include <absl/strings/cord.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/connect/error_info.h"

namespace cursorwire::connect {
namespace {

size_t PieceBytes(std::string_view secret) {
  return std::min(secret.size(), Redactor::kMinPieceBytes);
}

// Calls `mask` with the start and the end of each run of `text` that is part of the secret. The
// time is linear in both, since a peer may choose the text.
template <typename Mask>
void FindSecret(std::string_view text, std::string_view secret, const Mask& mask) {
  const size_t piece = PieceBytes(secret);
  if (text.size() < piece) return;
  std::unordered_set<std::string_view> pieces;
  for (size_t i = 0; i + piece <= secret.size(); ++i) pieces.insert(secret.substr(i, piece));
  size_t start = 0;
  size_t end = 0;  // end of the current run; equal to `start`: no run yet
  for (size_t i = 0; i + piece <= text.size(); ++i) {
    if (!pieces.contains(text.substr(i, piece))) continue;
    if (i > end || start == end) {
      if (start != end) mask(start, end);
      start = i;
    }
    end = i + piece;
  }
  if (start != end) mask(start, end);
}

std::string Replace(std::string_view text, std::string_view secret) {
  std::string result;
  size_t done = 0;
  FindSecret(text, secret, [&](size_t start, size_t end) {
    result.append(text.substr(done, start - done)).append(Redactor::kReplacement);
    done = end;
  });
  return result.append(text.substr(done));
}

void Cover(std::string& bytes, std::string_view secret) {
  const std::string text = bytes;
  FindSecret(text, secret, [&bytes](size_t start, size_t end) {
    std::fill(bytes.begin() + static_cast<ptrdiff_t>(start),
              bytes.begin() + static_cast<ptrdiff_t>(end), 'x');
  });
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.size() >= kMinSecretBytes) secrets_.push_back(secret);
  }
}

std::string Redactor::Redact(std::string_view text) const {
  std::string result(text);
  for (const std::string& secret : secrets_) result = Replace(result, secret);
  return result;
}

absl::Status Redactor::Redact(const absl::Status& status) const {
  if (status.ok() || secrets_.empty()) return status;
  absl::Status redacted(status.code(), ToAbsl(Redact(ToStd(status.message()))));
  status.ForEachPayload([&redacted](absl::string_view url, const absl::Cord& payload) {
    redacted.SetPayload(url, payload);
  });
  std::optional<ErrorInfo> info = GetErrorInfo(status);
  if (!info) return redacted;
  info->unknown_code = Redact(info->unknown_code);
  for (ErrorDetail& detail : info->details) {
    detail.type = Redact(detail.type);
    for (const std::string& secret : secrets_) Cover(detail.value, secret);
    detail.debug_json = Redact(detail.debug_json);
  }
  Headers metadata;
  for (const Header& header : info->metadata) {
    metadata.Add(Redact(header.name), Redact(header.value));
  }
  info->metadata = std::move(metadata);
  SetErrorInfo(redacted, *info);
  return redacted;
}

}  // namespace cursorwire::connect
