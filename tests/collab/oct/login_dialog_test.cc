#include "collab/oct/login_dialog.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/source_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using connect::ErrorOrigin;
using cursorwire::test::StatusIs;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kConfirmToken[] = "poll-token-of-the-login-0001";
constexpr char kLoginToken[] = "login.token/of+a-test_0002==";
constexpr char kJoinToken[] = "poll-token-of-the-join-0003";
constexpr char kRoomToken[] = "room.token/of+a-test_0004==";

const char* const kMetaText = R"({"owner":"o","version":"0.3.1","transports":["socket.io"]})";
const char* const kWaitingText =
    R"({"code":"WaitingForHost","params":[],"message":"Waiting for host","failure":false})";

std::string OfferText(const std::string& endpoint) {
  json offer = {{"pollToken", kConfirmToken},
                {"auth",
                 {{"loginPageUrl", absl::StrCat("/login.html?token=", kConfirmToken)},
                  {"providers", json::array({{{"type", "web"}, {"endpoint", "/github"}}})},
                  {"defaultSuccessUrl", ""}}}};
  if (!endpoint.empty()) {
    offer["auth"]["providers"].push_back(
        {{"type", "form"},
         {"endpoint", endpoint},
         {"fields", {{{"name", "user"}, {"required", true}}, {{"name", "email"}}}}});
  }
  return offer.dump();
}
std::string LoginTokenText() { return json{{"loginToken", kLoginToken}}.dump(); }
std::string JoinTokenText() { return json{{"pollToken", kJoinToken}, {"roomId", "room1"}}.dump(); }
std::string RoomAccessText() {
  return json{{"roomId", "room1"},
              {"roomToken", kRoomToken},
              {"workspace", {{"name", "demo"}, {"folders", {"demo"}}}},
              {"host", {{"id", "h1"}, {"name", "Hanna"}, {"host", true}}}}
      .dump();
}

// Steps of the dialog, each by the answer that ends it.
enum class LoginStep { kVersion, kOffer, kForm, kLogin, kJoin, kRoom };

// A dialog in virtual time, and all that it has told.
class LoginTalk {
 public:
  explicit LoginTalk(LoginOptions options = {.room = "room1"})
      : options_(std::move(options)), dialog_(MakeDialog()) {}

  LoginDialog& dialog() { return dialog_; }
  LoginDialog::TimePoint now() const { return now_; }

  // What is asked now; without a URL: nothing.
  LoginQuestion Ask() {
    LoginQuestion question = dialog_.TakeQuestion(now_).value_or(LoginQuestion{});
    Listen();
    return question;
  }
  bool IsAsking() { return !Ask().url.empty(); }
  void Answer(int status, const std::string& body = "") {
    dialog_.OnAnswer({.status = status, .body = body}, now_);
    Listen();
  }
  void Fail(const absl::Status& status) {
    dialog_.OnFailure(status, now_);
    Listen();
  }
  void Pass(milliseconds time) {
    now_ += time;
    dialog_.OnDeadline(now_);
    Listen();
  }
  // Asks what comes before that step, gets good answers, and asks that step's own question.
  LoginQuestion AskFor(LoginStep step) {
    LoginQuestion question = Ask();
    const std::pair<LoginStep, std::string> kAnswers[] = {
        {LoginStep::kVersion, kMetaText},
        {LoginStep::kOffer, OfferText(FormEndpoint(step))},
        {LoginStep::kForm, "Ok"},
        {LoginStep::kLogin, LoginTokenText()},
        {LoginStep::kJoin, JoinTokenText()},
    };
    for (const auto& [answered, answer] : kAnswers) {
      if (answered >= step) break;
      if (answered == LoginStep::kForm && FormEndpoint(step).empty()) continue;
      Answer(200, answer);
      question = Ask();
    }
    return question;
  }

  bool is_over() const { return dialog_.result().has_value(); }
  absl::Status status() const {
    return is_over() ? dialog_.result()->status() : absl::UnknownError("no result");
  }
  // Of pages, and of the rest.
  const std::vector<std::string>& pages() const { return pages_; }
  const std::vector<JoinStatus>& statuses() const { return statuses_; }

  // All that a person or a log can get to see.
  std::string Shown() const {
    std::string shown = status().ToString();
    for (const JoinStatus& told : statuses_) absl::StrAppend(&shown, told.code, told.message);
    return shown;
  }

 private:
  static std::string FormEndpoint(LoginStep step) {
    return step == LoginStep::kForm ? "/api/login/simple" : "";
  }
  LoginDialog MakeDialog() {
    absl::StatusOr<LoginDialog> dialog = LoginDialog::Create(options_, now_);
    EXPECT_THAT(dialog, cursorwire::test::IsOk());
    return *std::move(dialog);
  }
  void Listen() {
    while (const std::optional<LoginEvent> event = dialog_.TakeEvent()) {
      if (const auto* const page = std::get_if<LoginPage>(&*event)) {
        pages_.push_back(page->url);
      } else {
        statuses_.push_back(std::get<JoinStatus>(*event));
      }
    }
  }

  const LoginOptions options_;
  LoginDialog::TimePoint now_{seconds(1000)};
  std::vector<std::string> pages_;
  std::vector<JoinStatus> statuses_;
  LoginDialog dialog_;
};

std::string LoginHeaderOf(const LoginQuestion& question, const std::string& name) {
  for (const auto& [header, value] : question.headers) {
    if (header == name) return value;
  }
  return "";
}

TEST(LoginDialog, LogsInWithAFormAndJoins) {
  LoginTalk talk({.server = "https://host.example/base/",
                  .room = "room/1",
                  .name = "J\u00FCrgen \"J\"",
                  .email = "j@example.org"});
  LoginQuestion question = talk.Ask();
  EXPECT_EQ(question.method, "GET");
  EXPECT_EQ(question.url, "https://host.example/base/api/meta");
  EXPECT_FALSE(talk.IsAsking()) << "one question at a time";

  talk.Answer(200, kMetaText);
  question = talk.Ask();
  EXPECT_EQ(question.method, "POST");
  EXPECT_EQ(question.url, "https://host.example/base/api/login/initial");
  EXPECT_EQ(question.body, "");

  talk.Answer(200, OfferText("/api/login/simple"));
  question = talk.Ask();
  EXPECT_EQ(question.method, "POST");
  EXPECT_EQ(question.url, "https://host.example/base/api/login/simple");
  EXPECT_EQ(LoginHeaderOf(question, "content-type"), "application/json");
  EXPECT_EQ(
      json::parse(question.body),
      json({{"token", kConfirmToken}, {"user", "J\u00FCrgen \"J\""}, {"email", "j@example.org"}}));

  talk.Answer(200, "Ok");
  question = talk.Ask();
  EXPECT_EQ(question.method, "POST");
  EXPECT_EQ(question.url, absl::StrCat("https://host.example/base/api/login/poll/", kConfirmToken));
  EXPECT_EQ(LoginHeaderOf(question, "x-oct-jwt"), "");

  talk.Answer(200, LoginTokenText());
  question = talk.Ask();
  EXPECT_EQ(question.method, "POST");
  EXPECT_EQ(question.url, "https://host.example/base/api/session/join/room%2F1");
  EXPECT_EQ(LoginHeaderOf(question, "x-oct-jwt"), kLoginToken);

  talk.Answer(200, JoinTokenText());
  question = talk.Ask();
  EXPECT_EQ(question.method, "POST");
  EXPECT_EQ(question.url, absl::StrCat("https://host.example/base/api/session/poll/", kJoinToken));
  EXPECT_EQ(LoginHeaderOf(question, "x-oct-jwt"), kLoginToken);

  talk.Answer(200, RoomAccessText());
  ASSERT_THAT(talk.status(), cursorwire::test::IsOk());
  const RoomAccess& access = **talk.dialog().result();
  EXPECT_EQ(access.room_id, "room1");
  EXPECT_EQ(access.room_token, kRoomToken);
  EXPECT_EQ(access.login_token, kLoginToken);
  EXPECT_EQ(access.host.name, "Hanna");
  EXPECT_EQ(access.workspace, "demo");
  EXPECT_TRUE(talk.pages().empty());
  EXPECT_FALSE(talk.IsAsking());
  EXPECT_EQ(talk.dialog().deadline(), std::nullopt);
}

TEST(LoginDialog, ShowsThePage) {
  const struct {
    const char* name;
    LoginMode mode;
    const char* endpoint;
  } kCases[] = {
      {"no form", LoginMode::kAuto, ""},
      {"not asked for a form", LoginMode::kUrl, "/api/login/simple"},
      {"the form would leave the server", LoginMode::kAuto, "https://evil.example/form"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    LoginTalk talk({.server = "https://host/base", .room = "room1", .mode = c.mode});
    talk.AskFor(LoginStep::kOffer);
    talk.Answer(200, OfferText(c.endpoint));
    ASSERT_EQ(talk.pages().size(), 1U);
    EXPECT_EQ(talk.pages()[0], absl::StrCat("https://host/base/login.html?token=", kConfirmToken));
    EXPECT_THAT(talk.Ask().url, HasSubstr("/api/login/poll/"));
  }
}

TEST(LoginDialog, ShowsNothingButPagesOfHttp) {
  for (const char* page : {"javascript:alert(1)", "file:///etc/passwd", "//evil.example/", "",
                           "https://host/\x1b[31m"}) {
    SCOPED_TRACE(page);
    LoginTalk talk;
    talk.AskFor(LoginStep::kOffer);
    json offer = json::parse(OfferText(""));
    offer["auth"]["loginPageUrl"] = page;
    talk.Answer(200, offer.dump());
    EXPECT_THAT(talk.status(), StatusIs(absl::StatusCode::kInternal, HasSubstr("page")));
    EXPECT_TRUE(talk.pages().empty());
  }
}

struct RefusalCase {
  const char* name;
  LoginStep step;
  int http_status;
  std::string body;
  absl::StatusCode code;
  const char* says;
};

// The code that a program exits with follows from code and origin; kInternal must be kProtocol.
void ExpectRefusal(const RefusalCase& c) {
  SCOPED_TRACE(c.name);
  LoginTalk talk;
  talk.AskFor(c.step);
  talk.Answer(c.http_status, c.body);
  EXPECT_THAT(talk.status(), StatusIs(c.code, HasSubstr(c.says)));
  const auto info = connect::GetErrorInfo(talk.status());
  EXPECT_TRUE(info.has_value());
  if (info && c.code == absl::StatusCode::kInternal) {
    EXPECT_EQ(info->origin, ErrorOrigin::kProtocol);
  }
  EXPECT_FALSE(talk.IsAsking());
}

TEST(LoginDialog, EndsWithWhatTheServerSays) {
  using enum absl::StatusCode;
  const std::string kTimeout = R"({"code":"AuthTimeout","params":[],"message":"Timed out"})";
  const std::string kNoRoom = R"({"code":"RoomNotFound","params":[],"message":"Room not found"})";
  const std::string kNoRequest = R"({"code":"JoinRequestNotFound","params":[],"message":"None"})";
  const std::string kRejected =
      R"({"code":"JoinRejected","params":[],"message":"Rejected","failure":true})";
  const std::string kTooLate =
      R"({"code":"JoinTimeout","params":[],"message":"Too late","failure":true})";
  const RefusalCase kCases[] = {
      {"form refused", LoginStep::kForm, 400, "Failed to perform simple login", kPermissionDenied,
       "login: HTTP 400: Failed to perform simple login"},
      {"AuthTimeout", LoginStep::kLogin, 400, kTimeout, kUnauthenticated,
       "login: HTTP 400: Timed out (AuthTimeout)"},
      {"login in trouble", LoginStep::kLogin, 500,
       R"({"code":"AuthInternalError","message":"Oops"})", kInternal,
       "login: HTTP 500: Oops (AuthInternalError)"},
      {"403 at join", LoginStep::kJoin, 403, "Forbidden resource", kPermissionDenied,
       "join: HTTP 403: Forbidden resource"},
      {"401 at join", LoginStep::kJoin, 401, "", kPermissionDenied, "join: HTTP 401"},
      {"RoomNotFound", LoginStep::kJoin, 404, kNoRoom, kUnavailable,
       "join: HTTP 404: Room not found (RoomNotFound)"},
      {"join in trouble", LoginStep::kJoin, 500, "An internal server error occurred", kInternal,
       "join: HTTP 500: An internal server error occurred"},
      {"403 while waiting", LoginStep::kRoom, 403, "Forbidden resource", kPermissionDenied, "join"},
      {"JoinRejected", LoginStep::kRoom, 200, kRejected, kUnavailable,
       "join: Rejected (JoinRejected)"},
      {"JoinTimeout", LoginStep::kRoom, 200, kTooLate, kUnavailable,
       "join: Too late (JoinTimeout)"},
      {"a failure without words", LoginStep::kRoom, 200, R"({"failure":true})", kUnavailable,
       "join: refused"},
      {"JoinRequestNotFound", LoginStep::kRoom, 404, kNoRequest, kUnavailable,
       "JoinRequestNotFound"},
      {"no server of rooms", LoginStep::kVersion, 404, "<html>Not here</html>", kInternal,
       "version: HTTP 404"},
      {"moved", LoginStep::kVersion, 301, "", kInternal, "307 and 308"},
      {"proxy", LoginStep::kVersion, 502, "Bad Gateway", kUnavailable, "version: HTTP 502"},
      {"too many", LoginStep::kOffer, 429, "Slow down", kInternal, "login: HTTP 429: Slow down"},
      {"login denied", LoginStep::kOffer, 403, "Origin not allowed", kPermissionDenied, "Origin"},
  };
  for (const RefusalCase& c : kCases) ExpectRefusal(c);
}

TEST(LoginDialog, RefusesWhatItDoesNotExpect) {
  using enum absl::StatusCode;
  const std::string kPage = "<!DOCTYPE html><html><body>Welcome to the hotel</body></html>";
  const std::string kHuge(kMaxLoginAnswerBytes + 1, 'x');
  constexpr std::pair<const char*, LoginStep> kSteps[] = {
      {"version", LoginStep::kVersion}, {"offer", LoginStep::kOffer}, {"login", LoginStep::kLogin},
      {"join", LoginStep::kJoin},       {"room", LoginStep::kRoom},
  };
  for (const auto& [name, step] : kSteps) {
    ExpectRefusal({name, step, 200, kPage, kInternal, "JSON"});
    ExpectRefusal({name, step, 200, kHuge, kInternal, "limit"});
    ExpectRefusal({name, step, 200, "[]", kInternal, "JSON"});
    ExpectRefusal({name, step, 200, R"({"a":)", kInternal, "JSON"});
    ExpectRefusal({name, step, 404, kHuge, kInternal, "HTTP 404"});
    ExpectRefusal({name, step, 418, "", kInternal, "HTTP 418"});
    ExpectRefusal({name, step, 0, "", kInternal, "HTTP 0"});
  }
  const RefusalCase kCases[] = {
      {"another version", LoginStep::kVersion, 200,
       R"({"version":"1.0.0","transports":["socket.io"]})", kInternal,
       "the server speaks version \"1.0.0\" of the protocol, we speak 0.3.1"},
      {"no version", LoginStep::kVersion, 200, R"({"version":7})", kInternal, "0.3.1"},
      {"other transports", LoginStep::kVersion, 200, R"({"version":"0.3.1","transports":["x"]})",
       kInternal, "socket.io"},
      {"no way to log in", LoginStep::kOffer, 200, R"({"pollToken":"p"})", kInternal, "log in"},
      {"poll token of another type", LoginStep::kOffer, 200, R"({"pollToken":{},"auth":{}})",
       kInternal, "pollToken"},
      {"login token of another type", LoginStep::kLogin, 200, R"({"loginToken":7})", kInternal,
       "loginToken"},
      {"login token with a line feed", LoginStep::kLogin, 200, R"({"loginToken":"a\r\nb: c"})",
       kInternal, "loginToken"},
      {"no poll token", LoginStep::kJoin, 200, "{}", kInternal, "pollToken"},
      {"neither room nor status", LoginStep::kRoom, 200, "{}", kInternal, "roomId"},
      {"failure of another type", LoginStep::kRoom, 200, R"({"failure":"yes"})", kInternal,
       "roomId"},
      {"room token of another type", LoginStep::kRoom, 200, R"({"roomId":"r","roomToken":[]})",
       kInternal, "roomToken"},
      {"join token that leads upwards", LoginStep::kJoin, 200, R"({"pollToken":".."})", kInternal,
       "pollToken"},
  };
  for (const RefusalCase& c : kCases) ExpectRefusal(c);
}

TEST(LoginDialog, AsksAgainWhileNothingIsNew) {
  constexpr std::pair<const char*, LoginStep> kSteps[] = {{"login", LoginStep::kLogin},
                                                          {"room", LoginStep::kRoom}};
  for (const auto& [name, step] : kSteps) {
    SCOPED_TRACE(name);
    LoginTalk talk;
    const std::string url = talk.AskFor(step).url;
    for (int i = 0; i < 9; ++i) {
      talk.Pass(seconds(30));
      talk.Answer(204);
      EXPECT_EQ(talk.Ask().url, url) << "at once, since the answer has taken long";
    }
    EXPECT_FALSE(talk.is_over());
  }
}

TEST(LoginDialog, AsksNotMoreOftenThanOnceASecond) {
  const struct {
    const char* name;
    LoginStep step;
    int status;
    const char* body;
  } kCases[] = {
      {"login, 204", LoginStep::kLogin, 204, ""},
      {"login, without a token", LoginStep::kLogin, 200, "{}"},
      {"login, null", LoginStep::kLogin, 200, R"({"loginToken":null})"},
      {"room, 204", LoginStep::kRoom, 204, ""},
      {"room, status", LoginStep::kRoom, 200, kWaitingText},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    LoginTalk talk;
    const std::string url = talk.AskFor(c.step).url;
    talk.Pass(milliseconds(200));
    talk.Answer(c.status, c.body);
    EXPECT_FALSE(talk.IsAsking());
    ASSERT_TRUE(talk.dialog().deadline().has_value());
    EXPECT_EQ(*talk.dialog().deadline(), talk.now() + milliseconds(800));
    talk.Pass(milliseconds(799));
    EXPECT_FALSE(talk.IsAsking());
    talk.Pass(milliseconds(1));
    EXPECT_EQ(talk.Ask().url, url);
  }
}

TEST(LoginDialog, TellsWhatTheHostIsWaitedFor) {
  LoginTalk talk;
  talk.AskFor(LoginStep::kRoom);
  talk.Answer(200, kWaitingText);
  talk.Pass(seconds(1));
  talk.Ask();
  talk.Answer(200, R"({"failure":false,"code":"X\u001b[1m","message":"a\nb"})");
  talk.Pass(seconds(1));
  talk.Ask();
  talk.Answer(200, RoomAccessText());
  EXPECT_THAT(talk.status(), cursorwire::test::IsOk());
  ASSERT_EQ(talk.statuses().size(), 2U);
  EXPECT_EQ(talk.statuses()[0].code, "WaitingForHost");
  EXPECT_EQ(talk.statuses()[0].message, "Waiting for host");
  EXPECT_EQ(talk.statuses()[1].code, "X[1m");
  EXPECT_EQ(talk.statuses()[1].message, "a b");
}

TEST(LoginDialog, EndsWhenNobodyLogsIn) {
  LoginTalk talk({.room = "room1", .login_timeout = seconds(70)});
  talk.AskFor(LoginStep::kLogin);
  talk.Pass(seconds(30));
  talk.Answer(204);
  talk.Ask();
  EXPECT_EQ(talk.dialog().deadline(), talk.now() + seconds(40)) << "before that of the answer";
  talk.Pass(milliseconds(39999));
  EXPECT_FALSE(talk.is_over());
  talk.Pass(milliseconds(1));
  EXPECT_THAT(talk.status(), StatusIs(absl::StatusCode::kDeadlineExceeded,
                                      HasSubstr("nobody has logged in within 70 s")));
  talk.Answer(200, LoginTokenText());
  EXPECT_THAT(talk.status(), StatusIs(absl::StatusCode::kDeadlineExceeded)) << "for good";
}

TEST(LoginDialog, EndsWhenTheHostDoesNotAct) {
  LoginTalk talk({.room = "room1", .join_timeout = seconds(100)});
  talk.AskFor(LoginStep::kLogin);
  talk.Pass(seconds(30));
  talk.Answer(204);
  talk.Ask();
  talk.Pass(seconds(30));
  talk.Answer(200, LoginTokenText());  // its time begins here
  talk.Ask();
  talk.Answer(200, JoinTokenText());
  for (int i = 0; i < 3; ++i) {
    talk.Ask();
    talk.Pass(seconds(30));
    talk.Answer(204);
  }
  EXPECT_FALSE(talk.is_over());
  talk.Ask();
  talk.Pass(seconds(10));
  EXPECT_THAT(talk.status(), StatusIs(absl::StatusCode::kDeadlineExceeded,
                                      HasSubstr("nobody has let us in within 100 s")));
}

TEST(LoginDialog, WaitsForAnAnswerOnlySoLong) {
  for (const LoginStep step :
       {LoginStep::kVersion, LoginStep::kOffer, LoginStep::kForm, LoginStep::kJoin}) {
    LoginTalk talk;
    talk.AskFor(step);
    talk.Pass(LoginDialog::kAnswerTimeout - milliseconds(1));
    EXPECT_FALSE(talk.is_over());
    talk.Pass(milliseconds(1));
    EXPECT_THAT(talk.status(),
                StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("within 30 s")));
  }
}

TEST(LoginDialog, GivesUpAPollThatHangs) {
  LoginTalk talk;
  const std::string url = talk.AskFor(LoginStep::kRoom).url;
  talk.Pass(LoginDialog::kPollTimeout - milliseconds(1));
  EXPECT_FALSE(talk.IsAsking());
  talk.Pass(milliseconds(1));
  talk.Answer(200, RoomAccessText());  // of the one that was given up
  EXPECT_FALSE(talk.is_over());
  EXPECT_EQ(talk.Ask().url, url);
  talk.Answer(200, RoomAccessText());
  EXPECT_THAT(talk.status(), cursorwire::test::IsOk());
}

TEST(LoginDialog, LostPollsAreAskedAgain) {
  for (const LoginStep step : {LoginStep::kLogin, LoginStep::kRoom}) {
    LoginTalk talk;
    talk.AskFor(step);
    for (int i = 1; i < LoginDialog::kMaxPollFailures; ++i) {
      if (i % 2 == 0) {
        talk.Answer(504, "Gateway Timeout");
      } else {
        talk.Fail(TransportError("connection reset", Replay::kUnsafe));
      }
      EXPECT_FALSE(talk.is_over());
      EXPECT_FALSE(talk.IsAsking());
      talk.Pass(LoginDialog::kPollPause);
      EXPECT_TRUE(talk.IsAsking());
    }
    talk.Answer(204);  // they count in a row
    talk.Pass(LoginDialog::kPollPause);
    for (int i = 0; i < LoginDialog::kMaxPollFailures; ++i) {
      EXPECT_FALSE(talk.is_over());
      EXPECT_TRUE(talk.IsAsking());
      talk.Fail(TransportError("connection reset", Replay::kUnsafe));
      talk.Pass(LoginDialog::kPollPause);
    }
    EXPECT_THAT(talk.status(),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connection reset")));
  }
}

TEST(LoginDialog, OtherQuestionsAreAskedOnce) {
  for (const LoginStep step :
       {LoginStep::kVersion, LoginStep::kOffer, LoginStep::kForm, LoginStep::kJoin}) {
    LoginTalk talk;
    talk.AskFor(step);
    talk.Fail(TransportError("connection refused", Replay::kSafe));
    EXPECT_THAT(talk.status(),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connection refused")));
  }
}

TEST(LoginDialog, JwtInALog) {
  const std::string kTokens[] = {kConfirmToken, kLoginToken, kJoinToken, kRoomToken};
  const std::string echo = absl::StrCat(kConfirmToken, " ", kLoginToken, "\n", kJoinToken,
                                        " eyJhbGciOiJIUzI1NiJ9.eyJyb29tIjoiciJ9.c2lnbmF0dXJl");
  const json info = {{"code", echo}, {"message", echo}, {"params", {echo}}};
  json failure = info;
  failure["failure"] = true;
  json status = info;
  status["failure"] = false;
  json half = json::parse(RoomAccessText());
  half.erase("host");
  const struct {
    const char* name;
    int status;
    std::string body;
  } kAnswers[] = {
      {"plain text", 500, echo},
      {"403", 403, echo},
      {"JSON", 404, info.dump()},
      {"failure", 200, failure.dump()},
      {"status", 200, status.dump()},
      {"a room without a host", 200, half.dump()},
      {"a token that cannot be sent", 200, R"({"loginToken":"eyJa b","roomToken":"eyJa b"})"},
      {"a page", 404, "<p>Cannot POST /api/session/poll/" + std::string(kJoinToken)},
  };
  for (const auto& answer : kAnswers) {
    LoginTalk talk;
    talk.AskFor(LoginStep::kRoom);
    talk.Answer(answer.status, answer.body);
    for (const std::string& token : kTokens) {
      EXPECT_THAT(talk.Shown(), Not(HasSubstr(token))) << answer.name;
    }
    EXPECT_THAT(talk.Shown(), Not(HasSubstr("eyJ"))) << answer.name;
  }
  LoginTalk talk;
  talk.AskFor(LoginStep::kRoom);
  for (int i = 0; i < LoginDialog::kMaxPollFailures; ++i) {
    talk.Fail(TransportError("GET /" + echo, Replay::kUnsafe));
    talk.Pass(seconds(1));
    talk.Ask();
  }
  EXPECT_THAT(talk.Shown(), AllOf(HasSubstr("GET"), Not(HasSubstr(kLoginToken)),
                                  Not(HasSubstr(kJoinToken)), Not(HasSubstr("eyJ"))));
}

TEST(LoginDialog, LongTextsOfTheServerAreCut) {
  LoginTalk talk;
  talk.AskFor(LoginStep::kJoin);
  talk.Answer(500, std::string(100000, 'x'));
  EXPECT_THAT(std::string(talk.status().message()),
              AllOf(HasSubstr(std::string(500, 'x')), Not(HasSubstr(std::string(501, 'x')))));
}

TEST(LoginDialog, ChecksItsOptions) {
  const LoginDialog::TimePoint now{};
  EXPECT_THAT(LoginDialog::Create({.room = ""}, now), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(LoginDialog::Create({.server = "http://host.example", .room = "r"}, now),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(LoginDialog::Create(
                  {.server = "http://host.example", .allow_plaintext = true, .room = "r"}, now),
              cursorwire::test::IsOk());
}

// One exchange of tests/golden/oct_login.txt.
struct RecordedExchange {
  std::string method{};
  std::string path{};
  std::string token{};
  std::string body{};
  int status = 0;
  std::string answer{};
};

std::vector<RecordedExchange> RecordedExchanges() {
  std::ifstream file(cursorwire::test::SourceFolder() + "/tests/golden/oct_login.txt");
  std::vector<RecordedExchange> exchanges;
  for (std::string line; std::getline(file, line);) {
    const size_t blank = line.find(' ');
    const std::string word = line.substr(0, blank);
    const std::string rest = blank == line.npos ? "" : line.substr(blank + 1);
    const std::string last = rest.substr(rest.find(' ') + 1);
    if (word == "ask") {
      exchanges.push_back({.method = rest.substr(0, rest.find(' ')), .path = last});
    } else if (word == "header" && rest.starts_with("x-oct-jwt ")) {
      exchanges.back().token = last;
    } else if (word == "body") {
      exchanges.back().body = rest;
    } else if (word == "status") {
      exchanges.back().status = std::stoi(rest);
    } else if (word == "answer") {
      exchanges.back().answer = rest;
    }
  }
  return exchanges;
}

TEST(LoginDialog, TalksAsTheRecordedGuest) {
  const std::vector<RecordedExchange> exchanges = RecordedExchanges();
  ASSERT_EQ(exchanges.size(), 6U);
  LoginTalk talk({.server = "http://localhost:8100/", .room = "RSyO4Iun8pzTRUdCTivEI9Xc"});
  size_t asked = 0;
  for (LoginQuestion question = talk.Ask(); !question.url.empty(); question = talk.Ask()) {
    const RecordedExchange* found = nullptr;
    for (const RecordedExchange& exchange : exchanges) {
      if (question.url == "http://localhost:8100" + exchange.path) found = &exchange;
    }
    ASSERT_NE(found, nullptr) << question.url;
    EXPECT_EQ(question.method, found->method);
    EXPECT_EQ(LoginHeaderOf(question, "x-oct-jwt"), found->token);
    EXPECT_EQ(question.body.empty(), found->body.empty());
    if (!found->body.empty()) {
      EXPECT_EQ(json::parse(question.body), json::parse(found->body));
    }
    talk.Answer(found->status, found->answer);
    ++asked;
  }
  EXPECT_EQ(asked, exchanges.size());
  ASSERT_THAT(talk.status(), cursorwire::test::IsOk());
  const RoomAccess& access = **talk.dialog().result();
  EXPECT_EQ(access.room_id, "RSyO4Iun8pzTRUdCTivEI9Xc");
  EXPECT_EQ(access.login_token, exchanges.back().token);
  EXPECT_EQ(access.room_token, json::parse(exchanges.back().answer)["roomToken"]);
  EXPECT_EQ(access.host.id, "cH4IxB-YWMeww4epz3iVl3Mu");
  EXPECT_EQ(access.host.name, "Hanna");
  EXPECT_FALSE(access.host.public_key.empty());
  EXPECT_EQ(access.workspace, "demo");
  EXPECT_TRUE(talk.pages().empty());
}

}  // namespace
}  // namespace cursorwire::oct
