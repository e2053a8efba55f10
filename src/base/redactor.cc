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

// The characters of base64url and the dot between its parts; what a bearer token may have besides.
constexpr std::string_view kJwtCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
constexpr std::string_view kBearerCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/=";

// The run of such characters that `text` starts with.
std::string_view RunOf(std::string_view characters, std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of(characters), text.size()));
}

// Header and claims of a JSON Web Token are objects in base64url: both begin with `{"` (RFC 7519).
bool IsJwt(std::string_view token) {
  const size_t dot = token.find('.');
  return token.starts_with("eyJ") && dot != std::string_view::npos &&
         token.substr(dot + 1).starts_with("eyJ");
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() && ToLower(text.substr(0, lower.size())) == lower;
}

// Credentials that are known by their form alone: `Bearer ...` (RFC 6750), and JSON Web Tokens.
std::string ReplaceForms(std::string_view text) {
  constexpr std::string_view kBearer = "bearer ";
  std::string result;
  while (!text.empty()) {
    if (StartsWithIgnoringCase(text, kBearer)) {
      result.append(text.substr(0, kBearer.size()));
      text.remove_prefix(kBearer.size());
      const std::string_view token = RunOf(kBearerCharacters, text);
      if (token.size() < Redactor::kMinPieceBytes) continue;
      result.append(Redactor::kReplacement);
      text.remove_prefix(token.size());
      continue;
    }
    const std::string_view token = RunOf(kJwtCharacters, text);
    if (IsJwt(token)) {
      result.append(Redactor::kReplacement);
    } else {
      result.append(token.empty() ? text.substr(0, 1) : token);
    }
    text.remove_prefix(std::max<size_t>(token.size(), 1));
  }
  return result;
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.size() >= kMinSecretBytes) secrets_.push_back(secret);
  }
}

std::string Redactor::Redact(std::string_view text) const {
  // First what has a form of its own: other tokens may begin like a secret.
  std::string result = ReplaceForms(text);
  for (const std::string& secret : secrets_) result = Replace(result, secret);
  return result;
}

std::string Redactor::RedactBytes(std::string_view bytes) const {
  std::string result(bytes);
  const auto cover = [&result](size_t start, size_t end) {
    std::fill(result.begin() + static_cast<ptrdiff_t>(start),
              result.begin() + static_cast<ptrdiff_t>(end), 'x');
  };
  for (const std::string& secret : secrets_) FindSecret(bytes, secret, cover);
  return result;
}

absl::Status Redactor::Redact(const absl::Status& status) const {
  if (status.ok()) return status;
  absl::Status redacted(status.code(), ToAbsl(Redact(ToStd(status.message()))));
  status.ForEachPayload([&redacted](absl::string_view url, const absl::Cord& payload) {
    redacted.SetPayload(url, payload);
  });
  std::optional<ErrorInfo> info = GetErrorInfo(status);
  if (!info) return redacted;
  info->unknown_code = Redact(info->unknown_code);
  for (ErrorDetail& detail : info->details) {
    detail.type = Redact(detail.type);
    detail.value = RedactBytes(detail.value);
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
