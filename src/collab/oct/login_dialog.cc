#include "collab/oct/login_dialog.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "collab/oct/login_server.h"
#include "collab/oct/login_text.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/time_point.h"
#include "json/json_member.h"

namespace cursorwire::oct {
namespace {

using connect::After;
using connect::ErrorOrigin;
using nlohmann::json;

constexpr char kLoginTokenHeader[] = "x-oct-jwt";
constexpr int kLoginNoContent = 204;

bool IsLoginSuccess(int status) { return status >= 200 && status < 300; }
bool IsRefusedAccess(int status) { return status == 401 || status == 403; }
// Of a proxy that does not reach the server.
bool IsGatewayError(int status) { return status >= 502 && status <= 504; }
bool IsLoginRedirect(int status) { return status >= 300 && status < 400; }

// Codes of the server that mean: that room cannot be joined, now or at all.
bool IsNoRoom(std::string_view code) {
  return code == "RoomNotFound" || code == "JoinRejected" || code == "JoinTimeout" ||
         code == "JoinRequestNotFound";
}

int64_t LoginSeconds(std::chrono::milliseconds time) {
  return std::chrono::ceil<std::chrono::seconds>(time).count();
}

}  // namespace

absl::StatusOr<LoginDialog> LoginDialog::Create(LoginOptions options, TimePoint now) {
  absl::StatusOr<Url> server = ParseLoginServer(options.server, options.allow_plaintext);
  if (!server.ok()) return server.status();
  if (absl::Status status = CheckLoginOptions(options); !status.ok()) return status;
  return LoginDialog(std::move(options), *std::move(server), now);
}

LoginDialog::LoginDialog(LoginOptions options, Url server, TimePoint now)
    : options_(std::move(options)),
      server_(std::move(server)),
      ask_at_(now),
      limit_(After(now, options_.login_timeout)) {}

std::optional<LoginQuestion> LoginDialog::TakeQuestion(TimePoint now) {
  if (result_ || is_asking_ || now < ask_at_) return std::nullopt;
  is_asking_ = true;
  asked_at_ = now;
  answer_until_ = After(now, is_polling() ? kPollTimeout : kAnswerTimeout);
  return MakeQuestion();
}

std::string LoginDialog::UrlOf(std::string_view path, std::string_view last_step) const {
  return absl::StrCat(ServerUrlText(server_), ToAbsl(path), PathStep(last_step));
}

LoginQuestion LoginDialog::MakeQuestion() const {
  LoginQuestion question{.method = "POST"};
  switch (step_) {
    case Step::kMeta:
      question.method = "GET";
      question.url = UrlOf("/api/meta", "");
      break;
    case Step::kOffer:
      question.url = UrlOf("/api/login/initial", "");
      break;
    case Step::kForm:
      question.url = offer_.form_url;
      question.headers = {{"content-type", "application/json"}};
      question.body =
          json({{"token", offer_.poll_token}, {"user", options_.name}, {"email", options_.email}})
              .dump(-1, ' ', false, json::error_handler_t::replace);
      break;
    case Step::kLoginPoll:
      question.url = UrlOf("/api/login/poll/", offer_.poll_token);
      break;
    case Step::kJoin:
      question.url = UrlOf("/api/session/join/", options_.room);
      question.headers = {{kLoginTokenHeader, login_token_}};
      break;
    case Step::kJoinPoll:
      question.url = UrlOf("/api/session/poll/", join_token_);
      question.headers = {{kLoginTokenHeader, login_token_}};
      break;
  }
  return question;
}

// What an error is about.
std::string_view LoginDialog::Subject() const {
  switch (step_) {
    case Step::kMeta:
      return "version";
    case Step::kOffer:
    case Step::kForm:
    case Step::kLoginPoll:
      return "login";
    case Step::kJoin:
    case Step::kJoinPoll:
      break;
  }
  return "join";
}

void LoginDialog::OnAnswer(const LoginAnswer& answer, TimePoint now) {
  if (!is_asking_) return;
  is_asking_ = false;
  if (!IsLoginSuccess(answer.status)) {
    const absl::Status refusal = RefusalOf(answer);
    if (is_polling() && IsGatewayError(answer.status)) return OnPollFailure(refusal, now);
    return Fail(refusal);
  }
  poll_failures_ = 0;
  if (step_ == Step::kForm) return Go(Step::kLoginPoll, now);
  if (is_polling() && answer.status == kLoginNoContent) return AskAgain(now);
  const absl::StatusOr<json> read = ReadLoginAnswer(answer.body);
  if (!read.ok()) return Fail(read.status());
  OnJson(*read, now);
}

absl::Status LoginDialog::RefusalOf(const LoginAnswer& answer) const {
  std::string text = absl::StrCat("HTTP ", answer.status);
  if (IsLoginRedirect(answer.status)) {
    absl::StrAppend(&text, ": only 307 and 308 on the same origin are followed");
  } else if (const std::string said = LoginErrorText(answer.body, redactor_); !said.empty()) {
    absl::StrAppend(&text, ": ", said);
  }
  const absl::StatusOr<json> read = ReadLoginAnswer(answer.body);
  const std::string code = read.ok() ? TextOf(*read, "code") : "";
  connect::ErrorInfo info{.origin = ErrorOrigin::kServer, .http_status = answer.status};
  if (code == "AuthTimeout") return MakeError(absl::StatusCode::kUnauthenticated, text, info);
  if (IsRefusedAccess(answer.status) || (step_ == Step::kForm && answer.status == 400)) {
    return MakeError(absl::StatusCode::kPermissionDenied, text, info);
  }
  if (IsGatewayError(answer.status) || IsNoRoom(code)) {
    return MakeError(absl::StatusCode::kUnavailable, text, info);
  }
  info.origin = ErrorOrigin::kProtocol;
  return MakeError(absl::StatusCode::kInternal, text, info);
}

void LoginDialog::OnJson(const json& answer, TimePoint now) {
  switch (step_) {
    case Step::kMeta:
      if (absl::Status status = CheckServerMeta(answer); !status.ok()) return Fail(status);
      return Go(Step::kOffer, now);
    case Step::kOffer:
      return OnOffer(answer, now);
    case Step::kForm:
      return;  // its answer is not read
    case Step::kLoginPoll:
      return OnLoginPoll(answer, now);
    case Step::kJoin:
      if (TakeToken(answer, "pollToken", join_token_)) Go(Step::kJoinPoll, now);
      return;
    case Step::kJoinPoll:
      return OnJoinPoll(answer, now);
  }
}

void LoginDialog::OnOffer(const json& answer, TimePoint now) {
  absl::StatusOr<LoginOffer> offer = ReadLoginOffer(server_, answer);
  if (!offer.ok()) return Fail(offer.status());
  offer_ = *std::move(offer);
  AddSecret(offer_.poll_token);
  if (options_.mode == LoginMode::kAuto && !offer_.form_url.empty()) return Go(Step::kForm, now);
  if (offer_.page_url.empty()) {
    return Fail(ProtocolError("the server names no page of http or https to log in on"));
  }
  events_.emplace_back(LoginPage{offer_.page_url});
  Go(Step::kLoginPoll, now);
}

void LoginDialog::OnLoginPoll(const json& answer, TimePoint now) {
  // Nobody has logged in. Source: types.ts, LoginPollResponse.
  if (MemberOf(answer, "loginToken").is_null()) return AskAgain(now);
  if (!TakeToken(answer, "loginToken", login_token_)) return;
  limit_ = After(now, options_.join_timeout);
  Go(Step::kJoin, now);
}

void LoginDialog::OnJoinPoll(const json& answer, TimePoint now) {
  if (!MemberOf(answer, "failure").is_boolean()) {
    absl::StatusOr<RoomAccess> access = ReadRoomAccess(answer);
    if (!access.ok()) return Fail(access.status());
    access->login_token = login_token_;
    result_ = std::move(access);
    return;
  }
  if (FlagOf(answer, "failure")) {
    const std::string said = LoginInfoText(answer, redactor_);
    return Fail(MakeError(absl::StatusCode::kUnavailable, said.empty() ? "refused" : said,
                          {.origin = ErrorOrigin::kServer}));
  }
  events_.emplace_back(JoinStatus{.code = LoginText(TextOf(answer, "code"), redactor_),
                                  .message = LoginText(TextOf(answer, "message"), redactor_)});
  AskAgain(now);
}

void LoginDialog::OnFailure(const absl::Status& status, TimePoint now) {
  if (!is_asking_) return;
  is_asking_ = false;
  const bool may_pass = status.code() == absl::StatusCode::kUnavailable;
  if (is_polling() && may_pass) return OnPollFailure(status, now);
  Fail(status);
}

void LoginDialog::OnPollFailure(const absl::Status& status, TimePoint now) {
  if (++poll_failures_ >= kMaxPollFailures) return Fail(status);
  AskAgain(now);
}

void LoginDialog::Go(Step step, TimePoint now) {
  step_ = step;
  ask_at_ = now;
}

void LoginDialog::AskAgain(TimePoint now) { ask_at_ = std::max(now, After(asked_at_, kPollPause)); }

std::optional<LoginDialog::TimePoint> LoginDialog::deadline() const {
  if (result_) return std::nullopt;
  return std::min(limit_, is_asking_ ? answer_until_ : ask_at_);
}

void LoginDialog::OnDeadline(TimePoint now) {
  if (result_) return;
  if (now >= limit_) {
    const bool is_login = step_ < Step::kJoin;
    const std::chrono::milliseconds time =
        is_login ? options_.login_timeout : options_.join_timeout;
    return Fail(LocalError(absl::StatusCode::kDeadlineExceeded,
                           absl::StrCat(is_login ? "nobody has logged in" : "nobody has let us in",
                                        " within ", LoginSeconds(time), " s")));
  }
  if (!is_asking_ || now < answer_until_) return;
  is_asking_ = false;
  const absl::Status status =
      LocalError(absl::StatusCode::kDeadlineExceeded,
                 absl::StrCat("the server does not answer within ",
                              LoginSeconds(is_polling() ? kPollTimeout : kAnswerTimeout), " s"));
  if (is_polling()) return OnPollFailure(status, now);
  Fail(status);
}

bool LoginDialog::TakeToken(const json& answer, std::string_view name, std::string& token) {
  absl::StatusOr<std::string> read = ReadLoginToken(answer, name);
  if (!read.ok()) {
    Fail(read.status());
    return false;
  }
  token = *std::move(read);
  AddSecret(token);
  return true;
}

void LoginDialog::AddSecret(const std::string& secret) {
  secrets_.push_back(secret);
  redactor_ = connect::Redactor(secrets_);
}

void LoginDialog::Fail(const absl::Status& status) {
  is_asking_ = false;
  result_ = redactor_.Redact(Annotate(status, Subject()));
}

std::optional<LoginEvent> LoginDialog::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  LoginEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

}  // namespace cursorwire::oct
