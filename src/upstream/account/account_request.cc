#include "upstream/account/account_request.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>

#include "base/strings.h"
#include "upstream/server/reply.h"
#include "wire/json.h"

namespace cursorwire::upstream {
namespace {

constexpr std::string_view kPollPath = "/auth/poll";
constexpr std::string_view kExchangePath = "/auth/exchange_user_api_key";
constexpr std::string_view kUsagePath = "/aiserver.v1.DashboardService/GetCurrentPeriodUsage";
constexpr std::string_view kBearerScheme = "Bearer ";
constexpr size_t kBodyBytes = 1024;
// RFC 7636, 4.1.
constexpr size_t kShortestVerifier = 43;
constexpr size_t kLongestVerifier = 128;

// Made up, in the form of docs/protocol.md, usage. Money is in cents.
constexpr char kUsageJson[] =
    R"({"billingCycleStart":"1793491200000","billingCycleEnd":"1796083200000",)"
    R"("planUsage":{"totalSpend":1250,"includedSpend":1250,"bonusSpend":0,"remaining":750,)"
    R"("limit":2000,"autoPercentUsed":12.5,"apiPercentUsed":62.5,"totalPercentUsed":62.5},)"
    R"("spendLimitUsage":{"limitType":"user","individualLimit":5000,"individualUsed":300,)"
    R"("individualRemaining":4700},"enabled":true,)"
    R"("displayMessage":"You have used 63% of what your plan includes"})";

std::string_view PathOf(const Headers& headers) { return headers.Get(":path").value_or(""); }

// The value of a parameter of the URL; empty: it is not there.
std::string_view Parameter(std::string_view path, std::string_view name) {
  std::string_view rest = path.substr(std::min(path.size(), path.find('?')));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(pair.size());
    const size_t equals = pair.find('=');
    if (pair.substr(0, equals) == name && equals != std::string_view::npos) {
      return pair.substr(equals + 1);
    }
  }
  return "";
}

bool IsVerifier(std::string_view text) {
  const auto is_fit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_';
  };
  return text.size() >= kShortestVerifier && text.size() <= kLongestVerifier &&
         std::all_of(text.begin(), text.end(), is_fit);
}

std::string TokensJson(const AccountState::Tokens& tokens) {
  std::string json = R"({"accessToken":)";
  wire::AppendJsonString(tokens.access, json);
  if (!tokens.refresh.empty()) {
    json += R"(,"refreshToken":)";
    wire::AppendJsonString(tokens.refresh, json);
  }
  return json + "}";
}

bool IsPoll(std::string_view path) {
  return path == kPollPath || path.starts_with(std::string(kPollPath) + "?");
}

}  // namespace

bool IsAccountPath(std::string_view path) {
  return IsPoll(path) || path == kExchangePath || path == kUsagePath;
}

void AccountRequest::OnHeaders(const Headers& headers, TimePoint) { headers_ = headers; }

void AccountRequest::OnBody(std::string_view bytes, TimePoint) {
  body_ += bytes.substr(0, kBodyBytes - std::min(kBodyBytes, body_.size()));
}

void AccountRequest::OnRequestEnd(TimePoint) {
  if (const std::string fault = FindFault(); !fault.empty()) {
    violations_.Add(fault);
    return Answer(400, ErrorJson("invalid_argument", fault));
  }
  if (PathOf(headers_) == kExchangePath) return Exchange();
  if (PathOf(headers_) == kUsagePath) return Usage();
  Poll();
}

std::string AccountRequest::FindFault() const {
  const std::string_view path = PathOf(headers_);
  const std::string_view method = headers_.Get(":method").value_or("");
  if (method != (IsPoll(path) ? "GET" : "POST")) {
    return absl::StrCat("a request of the account is a ", ToAbsl(method));
  }
  if (IsPoll(path)) {
    const bool good =
        Parameter(path, "uuid").size() == 36 && IsVerifier(Parameter(path, "verifier"));
    return good ? "" : "a login asks without its uuid and verifier";
  }
  const std::string_view authorization = headers_.Get("authorization").value_or("");
  if (!authorization.starts_with(kBearerScheme) || authorization.size() == kBearerScheme.size()) {
    return "a request of the account has no bearer token";
  }
  if (headers_.Get("content-type") != "application/json") {
    return "a request of the account is not JSON";
  }
  return body_ == "{}" ? "" : "a request of the account has another body than {}";
}

void AccountRequest::Poll() {
  const int status = book_.NextPoll();
  if (status != 200) return Answer(status, "{}");
  Answer(status, TokensJson(book_.LogIn(std::chrono::system_clock::now())));
}

void AccountRequest::Exchange() {
  const int status = book_.NextExchange();
  // The texts of the service. Source: docs/protocol.md, tokens and login.
  if (status != 200) return Answer(status, ErrorJson("unauthenticated", "Invalid User API Key"));
  const std::string secret(headers_.Get("authorization")->substr(kBearerScheme.size()));
  const auto tokens = book_.Renew(secret, std::chrono::system_clock::now());
  if (!tokens) return Answer(401, ErrorJson("unauthenticated", "Invalid User API Key"));
  Answer(status, TokensJson(*tokens));
}

void AccountRequest::Usage() {
  const int status = book_.NextUsage();
  const std::string_view authorization = headers_.Get("authorization").value_or("");
  if (!book_.Accepts(authorization, std::chrono::system_clock::now()) || status == 401) {
    return Answer(401, ErrorJson("unauthenticated", "the token is not good"));
  }
  if (status != 200) return Answer(status, ErrorJson("unavailable", "no figures at the moment"));
  Answer(status, kUsageJson);
}

void AccountRequest::Answer(int status, const std::string& json) {
  responder_.SendHeaders(
      {{":status", std::to_string(status)}, {"content-type", "application/json"}});
  responder_.SendBody(json);
  responder_.Finish();
}

}  // namespace cursorwire::upstream
