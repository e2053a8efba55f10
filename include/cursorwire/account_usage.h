// Room: values
#ifndef CURSORWIRE_ACCOUNT_USAGE_H_
#define CURSORWIRE_ACCOUNT_USAGE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace cursorwire {

// What the account has used in this period of its plan, as the service counts it. What it does not
// tell is nullopt, or empty. Money is in cents of US dollars. Values.
// Source: docs/protocol.md, usage.

struct PlanUsage {
  std::optional<int64_t> total_spend{};
  std::optional<int64_t> included_spend{};  // of it, covered by the plan
  std::optional<int64_t> bonus_spend{};     // of it, a present of the service
  std::optional<int64_t> remaining{};
  std::optional<int64_t> limit{};
  // From 0 to 100, and beyond.
  std::optional<double> auto_percent_used{};  // models that the service chooses
  std::optional<double> api_percent_used{};   // models that the user names
  std::optional<double> total_percent_used{};
};

// What the user allows to be spent beyond the plan.
struct SpendLimitUsage {
  std::string limit_type{};  // "user" or "team"
  std::optional<int64_t> individual_limit{};
  std::optional<int64_t> individual_used{};
  std::optional<int64_t> individual_remaining{};
  std::optional<int64_t> pooled_limit{};
  std::optional<int64_t> pooled_used{};
  std::optional<int64_t> pooled_remaining{};
  std::optional<int64_t> overall_limit{};
  std::optional<int64_t> overall_used{};
  std::optional<int64_t> overall_remaining{};
};

struct AccountUsage {
  std::optional<std::chrono::system_clock::time_point> cycle_start{};
  std::optional<std::chrono::system_clock::time_point> cycle_end{};
  std::optional<PlanUsage> plan{};
  std::optional<SpendLimitUsage> spend_limit{};
  std::optional<bool> enabled{};
  std::string message{};  // for the user
};

}  // namespace cursorwire

#endif  // CURSORWIRE_ACCOUNT_USAGE_H_
