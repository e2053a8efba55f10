#include "proxy/http_connect.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/text.h"

namespace cursorwire::proxy {
namespace {

constexpr int kProxyAuthenticationRequired = 407;
constexpr int kServerErrors = 500;                   // from here on
constexpr int kNetworkAuthenticationRequired = 511;  // RFC 6585, 6
constexpr size_t kStatusAt = 9;                      // in "HTTP/1.1 200"

absl::Status ProxyError(std::string_view what) {
  return TransportError(absl::StrCat("the proxy ", ToAbsl(what)), Replay::kSafe);
}

// The length of the head with the empty line behind it; its lines may end with a line feed alone.
std::optional<size_t> HeadLength(std::string_view text) {
  for (size_t feed = text.find('\n'); feed != text.npos; feed = text.find('\n', feed + 1)) {
    const std::string_view rest = text.substr(feed + 1);
    if (rest.starts_with('\n')) return feed + 2;
    if (rest.starts_with("\r\n")) return feed + 3;
  }
  return std::nullopt;
}

std::string_view FirstLine(std::string_view head) {
  std::string_view line = head.substr(0, head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// nullopt: it is not HTTP/1.
std::optional<int> StatusOf(std::string_view line) {
  int status = 0;
  if (!line.starts_with("HTTP/1.") || line.size() < kStatusAt + 3 || line[kStatusAt - 1] != ' ' ||
      !absl::SimpleAtoi(ToAbsl(line.substr(kStatusAt, 3)), &status) || status < 100) {
    return std::nullopt;
  }
  if (line.size() > kStatusAt + 3 && line[kStatusAt + 3] != ' ') return std::nullopt;
  return status;
}

// The schemes of all Proxy-Authenticate headers, in lower case.
std::vector<std::string> SchemesOf(std::string_view head) {
  std::vector<std::string> schemes;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    const size_t colon = line.find(':');
    if (colon == line.npos || ToLower(line.substr(0, colon)) != "proxy-authenticate") continue;
    const std::string_view value = Trim(line.substr(colon + 1));
    schemes.push_back(ToLower(value.substr(0, value.find_first_of(" ,\t"))));
  }
  return schemes;
}

}  // namespace

HttpConnect::HttpConnect(const std::optional<ProxyUser>& user, const std::string& host, int port)
    : has_user_(user.has_value()) {
  const bool is_ip6 = host.find(':') != host.npos;
  const std::string target = absl::StrCat(is_ip6 ? "[" : "", host, is_ip6 ? "]" : "", ":", port);
  request_ = absl::StrCat("CONNECT ", target, " HTTP/1.1\r\nHost: ", target, "\r\n");
  if (user) {
    absl::StrAppend(&request_, "Proxy-Authorization: Basic ",
                    absl::Base64Escape(absl::StrCat(user->name, ":", user->password)), "\r\n");
  }
  request_ += "\r\n";
}

std::string HttpConnect::TakeOutput() { return std::exchange(request_, ""); }

absl::StatusOr<std::optional<std::string>> HttpConnect::Receive(std::string_view bytes) {
  answer_.append(bytes);
  while (const std::optional<size_t> length = HeadLength(answer_)) {
    head_bytes_ += *length;
    if (head_bytes_ > kMaxProxyHeadBytes) break;
    const std::string_view head = std::string_view(answer_).substr(0, *length);
    const std::optional<int> status = StatusOf(FirstLine(head));
    if (!status) return ProxyError("does not speak HTTP/1.1");
    if (*status >= 300 || *status == 101) return Refused(head);
    std::string rest = answer_.substr(*length);
    if (*status >= 200) return rest;
    answer_ = std::move(rest);
  }
  if (head_bytes_ + answer_.size() <= kMaxProxyHeadBytes) return std::nullopt;
  return ProxyError(absl::StrCat("answers with a head of over ", kMaxProxyHeadBytes, " bytes"));
}

absl::Status HttpConnect::Refused(std::string_view head) {
  const std::string_view line = FirstLine(head);
  if (*StatusOf(line) < kServerErrors) RefuseForGood();
  if (*StatusOf(line) == kProxyAuthenticationRequired && !has_user_) return WantsUser(head);
  std::string_view advice;
  if (*StatusOf(line) == kProxyAuthenticationRequired) advice = ": is its password right?";
  if (*StatusOf(line) == kNetworkAuthenticationRequired) {
    advice = ": this network wants a login in a browser first";
  }
  const std::string reason = Printable(Trim(line.substr(kStatusAt)), kMaxProxyReasonBytes);
  return ProxyError(absl::StrCat("refuses the tunnel: HTTP ", reason, ToAbsl(advice)));
}

absl::Status HttpConnect::WantsUser(std::string_view head) const {
  std::vector<std::string> schemes = SchemesOf(head);
  for (const std::string& scheme : schemes) {
    if (scheme == "basic") schemes.clear();
    if (schemes.empty()) break;
  }
  if (schemes.empty()) {
    return ProxyError(absl::StrCat("wants a user and a password: ", kLoginAdvice));
  }
  return ProxyError(absl::StrCat("wants \"", Printable(schemes.front(), kMaxProxyReasonBytes),
                                 "\" of its users; only Basic is supported"));
}

}  // namespace cursorwire::proxy
