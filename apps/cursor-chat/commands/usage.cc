#include "commands/usage.h"

#include <absl/strings/str_format.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/json_line.h"
#include "common/visible_text.h"
#include "output/redacted_json.h"

namespace cursor_chat {
namespace {

using cursorwire::AccountUsage;
using cursorwire::PlanUsage;
using cursorwire::SpendLimitUsage;
using nlohmann::json;
using Moment = std::chrono::system_clock::time_point;

constexpr size_t kBarColumns = 30;

std::string Day(const Moment& moment) {
  return absl::FormatTime("%Y-%m-%d", absl::FromChrono(moment), absl::UTCTimeZone());
}

std::string Dollars(int64_t cents) {
  return absl::StrFormat("%s$%d.%02d", cents < 0 ? "-" : "", std::abs(cents / 100),
                         std::abs(cents % 100));
}

std::string Bar(double percent, size_t columns) {
  if (columns == 0) return "";
  const double part = std::clamp(percent, 0.0, 100.0) / 100;
  const auto full = static_cast<size_t>(std::lround(part * static_cast<double>(columns)));
  return "[" + std::string(full, '#') + std::string(columns - full, '.') + "] ";
}

std::string PercentLine(const char* label, std::optional<double> percent, size_t bar_columns) {
  if (!percent) return "";
  return absl::StrFormat("  %-15s %s%.1f%%\n", label, Bar(*percent, bar_columns), *percent);
}

// "$3.00 of $50.00, $47.00 left"; what is unknown is left out. Empty: nothing is known.
std::string MoneyLine(const char* label, std::optional<int64_t> used, std::optional<int64_t> limit,
                      std::optional<int64_t> left) {
  std::string line;
  if (used) line = Dollars(*used);
  if (limit) line += (line.empty() ? "limit " : " of ") + Dollars(*limit);
  if (left) line += (line.empty() ? "" : ", ") + Dollars(*left) + " left";
  return line.empty() ? "" : absl::StrFormat("  %-15s %s\n", label, line);
}

std::string Period(const AccountUsage& usage) {
  if (!usage.cycle_start && !usage.cycle_end) return "";
  return absl::StrFormat("Period: %s to %s\n", usage.cycle_start ? Day(*usage.cycle_start) : "?",
                         usage.cycle_end ? Day(*usage.cycle_end) : "?");
}

std::string PlanText(const PlanUsage& plan, size_t bar_columns) {
  return "Plan:\n" + PercentLine("in all", plan.total_percent_used, bar_columns) +
         PercentLine("chosen models", plan.auto_percent_used, bar_columns) +
         PercentLine("named models", plan.api_percent_used, bar_columns) +
         MoneyLine("spent", plan.total_spend, plan.limit, plan.remaining) +
         MoneyLine("of it included", plan.included_spend, std::nullopt, std::nullopt) +
         MoneyLine("of it a bonus", plan.bonus_spend, std::nullopt, std::nullopt);
}

std::string LimitText(const SpendLimitUsage& limit) {
  const std::string lines =
      MoneyLine("yours", limit.individual_used, limit.individual_limit,
                limit.individual_remaining) +
      MoneyLine("of all", limit.pooled_used, limit.pooled_limit, limit.pooled_remaining) +
      MoneyLine("together", limit.overall_used, limit.overall_limit, limit.overall_remaining);
  return lines.empty() ? "" : "Beyond the plan:\n" + lines;
}

template <typename T>
void Put(json& object, const char* name, const std::optional<T>& value) {
  object[name] = value ? json(*value) : json();
}

json ToJson(const PlanUsage& plan) {
  json object = json::object();
  Put(object, "total_spend_cents", plan.total_spend);
  Put(object, "included_spend_cents", plan.included_spend);
  Put(object, "bonus_spend_cents", plan.bonus_spend);
  Put(object, "remaining_cents", plan.remaining);
  Put(object, "limit_cents", plan.limit);
  Put(object, "auto_percent_used", plan.auto_percent_used);
  Put(object, "api_percent_used", plan.api_percent_used);
  Put(object, "total_percent_used", plan.total_percent_used);
  return object;
}

json ToJson(const SpendLimitUsage& limit) {
  json object = {{"limit_type", limit.limit_type}};
  Put(object, "individual_limit_cents", limit.individual_limit);
  Put(object, "individual_used_cents", limit.individual_used);
  Put(object, "individual_remaining_cents", limit.individual_remaining);
  Put(object, "pooled_limit_cents", limit.pooled_limit);
  Put(object, "pooled_used_cents", limit.pooled_used);
  Put(object, "pooled_remaining_cents", limit.pooled_remaining);
  Put(object, "overall_limit_cents", limit.overall_limit);
  Put(object, "overall_used_cents", limit.overall_used);
  Put(object, "overall_remaining_cents", limit.overall_remaining);
  return object;
}

json Rfc3339(const std::optional<Moment>& moment) {
  if (!moment) return json();
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(*moment), absl::UTCTimeZone());
}

json ToJson(const AccountUsage& usage) {
  json object = {{"cycle_start", Rfc3339(usage.cycle_start)},
                 {"cycle_end", Rfc3339(usage.cycle_end)},
                 {"plan", usage.plan ? ToJson(*usage.plan) : json()},
                 {"spend_limit", usage.spend_limit ? ToJson(*usage.spend_limit) : json()},
                 {"message", usage.message}};
  Put(object, "enabled", usage.enabled);
  return object;
}

}  // namespace

std::string UsageText(const AccountUsage& usage, size_t bar_columns) {
  std::string text = Period(usage);
  if (usage.plan) text += PlanText(*usage.plan, bar_columns);
  if (usage.spend_limit) text += LimitText(*usage.spend_limit);
  if (!usage.message.empty()) text += cursor_apps::ExactLine(usage.message) + "\n";
  return text.empty() ? "The service tells nothing of this account's usage\n" : text;
}

absl::Status PrintUsage(const cursorwire::Client& client, const Options& options, Output& output,
                        const std::stop_token& stop) {
  const absl::StatusOr<AccountUsage> usage = client.GetUsage(stop);
  if (!usage.ok()) return usage.status();
  if (options.format == Format::kText) {
    const size_t bar_columns = output.is_terminal() ? kBarColumns : 0;
    output.Write(output.redactor().Redact(UsageText(*usage, bar_columns)));
  } else {
    json object = ToJson(*usage);
    RedactStrings(output.redactor(), object);
    output.Write(cursor_apps::JsonLine(object) + "\n");
  }
  return absl::OkStatus();
}

}  // namespace cursor_chat
