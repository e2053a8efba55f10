#include "cursorwire/credentials.h"

#include <absl/strings/match.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/auth/access_token.h"
#include "client/auth/login_file.h"
#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "files/locked_file.h"
#include "support/scratch_home.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

LocalUpstream StartWith(LocalAccount account, std::vector<Script> scripts = {}) {
  return *LocalUpstream::Start({.scripts = std::move(scripts), .account = std::move(account)});
}

CredentialsOptions OptionsFor(const LocalUpstream& upstream) {
  return {.endpoint = upstream.url(), .channel = {.tls = {.ca_pem = upstream.ca_pem()}}};
}

// Of a service that is not there.
CredentialsOptions Alone() { return {.endpoint = RefusedUrl()}; }

absl::StatusOr<std::string> TokenFrom(const CredentialsOptions& options) {
  const auto credentials = Credentials::Create(options);
  if (!credentials.ok()) return credentials.status();
  const absl::StatusOr<AccessToken> token = (*credentials)->GetToken({});
  if (!token.ok()) return token.status();
  return token->token;
}

TEST(CredentialPlaces, HaveNames) {
  EXPECT_THAT(ParseCredentialPlaces("store,env"),
              IsOkAndHolds(std::vector{CredentialPlace::kStore, CredentialPlace::kEnvironment}));
  EXPECT_THAT(ParseCredentialPlaces("cli,desktop"),
              IsOkAndHolds(std::vector{CredentialPlace::kCli, CredentialPlace::kDesktop}));
  EXPECT_EQ(NameOf(CredentialPlace::kDesktop), "desktop");
  for (const char* list : {"", "env,", "store,env,store", "keychain", "ENV"}) {
    SCOPED_TRACE(list);
    EXPECT_THAT(ParseCredentialPlaces(list), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(Credentials, SayWhereALoginIsToBeHad) {
  const ScratchHome home;
  EXPECT_THAT(TokenFrom(Alone()),
              StatusIs(absl::StatusCode::kUnauthenticated,
                       AllOf(HasSubstr("cursor-chat login"), HasSubstr("CURSOR_ACCESS_TOKEN"))));
}

TEST(Credentials, TakeTheFirstPlaceThatHasALogin) {
  const ScratchHome home;
  const std::string token = TokenOf("store", hours(1));
  home.Write(kStoreFile, LoginJson(token));
  home.Write(kCliFile, LoginJson(TokenOf("cli", hours(1))));
  CredentialsOptions options = Alone();
  EXPECT_THAT(TokenFrom(options), IsOkAndHolds(token));
  options.places = {CredentialPlace::kCli, CredentialPlace::kStore};
  EXPECT_EQ(SubjectOf(*TokenFrom(options)), "cli");
  options.places = {CredentialPlace::kEnvironment, CredentialPlace::kStore};
  home.Set("CURSOR_AUTH_TOKEN", "second");
  EXPECT_THAT(TokenFrom(options), IsOkAndHolds("second"));
  home.Set("CURSOR_ACCESS_TOKEN", "first");
  EXPECT_THAT(TokenFrom(options), IsOkAndHolds("first"));
}

TEST(Credentials, FindTheFilesOfTheCliWhereverItKeepsThem) {
  for (const char* file : {".config/cursor/auth.json", ".cursor/auth.json", "x/cursor/auth.json"}) {
    SCOPED_TRACE(file);
    const ScratchHome home;
    home.Set("XDG_CONFIG_HOME", home.At("x"));
    home.Write(file, LoginJson("opaque-token"));
    EXPECT_THAT(TokenFrom(Alone()), IsOkAndHolds("opaque-token"));
  }
  const ScratchHome home;
  // The first says whose account it is.
  home.Write(".config/cursor/auth.json", LoginJson(TokenOf("a", -hours(1)), "r"));
  home.Write(".cursor/auth.json", LoginJson(TokenOf("b", hours(1))));
  EXPECT_THAT(TokenFrom(Alone()), StatusIs(absl::StatusCode::kUnavailable));
  const std::string token = TokenOf("a", hours(1));
  home.Write(".cursor/auth.json", LoginJson(token));
  EXPECT_THAT(TokenFrom(Alone()), IsOkAndHolds(token));
}

TEST(Credentials, UseTheDesktopWhereItIsNamed) {
  const ScratchHome home;
  CredentialsOptions options = Alone();
  options.desktop = [] { return FoundTokens{.access_token = "of-the-desktop", .origin = "vscdb"}; };
  EXPECT_THAT(TokenFrom(options), StatusIs(absl::StatusCode::kUnauthenticated));
  options.places.push_back(CredentialPlace::kDesktop);
  EXPECT_THAT(TokenFrom(options), IsOkAndHolds("of-the-desktop"));
}

TEST(Credentials, RefuseAFileThatOthersMayRead) {
  for (const char* file : {kStoreFile, kCliFile}) {
    SCOPED_TRACE(file);
    const ScratchHome home;
    home.Write(file, LoginJson("secret-token"), 0640);
    EXPECT_THAT(TokenFrom(Alone()), StatusIs(absl::StatusCode::kUnauthenticated,
                                             AllOf(HasSubstr("0640"), HasSubstr("chmod 600"),
                                                   HasSubstr(file), Not(HasSubstr("secret")))));
  }
}

TEST(Credentials, SayWhichFileIsBroken) {
  const ScratchHome home;
  home.Write(kStoreFile, "{\"accessToken\":\"secr");
  EXPECT_THAT(TokenFrom(Alone()), StatusIs(absl::StatusCode::kUnauthenticated,
                                           AllOf(HasSubstr(kStoreFile), Not(HasSubstr("secr")))));
  home.Write(kStoreFile, "");  // of a process that was killed
  EXPECT_THAT(TokenFrom(Alone()),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("no access token")));
}

TEST(Credentials, RenewALoginThatEndsAndKeepTheNewOne) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann", .rotates = true});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", minutes(4)), "local-refresh-0"));
  const absl::StatusOr<std::string> token = TokenFrom(OptionsFor(upstream));
  ASSERT_THAT(token, IsOk());
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
  const auto kept = ReadLogin(home.At(kStoreFile));
  ASSERT_THAT(kept, IsOk());
  EXPECT_EQ((*kept)->access_token, *token);
  EXPECT_THAT((*kept)->refresh_token, AllOf(HasSubstr("local-refresh-"), Not("local-refresh-0")));
  EXPECT_THAT(TokenFrom(OptionsFor(upstream)), IsOkAndHolds(*token));
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
}

// Also where the clock of this machine is ahead, so that each token has ended when it comes.
TEST(Credentials, UseATokenOfAShortLifeUntilItEndsOrIsRefused) {
  for (const seconds life : {seconds(100), -seconds(100)}) {
    for (const bool has_file : {true, false}) {
      SCOPED_TRACE(testing::Message() << life.count() << " s, a file: " << has_file);
      const ScratchHome home;
      const LocalUpstream upstream = StartWith({.user = "ann", .token_life = life});
      if (has_file) {
        home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
      } else {
        home.Set("HOME", "");
        home.Set("CURSOR_API_KEY", "key_of_the_user");
      }
      const auto credentials = *Credentials::Create(OptionsFor(upstream));
      const absl::StatusOr<AccessToken> token = credentials->GetToken({});
      ASSERT_THAT(token, IsOk());
      EXPECT_EQ(credentials->GetToken({})->token, token->token);
      EXPECT_EQ(upstream.account_counts().exchanges, 1u);
      EXPECT_NE(credentials->ReplaceToken(token->token, {})->token, token->token);
      EXPECT_EQ(upstream.account_counts().exchanges, 2u);
    }
  }
}

TEST(Credentials, ExchangeOnceForAClientWhoseTokensLiveShort) {
  const ScratchHome home;
  const LocalUpstream upstream =
      StartWith({.user = "ann", .token_life = seconds(100), .checks_tokens = true},
                {Script().Text("hello").TurnEnded()});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  const absl::StatusOr<Client> client =
      Client::Create({.endpoint = upstream.url(),
                      .token_source = *Credentials::Create(OptionsFor(upstream)),
                      .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ASSERT_THAT(client, IsOk());
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(client->Chat({.prompt = "p"}).Collect()->text, "hello");
  }
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
}

TEST(Credentials, LeaveWhatElseTheCliKeeps) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann"});
  home.Write(kCliFile, R"({"authId":[7],"accessToken":")" + TokenOf("ann", -hours(1)) +
                           R"(","refreshToken":"r"})");
  const absl::StatusOr<std::string> token = TokenFrom(OptionsFor(upstream));
  ASSERT_THAT(token, IsOk());
  EXPECT_EQ(ReadText(home.At(kCliFile)),
            R"({"authId":[7],"accessToken":")" + *token + R"(","refreshToken":"r"})" + "\n");
}

TEST(Credentials, PreferTheGoodTokenOfTheSameAccountToARenewal) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  const std::string token = TokenOf("ann", hours(1));
  home.Write(kCliFile, LoginJson(token));
  EXPECT_THAT(TokenFrom(Alone()), IsOkAndHolds(token));
}

TEST(Credentials, NeverTakeTheTokenOfAnotherAccount) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1))));
  home.Write(kCliFile, LoginJson(TokenOf("bob", hours(1))));
  EXPECT_THAT(TokenFrom(Alone()), StatusIs(absl::StatusCode::kUnauthenticated,
                                           AllOf(HasSubstr("has ended"), HasSubstr(kStoreFile))));
  // Nor does a renewal.
  const LocalUpstream upstream = StartWith({.user = "bob"});
  const std::string token = TokenOf("ann", -hours(1));
  home.Write(kStoreFile, LoginJson(token, "r"));
  EXPECT_THAT(TokenFrom(OptionsFor(upstream)),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("another account")));
  EXPECT_THAT(ReadText(home.At(kStoreFile)), HasSubstr(token));
}

TEST(Credentials, NoticeThatAnotherAccountHasLoggedIn) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1))));
  const auto credentials = *Credentials::Create(Alone());
  ASSERT_THAT(credentials->GetToken({}), IsOk());
  home.Write(kStoreFile, LoginJson(TokenOf("bob", hours(1))));
  EXPECT_THAT(credentials->GetToken({}),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("another account")));
}

TEST(Credentials, UseWhatIsLeftOfATokenThatCannotBeRenewedNow) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson(TokenOf("ann", minutes(4)), "r"));
  EXPECT_EQ(SubjectOf(*TokenFrom(Alone())), "ann");
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -seconds(1)), "r"));
  EXPECT_THAT(TokenFrom(Alone()), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(kStoreFile)));
}

TEST(Credentials, RememberARefusedRefreshTokenAcrossProcesses) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann", .exchange = {401}});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "a-refresh-token"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(TokenFrom(OptionsFor(upstream)),
                StatusIs(absl::StatusCode::kUnauthenticated,
                         AllOf(HasSubstr("log in again"), Not(HasSubstr("a-refresh-token")))));
  }
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
  const std::string memory = ReadText(home.At(".local/state/cursorwire/failed-refresh.json"));
  // The start of the SHA-256 of "a-refresh-token".
  EXPECT_THAT(memory, AllOf(HasSubstr("\"f75807d54e45e4de\":"), Not(HasSubstr("a-refresh"))));
}

TEST(Credentials, DoNotRememberTroubleOfTheService) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann", .exchange = {503, 500, 429, 200}});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r-1"));
  EXPECT_THAT(TokenFrom(Alone()), StatusIs(absl::StatusCode::kUnavailable));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(TokenFrom(OptionsFor(upstream)), StatusIs(absl::StatusCode::kUnavailable));
  }
  EXPECT_THAT(TokenFrom(OptionsFor(upstream)), IsOk());
}

TEST(Credentials, ExchangeAnApiKeyOnceForSeveralProcesses) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann"});
  home.Set("CURSOR_API_KEY", "key_of_the_user");
  const absl::StatusOr<std::string> token = TokenFrom(OptionsFor(upstream));
  ASSERT_THAT(token, IsOk());
  EXPECT_EQ(SubjectOf(*token), "ann");
  EXPECT_THAT(TokenFrom(OptionsFor(upstream)), IsOkAndHolds(*token));
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
  for (const auto& entry :
       std::filesystem::directory_iterator(home.At(".local/state/cursorwire"))) {
    EXPECT_THAT(ReadText(entry.path().string()), Not(HasSubstr("key_of_the_user")));
  }
}

TEST(Credentials, RenewOnceForManyThreads) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann", .rotates = true});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  const auto credentials = *Credentials::Create(OptionsFor(upstream));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_THAT(credentials->GetToken({}), IsOk()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
}

TEST(Credentials, TakeAShortTokenThatAnotherHasJustGot) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann"});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  const std::string other = TokenOf("ann", seconds(100));
  CredentialsOptions options = OptionsFor(upstream);
  options.places = {CredentialPlace::kStore, CredentialPlace::kDesktop};
  // Asked after the store was read.
  options.desktop = [&]() -> std::optional<FoundTokens> {
    home.Write(kStoreFile, LoginJson(other, "r"));
    return std::nullopt;
  };
  EXPECT_THAT(TokenFrom(options), IsOkAndHolds(other));
  EXPECT_EQ(upstream.account_counts().exchanges, 0u);
}

// As processes do: each with an object of its own.
TEST(Credentials, RenewOnceForManyObjects) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann", .rotates = true});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_THAT(TokenFrom(OptionsFor(upstream)), IsOk()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
}

TEST(Credentials, TellWhoseTheyAre) {
  const ScratchHome home;
  const std::string token = TokenOf("auth0|ann", hours(1));
  home.Write(kStoreFile, LoginJson(token, "r"));
  const absl::StatusOr<Account> account = (*Credentials::Create(Alone()))->account();
  ASSERT_THAT(account, IsOk());
  EXPECT_EQ(account->place, CredentialPlace::kStore);
  EXPECT_EQ(account->origin, home.At(kStoreFile));
  EXPECT_EQ(account->user, "auth0|ann");
  EXPECT_EQ(account->expires_at, ExpiryOf(token));
  EXPECT_TRUE(account->is_renewable);
  home.Write(kStoreFile, LoginJson(TokenOf("auth0|ann", -hours(1))));
  EXPECT_THAT((*Credentials::Create(Alone()))->account(),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("has ended")));
}

TEST(LogOut, RemovesTheLoginOfTheStoreAlone) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson("a"));
  home.Write(kCliFile, LoginJson("b"));
  EXPECT_THAT(LogOut(), IsOkAndHolds(true));
  EXPECT_THAT(LogOut(), IsOkAndHolds(false));
  EXPECT_THAT(TokenFrom(Alone()), IsOkAndHolds("b"));
}

TEST(Credentials, StopWhenNobodyWaits) {
  const ScratchHome home;
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  const auto file = LockedFile::Open(home.At(kStoreFile), LockedFile::Missing::kRefuse);
  ASSERT_THAT(file, IsOk());  // as another process that renews it
  const auto credentials = *Credentials::Create(Alone());
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  EXPECT_THAT(credentials->GetToken(stop.get_token()), StatusIs(absl::StatusCode::kCancelled));
  stopper.join();
}

// The answer may be the only one that has the new refresh token.
TEST(Credentials, BringARenewalToItsEndThatNobodyWaitsFor) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann", .rotates = true});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "local-refresh-0"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT((*Credentials::Create(OptionsFor(upstream)))->GetToken(stop.get_token()), IsOk());
  EXPECT_THAT((*ReadLogin(home.At(kStoreFile)))->refresh_token, Not("local-refresh-0"));
}

// But not for as long as a service takes that never answers.
TEST(Credentials, GiveUpARenewalThatNobodyWaitsFor) {
  const ScratchHome home;
  TestServer service({.routes = {{"/auth/exchange_user_api_key", NeverAnswer()}}});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  const auto credentials = *Credentials::Create({.endpoint = service.url()});
  std::stop_source stop;
  std::thread renews([&] {
    EXPECT_THAT(credentials->GetToken(stop.get_token()), StatusIs(absl::StatusCode::kCancelled));
  });
  ASSERT_TRUE(service.Await(Requests(1)));
  // Meanwhile another thread waits for that alone.
  std::stop_source other;
  other.request_stop();
  EXPECT_THAT(credentials->GetToken(other.get_token()), StatusIs(absl::StatusCode::kCancelled));
  stop.request_stop();
  renews.join();
  EXPECT_TRUE(service.Await(Gone(1)));
}

// The client says so, too.
TEST(Credentials, AreNotWaitedForWhenAClientIsNotWanted) {
  const ScratchHome home;
  TestServer service({.routes = {{"/auth/exchange_user_api_key", NeverAnswer()}}});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "r"));
  std::stop_source stop;
  std::thread stopper([&] {
    EXPECT_TRUE(service.Await(Requests(1)));
    stop.request_stop();
  });
  EXPECT_THAT(Client::Create({.endpoint = service.url()}, stop.get_token()),
              StatusIs(absl::StatusCode::kCancelled));
  stopper.join();
}

// While it is asked, and while the token that it refuses is replaced.
TEST(Credentials, LetAQuestionForTheUsageEnd) {
  const ScratchHome home;
  const std::string usage = "/aiserver.v1.DashboardService/GetCurrentPeriodUsage";
  for (const bool refuses : {false, true}) {
    SCOPED_TRACE(refuses);
    TestServer service(
        {.routes = {{usage, refuses ? AnswerHttp(401, "text/plain", "no") : NeverAnswer()},
                    {"/auth/exchange_user_api_key", NeverAnswer()}}});
    home.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1)), "r"));
    const absl::StatusOr<Client> client = Client::Create({.endpoint = service.url()});
    ASSERT_THAT(client, IsOk());
    std::stop_source stop;
    std::thread stopper([&] {
      EXPECT_TRUE(service.Await(Requests(refuses ? 2 : 1)));
      stop.request_stop();
    });
    EXPECT_THAT(client->GetUsage(stop.get_token()), StatusIs(absl::StatusCode::kCancelled));
    stopper.join();
  }
}

TEST(Credentials, SpendNoRefreshTokenWhoseSuccessorCannotBeKept) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann", .rotates = true});
  home.Write(kStoreFile, LoginJson(TokenOf("ann", -hours(1)), "local-refresh-0"));
  // Where the new file is written, beside the old one, is a folder.
  home.Write(".config/cursorwire/.credentials.json.cursorwire-new/x", "");
  EXPECT_FALSE(TokenFrom(OptionsFor(upstream)).ok());
  EXPECT_EQ(upstream.account_counts().exchanges, 0u);
}

TEST(Credentials, DoNotRenewTheLoginOfTheDesktop) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann"});
  CredentialsOptions options = OptionsFor(upstream);
  options.places = {CredentialPlace::kDesktop};
  options.desktop = [] {
    return FoundTokens{.access_token = TokenOf("ann", -hours(1)), .refresh_token = "r"};
  };
  EXPECT_THAT(TokenFrom(options),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("has ended")));
  EXPECT_EQ(upstream.account_counts().exchanges, 0u);
}

TEST(Credentials, ExchangeAnApiKeyOnceWithoutAPlaceForFiles) {
  const ScratchHome home;
  const LocalUpstream upstream = StartWith({.user = "ann"});
  home.Set("HOME", "");
  home.Set("CURSOR_API_KEY", "key_of_the_user");
  const auto credentials = *Credentials::Create(OptionsFor(upstream));
  const absl::StatusOr<AccessToken> token = credentials->GetToken({});
  ASSERT_THAT(token, IsOk());
  EXPECT_EQ(credentials->GetToken({})->token, token->token);
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
  EXPECT_NE(credentials->ReplaceToken(token->token, {})->token, token->token);
}

// A refused token in mid-use: renewed once, and the turn goes on.
class RefusedToken : public ::testing::Test {
 protected:
  absl::StatusOr<Client> Connect(const LocalUpstream& upstream, int max_retries = 4) {
    const auto credentials = Credentials::Create(OptionsFor(upstream));
    if (!credentials.ok()) return credentials.status();
    return Client::Create({.endpoint = upstream.url(),
                           .token_source = *credentials,
                           .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                           .retry = {.max_retries = max_retries}});
  }

  const ScratchHome home_;
};

TEST_F(RefusedToken, IsRenewedOnceAndTheTurnIsRepeated) {
  for (const int max_retries : {4, 0}) {
    SCOPED_TRACE(max_retries);
    const LocalUpstream upstream =
        StartWith({.user = "ann", .checks_tokens = true}, {Script().Text("hello").TurnEnded()});
    home_.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1)), "r"));
    const absl::StatusOr<Client> client = Connect(upstream, max_retries);
    ASSERT_THAT(client, IsOk());
    EXPECT_EQ(client->Chat({.prompt = "p"}).Collect()->text, "hello");
    EXPECT_EQ(upstream.account_counts().exchanges, 1u);
    EXPECT_EQ(client->Chat({.prompt = "p"}).Collect()->text, "hello");
    EXPECT_EQ(upstream.account_counts().exchanges, 1u);
    EXPECT_THAT(upstream.violations(), IsEmpty());
  }
}

TEST_F(RefusedToken, EndsTheTurnWhereTheNextIsRefusedToo) {
  const LocalUpstream upstream =
      StartWith({.user = "ann", .token_life = -seconds(1), .checks_tokens = true},
                {Script().Text("never").TurnEnded()});
  home_.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1)), "r"));
  const absl::StatusOr<Client> client = Connect(upstream);
  ASSERT_THAT(client, IsOk());
  EXPECT_THAT(client->Chat({.prompt = "p"}).Collect(),
              StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
}

TEST_F(RefusedToken, EndsTheTurnWhereItCannotBeRenewed) {
  const LocalUpstream upstream =
      StartWith({.user = "ann", .exchange = {401}, .checks_tokens = true},
                {Script().Text("never").TurnEnded()});
  home_.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1)), "r"));
  const absl::StatusOr<Client> client = Connect(upstream);
  ASSERT_THAT(client, IsOk());
  EXPECT_THAT(client->Chat({.prompt = "p"}).Collect(),
              StatusIs(absl::StatusCode::kUnauthenticated));
}

TEST_F(RefusedToken, RepeatsNothingThatWasShown) {
  const Script refused_late = Script().Text("shown").Error("unauthenticated", "log in");
  const LocalUpstream upstream = StartWith({.user = "ann"}, {refused_late});
  home_.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1)), "r"));
  for (const int max_retries : {4, 0}) {
    SCOPED_TRACE(max_retries);
    const absl::StatusOr<Client> client = Connect(upstream, max_retries);
    ASSERT_THAT(client, IsOk());
    std::string text;
    absl::Status status;
    for (const auto& event : client->Chat({.prompt = "p"})) {
      status = event.status();
      if (!event.ok()) break;
      if (const auto* delta = event->As<TextDelta>()) text += delta->text;
    }
    EXPECT_EQ(text, "shown");
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnauthenticated));
  }
}

TEST_F(RefusedToken, IsRenewedForTheListOfModelsToo) {
  const LocalUpstream upstream = StartWith({.user = "ann", .checks_tokens = true});
  home_.Write(kStoreFile, LoginJson(TokenOf("ann", hours(1)), "r"));
  const absl::StatusOr<Client> client = Connect(upstream);
  ASSERT_THAT(client, IsOk());
  EXPECT_THAT(client->ListModels(), IsOk());
  EXPECT_EQ(upstream.account_counts().exchanges, 1u);
}

}  // namespace
}  // namespace cursorwire::test
