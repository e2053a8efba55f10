#include "client/turn/token_cell.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::system_clock;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

std::string Jwt(const std::string& claims) {
  return "eyJhbGciOiJub25lIn0." + absl::WebSafeBase64Escape(claims) + ".c2ln";
}

TEST(ExpiryOf, ReadsTheClaimOfAJsonWebToken) {
  EXPECT_THAT(ExpiryOf(Jwt(R"({"sub":"a","exp":1700000000})")),
              Optional(Eq(system_clock::time_point(seconds(1'700'000'000)))));
  for (const std::string& token :
       {std::string(), std::string("opaque"), std::string("a.b"), std::string("a.!!.c"), Jwt("{}"),
        Jwt("[1]"), Jwt(R"({"exp":"soon"})"), Jwt(R"({"exp":-1})"), Jwt(R"({"exp":1e300})"),
        Jwt("no JSON")}) {
    SCOPED_TRACE(token);
    EXPECT_EQ(ExpiryOf(token), std::nullopt);
  }
}

// Gives tokens with a number, each of which ends after a time.
class Numbered final : public TokenSource {
 public:
  explicit Numbered(system_clock::duration life) : Numbered(life, life) {}
  Numbered(system_clock::duration life, system_clock::duration later_life)
      : life_(life), later_life_(later_life) {}
  absl::StatusOr<AccessToken> GetToken(std::stop_token) override {
    if (fails) return absl::UnavailableError("no network");
    const int number = ++count;
    return AccessToken{.token = "token-" + std::to_string(number),
                       .expires_at = system_clock::now() + (number == 1 ? life_ : later_life_)};
  }
  std::atomic<int> count = 0;
  std::atomic<bool> fails = false;

 private:
  const system_clock::duration life_;  // of the first
  const system_clock::duration later_life_;
};

TEST(TokenCell, IsRenewedNearItsEndAlone) {
  const auto now = system_clock::now();
  const auto source = std::make_shared<Numbered>(std::chrono::hours(1));
  TokenCell soon({.token = "old", .expires_at = now + minutes(4)}, source);
  EXPECT_TRUE(soon.IsNearEnd(now));
  soon.Renew({});
  EXPECT_EQ(soon.token(), "token-1");
  soon.Renew({});  // it is good
  EXPECT_EQ(source->count, 1);

  EXPECT_FALSE(TokenCell({.token = "t", .expires_at = now + minutes(6)}, source).IsNearEnd(now));
  EXPECT_FALSE(TokenCell({.token = "t"}, source).IsNearEnd(now));
  EXPECT_FALSE(TokenCell({.token = "t", .expires_at = now}, nullptr).IsNearEnd(now));
}

TEST(TokenCell, IsRenewedInTheBackgroundByOneAlone) {
  const auto now = system_clock::now();
  const auto source = std::make_shared<Numbered>(minutes(1));
  TokenCell cell({.token = "old", .expires_at = now}, source);
  EXPECT_TRUE(cell.StartsRenewal(now));
  EXPECT_FALSE(cell.StartsRenewal(now));
  source->fails = true;
  cell.RenewInBackground();
  EXPECT_FALSE(cell.StartsRenewal(system_clock::now()));  // it has just failed
  const auto later = system_clock::now() + TokenCell::kRenewalPause;
  EXPECT_TRUE(cell.StartsRenewal(later));
  source->fails = false;
  cell.RenewInBackground();
  EXPECT_EQ(cell.token(), "token-1");
  cell.StopRenewals();
  EXPECT_FALSE(cell.StartsRenewal(later + minutes(10)));
}

TEST(TokenCell, KeepsTheFormerTokenWhereThereIsNoOther) {
  const auto source = std::make_shared<Numbered>(minutes(1));
  source->fails = true;
  TokenCell cell({.token = "old", .expires_at = system_clock::now()}, source);
  cell.Renew({});
  EXPECT_EQ(cell.token(), "old");
}

TEST(TokenCell, TakesNoTokenThatHttpDoesNotAllow) {
  class Broken final : public TokenSource {
   public:
    absl::StatusOr<AccessToken> GetToken(std::stop_token) override {
      if (throws) throw std::runtime_error("out of paper");
      return AccessToken{.token = "two\nlines"};
    }
    bool throws = false;
  };
  const auto source = std::make_shared<Broken>();
  TokenCell cell({.token = "old", .expires_at = system_clock::now()}, source);
  cell.Renew({});
  EXPECT_EQ(cell.token(), "old");
  source->throws = true;
  cell.Renew({});
  EXPECT_EQ(cell.token(), "old");
}

// docs/protocol.md, traps, 9.
TEST(TokenSource, IsAskedAgainBeforeALostTurnIsTriedAgain) {
  const auto source = std::make_shared<Numbered>(minutes(1), std::chrono::hours(1));
  const LocalUpstream upstream = *LocalUpstream::Start(
      {.scripts = {
           Script().Error("unavailable", "busy"),
           Script().ExpectHeaders(R"({"authorization": "Bearer token-2"})").Text("a").TurnEnded(),
           Script()
               .ExpectHeaders(R"({"authorization": "Bearer token-2"})")
               .Text("b")
               .TurnEnded()}});
  const absl::StatusOr<Client> client =
      Client::Create({.endpoint = upstream.url(),
                      .token_source = source,
                      .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                      .retry = {.first_delay = std::chrono::milliseconds(0)}});
  ASSERT_THAT(client, IsOk());
  EXPECT_EQ(client->Chat({.prompt = "p"}).Collect()->text, "a");
  EXPECT_EQ(client->Chat({.prompt = "p"}).Collect()->text, "b");
  EXPECT_THAT(upstream.violations(), IsEmpty());
}

TEST(TokenSource, IsAskedWhenATurnStartsWithATokenThatEndsSoon) {
  const auto source = std::make_shared<Numbered>(minutes(1), std::chrono::hours(1));
  const LocalUpstream upstream = *LocalUpstream::Start(Script().Text("a").TurnEnded());
  const absl::StatusOr<Client> client =
      Client::Create({.endpoint = upstream.url(),
                      .token_source = source,
                      .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_THAT(client, IsOk());
  EXPECT_EQ(client->Chat({.prompt = "p"}).Collect()->text, "a");
  while (source->count < 2) std::this_thread::yield();
}

TEST(TokenSource, SaysWhyThereIsNoClient) {
  const auto source = std::make_shared<Numbered>(minutes(1));
  source->fails = true;
  EXPECT_THAT(Client::Create({.endpoint = "https://localhost:1", .token_source = source}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no network")));
}

}  // namespace
}  // namespace cursorwire::test
