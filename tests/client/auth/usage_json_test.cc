#include "client/auth/usage_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "cursorwire/client.h"
#include "cursorwire/credentials.h"
#include "cursorwire/local_upstream.h"
#include "support/scratch_home.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::system_clock;
using ::testing::HasSubstr;
using ::testing::Optional;

// The form of docs/protocol.md, usage.
constexpr char kUsage[] =
    R"({"billingCycleStart":"1793491200000","billingCycleEnd":"1796083200000",)"
    R"("planUsage":{"totalSpend":1250,"includedSpend":1200,"bonusSpend":50,"remaining":750,)"
    R"("limit":2000,"autoPercentUsed":12.5,"apiPercentUsed":60,"totalPercentUsed":62.5},)"
    R"("spendLimitUsage":{"limitType":"team","individualLimit":5000,"pooledUsed":"7"},)"
    R"("enabled":true,"displayMessage":"fine","more":[1]})";

TEST(AccountUsage, IsReadAsTheServiceTellsIt) {
  const absl::StatusOr<AccountUsage> usage = ParseAccountUsage(kUsage);
  ASSERT_THAT(usage, IsOk());
  EXPECT_EQ(usage->cycle_start, system_clock::time_point(milliseconds(1793491200000)));
  EXPECT_EQ(usage->cycle_end, system_clock::time_point(milliseconds(1796083200000)));
  ASSERT_TRUE(usage->plan.has_value());
  EXPECT_THAT(usage->plan->total_spend, Optional(1250));
  EXPECT_THAT(usage->plan->included_spend, Optional(1200));
  EXPECT_THAT(usage->plan->bonus_spend, Optional(50));
  EXPECT_THAT(usage->plan->remaining, Optional(750));
  EXPECT_THAT(usage->plan->limit, Optional(2000));
  EXPECT_THAT(usage->plan->auto_percent_used, Optional(12.5));
  EXPECT_THAT(usage->plan->api_percent_used, Optional(60.0));
  EXPECT_THAT(usage->plan->total_percent_used, Optional(62.5));
  ASSERT_TRUE(usage->spend_limit.has_value());
  EXPECT_EQ(usage->spend_limit->limit_type, "team");
  EXPECT_THAT(usage->spend_limit->individual_limit, Optional(5000));
  EXPECT_EQ(usage->spend_limit->individual_used, std::nullopt);
  EXPECT_THAT(usage->spend_limit->pooled_used, Optional(7));
  EXPECT_THAT(usage->enabled, Optional(true));
  EXPECT_EQ(usage->message, "fine");
}

TEST(AccountUsage, MayTellNothing) {
  for (const char* json :
       {"{}", R"({"billingCycleStart":"soon","billingCycleEnd":-1,"planUsage":7,"enabled":"yes"})",
        R"({"billingCycleStart":"253402300799999","spendLimitUsage":[],"displayMessage":{}})"}) {
    SCOPED_TRACE(json);
    const absl::StatusOr<AccountUsage> usage = ParseAccountUsage(json);
    ASSERT_THAT(usage, IsOk());
    EXPECT_EQ(usage->cycle_start, std::nullopt);
    EXPECT_EQ(usage->cycle_end, std::nullopt);
    EXPECT_FALSE(usage->plan.has_value());
    EXPECT_FALSE(usage->spend_limit.has_value());
    EXPECT_EQ(usage->enabled, std::nullopt);
    EXPECT_EQ(usage->message, "");
  }
}

TEST(AccountUsage, IsRefusedWhereverItIsCut) {
  const std::string whole = kUsage;
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(ParseAccountUsage(whole.substr(0, size)), StatusIs(absl::StatusCode::kInternal));
  }
  EXPECT_THAT(ParseAccountUsage("[]"), StatusIs(absl::StatusCode::kInternal));
}

absl::StatusOr<AccountUsage> UsageFrom(const LocalUpstream& upstream) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1)), "r"));
  const connect::ChannelOptions channel{.tls = {.ca_pem = upstream.ca_pem()}};
  const auto credentials = Credentials::Create({.endpoint = upstream.url(), .channel = channel});
  const absl::StatusOr<Client> client = Client::Create(
      {.endpoint = upstream.url(), .token_source = *credentials, .channel = channel});
  if (!client.ok()) return client.status();
  return client->GetUsage();
}

TEST(GetUsage, AsksTheAccount) {
  const LocalUpstream upstream = *LocalUpstream::Start();
  const absl::StatusOr<AccountUsage> usage = UsageFrom(upstream);
  ASSERT_THAT(usage, IsOk());
  EXPECT_THAT(usage->plan->limit, Optional(2000));
  EXPECT_THAT(upstream.violations(), ::testing::IsEmpty());
}

TEST(GetUsage, RenewsARefusedTokenOnce) {
  const LocalUpstream good =
      *LocalUpstream::Start({.account = {.user = "ann", .checks_tokens = true}});
  EXPECT_THAT(UsageFrom(good), IsOk());
  EXPECT_EQ(good.account_counts().exchanges, 1u);
  const LocalUpstream bad = *LocalUpstream::Start({.account = {.user = "ann", .usage = {401}}});
  EXPECT_THAT(UsageFrom(bad), StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_EQ(bad.account_counts().exchanges, 1u);
  EXPECT_EQ(bad.account_counts().usages, 2u);
}

TEST(GetUsage, SaysThatTheServiceIsInTrouble) {
  const LocalUpstream upstream = *LocalUpstream::Start({.account = {.usage = {503}}});
  EXPECT_THAT(UsageFrom(upstream),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no figures")));
}

}  // namespace
}  // namespace cursorwire::test
