#include "net/address_race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"

namespace cursorwire::net {
namespace {

using namespace std::chrono_literals;
using connect::TimePoint;
using test::StatusIs;
using ::testing::Eq;
using ::testing::Optional;
using FailedWhere = AddressRace::FailedWhere;

constexpr TimePoint kStart = TimePoint() + 1000h;

// The number stands in the port.
Address Numbered(sa_family_t family, int number) {
  Address address;
  address.storage.ss_family = family;
  const uint16_t port = htons(static_cast<uint16_t>(number));
  if (family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(address.storage).sin_port = port;
    address.size = sizeof(sockaddr_in);
  } else {
    reinterpret_cast<sockaddr_in6&>(address.storage).sin6_port = port;
    address.size = sizeof(sockaddr_in6);
  }
  return address;
}
Address V4(int number) { return Numbered(AF_INET, number); }
Address V6(int number) { return Numbered(AF_INET6, number); }

// IPv6 negative.
std::vector<int> Numbers(const std::vector<Address>& addresses) {
  std::vector<int> numbers;
  for (const Address& address : addresses) {
    const bool v4 = address.storage.ss_family == AF_INET;
    numbers.push_back(
        v4 ? ntohs(reinterpret_cast<const sockaddr_in&>(address.storage).sin_port)
           : -ntohs(reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_port));
  }
  return numbers;
}

TEST(Interleave, PutsTheFamiliesInTurnsWithIpv6First) {
  struct Case {
    const char* name;
    std::vector<Address> addresses;
    std::vector<int> expected;
  };
  const Case cases[] = {
      {"none", {}, {}},
      {"one", {V4(1)}, {1}},
      {"IPv4 alone", {V4(1), V4(2)}, {1, 2}},
      {"IPv6 alone", {V6(1), V6(2)}, {-1, -2}},
      {"IPv4 before IPv6", {V4(1), V4(2), V6(1), V6(2)}, {-1, 1, -2, 2}},
      {"more IPv6", {V6(1), V6(2), V6(3), V4(1)}, {-1, 1, -2, -3}},
      {"more IPv4", {V6(1), V4(1), V4(2), V4(3)}, {-1, 1, 2, 3}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Numbers(Interleave(c.addresses)), c.expected);
  }
}

TEST(Interleave, KeepsNoMoreThanAreTriedOfBothFamilies) {
  std::vector<Address> many;
  for (int i = 1; i <= 1000; ++i) many.push_back(V6(i));
  for (int i = 1; i <= 1000; ++i) many.push_back(V4(i));
  const std::vector<int> kept = Numbers(Interleave(many));
  ASSERT_EQ(kept.size(), kMaxAddresses);
  EXPECT_EQ(kept.back(), static_cast<int>(kMaxAddresses / 2));
}

TEST(AddressRace, BeginsTheNextAttemptAfterTheDelay) {
  AddressRace race(3);
  EXPECT_THAT(race.TakeDue(kStart), Optional(0u));
  EXPECT_THAT(race.TakeDue(kStart), Eq(std::nullopt));
  EXPECT_THAT(race.NextDeadline(), Optional(kStart + 250ms));
  EXPECT_THAT(race.TakeDue(kStart + 249ms), Eq(std::nullopt));
  EXPECT_THAT(race.TakeDue(kStart + 250ms), Optional(1u));
  // From the attempt on, which was late.
  EXPECT_THAT(race.NextDeadline(), Optional(kStart + 500ms));
  EXPECT_THAT(race.TakeDue(kStart + 700ms), Optional(2u));
  EXPECT_THAT(race.NextDeadline(), Eq(std::nullopt));
  EXPECT_THAT(race.TakeDue(kStart + 10h), Eq(std::nullopt));
  EXPECT_FALSE(race.lost());
}

TEST(AddressRace, BeginsTheNextAttemptAtOnceWhenOneFails) {
  AddressRace race(3);
  EXPECT_THAT(race.TakeDue(kStart), Optional(0u));
  race.OnFailed(absl::UnavailableError("a"), FailedWhere::kNetwork);
  EXPECT_LE(race.NextDeadline(), kStart);
  EXPECT_THAT(race.TakeDue(kStart + 1ms), Optional(1u));
  EXPECT_THAT(race.TakeDue(kStart + 1ms), Eq(std::nullopt));
  EXPECT_THAT(race.NextDeadline(), Optional(kStart + 251ms));
  EXPECT_FALSE(race.lost());
}

TEST(AddressRace, IsLostWhenAllHaveFailed) {
  AddressRace race(2);
  EXPECT_THAT(race.TakeDue(kStart), Optional(0u));
  EXPECT_THAT(race.TakeDue(kStart + 1s), Optional(1u));
  race.OnFailed(absl::UnavailableError("a"), FailedWhere::kNetwork);
  EXPECT_FALSE(race.lost());
  EXPECT_THAT(race.TakeDue(kStart + 2s), Eq(std::nullopt));
  race.OnFailed(absl::UnavailableError("b"), FailedWhere::kNetwork);
  EXPECT_TRUE(race.lost());
}

TEST(AddressRace, ReportsTheFailureThatTellsMost) {
  struct Case {
    const char* name;
    std::vector<FailedWhere> failures;  // "1", "2" and so on
    const char* message;
  };
  constexpr auto kHere = FailedWhere::kThisMachine;
  constexpr auto kThere = FailedWhere::kNetwork;
  const Case cases[] = {
      {"one address", {kThere}, "1"},
      {"the last of the network", {kThere, kThere}, "tried 2 addresses: 2"},
      {"the last of this machine", {kHere, kHere}, "tried 2 addresses: 2"},
      {"the network before this machine", {kHere, kThere, kHere}, "tried 3 addresses: 2"},
      {"the network at the end", {kHere, kHere, kThere}, "tried 3 addresses: 3"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    AddressRace race(c.failures.size());
    int number = 0;
    for (const FailedWhere where : c.failures) {
      ASSERT_TRUE(race.TakeDue(kStart).has_value());
      race.OnFailed(TransportError(std::to_string(++number), Replay::kSafe), where);
    }
    EXPECT_THAT(race.error(), StatusIs(absl::StatusCode::kUnavailable, Eq(c.message)));
    EXPECT_TRUE(connect::GetErrorInfo(race.error())->replay_safe);
  }
}

}  // namespace
}  // namespace cursorwire::net
