#include "client/auth/usage_json.h"

#include <absl/strings/numbers.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "wire/json.h"

namespace cursorwire {

using std::chrono::milliseconds;
using std::chrono::system_clock;

namespace {

using wire::Json;

// The clock can hold no later one: the year 2262.
constexpr int64_t kLastUsageMillisecond =
    std::chrono::duration_cast<milliseconds>(system_clock::duration::max()).count();

// protobuf's JSON has numbers of 64 bits as strings.
std::optional<int64_t> WholeNumber(const Json* value) {
  int64_t number = 0;
  const bool is_one = value != nullptr &&
                      (value->is_string() || value->kind == Json::Kind::kNumber) &&
                      absl::SimpleAtoi(value->text, &number);
  return is_one ? std::optional<int64_t>(number) : std::nullopt;
}

std::optional<double> Number(const Json* value) {
  double number = 0;
  const bool is_one = value != nullptr && value->kind == Json::Kind::kNumber &&
                      absl::SimpleAtod(value->text, &number) && std::isfinite(number);
  return is_one ? std::optional<double>(number) : std::nullopt;
}

std::optional<system_clock::time_point> Moment(const Json* value) {
  const std::optional<int64_t> number = WholeNumber(value);
  if (!number || *number <= 0 || *number > kLastUsageMillisecond) return std::nullopt;
  return system_clock::time_point(milliseconds(*number));
}

PlanUsage ReadPlan(const Json& json) {
  return {.total_spend = WholeNumber(json.Find("totalSpend")),
          .included_spend = WholeNumber(json.Find("includedSpend")),
          .bonus_spend = WholeNumber(json.Find("bonusSpend")),
          .remaining = WholeNumber(json.Find("remaining")),
          .limit = WholeNumber(json.Find("limit")),
          .auto_percent_used = Number(json.Find("autoPercentUsed")),
          .api_percent_used = Number(json.Find("apiPercentUsed")),
          .total_percent_used = Number(json.Find("totalPercentUsed"))};
}

SpendLimitUsage ReadSpendLimit(const Json& json) {
  return {.limit_type = std::string(json.FindString("limitType")),
          .individual_limit = WholeNumber(json.Find("individualLimit")),
          .individual_used = WholeNumber(json.Find("individualUsed")),
          .individual_remaining = WholeNumber(json.Find("individualRemaining")),
          .pooled_limit = WholeNumber(json.Find("pooledLimit")),
          .pooled_used = WholeNumber(json.Find("pooledUsed")),
          .pooled_remaining = WholeNumber(json.Find("pooledRemaining")),
          .overall_limit = WholeNumber(json.Find("overallLimit")),
          .overall_used = WholeNumber(json.Find("overallUsed")),
          .overall_remaining = WholeNumber(json.Find("overallRemaining"))};
}

const Json* FindObject(const Json& json, std::string_view name) {
  const Json* value = json.Find(name);
  return value != nullptr && value->is_object() ? value : nullptr;
}

}  // namespace

absl::StatusOr<AccountUsage> ParseAccountUsage(std::string_view json) {
  const absl::StatusOr<Json> root = wire::ParseJson(json);
  if (!root.ok()) return Annotate(root.status(), "the usage of the account");
  if (!root->is_object()) return ProtocolError("the usage of the account is no JSON object");
  AccountUsage usage{.cycle_start = Moment(root->Find("billingCycleStart")),
                     .cycle_end = Moment(root->Find("billingCycleEnd")),
                     .message = std::string(root->FindString("displayMessage"))};
  if (const Json* plan = FindObject(*root, "planUsage")) usage.plan = ReadPlan(*plan);
  if (const Json* limit = FindObject(*root, "spendLimitUsage")) {
    usage.spend_limit = ReadSpendLimit(*limit);
  }
  const Json* enabled = root->Find("enabled");
  if (enabled != nullptr && enabled->kind == Json::Kind::kBool) usage.enabled = enabled->boolean;
  return usage;
}

}  // namespace cursorwire
