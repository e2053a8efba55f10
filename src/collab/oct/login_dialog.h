#ifndef CURSORWIRE_SRC_COLLAB_OCT_LOGIN_DIALOG_H_
#define CURSORWIRE_SRC_COLLAB_OCT_LOGIN_DIALOG_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/url.h"
#include "collab/oct/login_answer.h"
#include "collab/oct/login_options.h"
#include "cursorwire/connect/redactor.h"

namespace cursorwire::oct {

// A request to the server. Its URL and headers hold tokens.
struct LoginQuestion {
  std::string method{};
  std::string url{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};
// Bodies over kMaxLoginAnswerBytes are refused; they may be cut one byte later.
struct LoginAnswer {
  int status = 0;  // of HTTP
  std::string body{};
};

// What the person must be told. Texts of the server are LoginText().
struct LoginPage {
  std::string url{};  // to be opened in a browser; of http or https, printable ASCII
};
struct JoinStatus {
  std::string code{};  // such as "WaitingForHost"
  std::string message{};
};
using LoginEvent = std::variant<LoginPage, JoinStatus>;

// The login at a server and the request to be let into a room: docs/collab/oct.md, "Login and
// joining". No I/O, time as an argument.
//
// Order: TakeQuestion(), then its OnAnswer() or OnFailure(), and again, until there is a result().
// After each call TakeEvent() until there is none; OnDeadline() at deadline(). A question ends the
// one before, which then may not have been answered.
// Tokens are in questions and in RoomAccess alone. The address of a LoginPage holds the token that
// the person confirms with it.
// Thread-compatible.
class LoginDialog {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Between two questions whether there is something new, when answers come at once.
  static constexpr std::chrono::milliseconds kPollPause{1000};
  // For the answer to such a question. Servers answer after 30 s in any case.
  static constexpr std::chrono::milliseconds kPollTimeout{60000};
  // For the answer to any other one.
  static constexpr std::chrono::milliseconds kAnswerTimeout{30000};
  // Such questions without an answer, in a row, that end it. Answers of a proxy that does not reach
  // the server count as none.
  static constexpr int kMaxPollFailures = 5;

  //   kInvalidArgument  what ParseLoginServer() and CheckLoginOptions() say
  static absl::StatusOr<LoginDialog> Create(LoginOptions options, TimePoint now);

  // nullopt: an answer is awaited, it is too early, or there is a result.
  std::optional<LoginQuestion> TakeQuestion(TimePoint now);
  // Both are ignored while no answer is awaited.
  void OnAnswer(const LoginAnswer& answer, TimePoint now);
  // There is no answer.
  void OnFailure(const absl::Status& status, TimePoint now);

  // nullopt: none.
  std::optional<TimePoint> deadline() const;
  // Too early it does nothing.
  void OnDeadline(TimePoint now);

  std::optional<LoginEvent> TakeEvent();
  // nullopt: it goes on. Else, for good:
  //   kPermissionDenied  the server refuses the name, or the login
  //   kUnauthenticated   the server's time for the login is over
  //   kUnavailable       no connection; no such room; the host has said no, or nothing
  //   kDeadlineExceeded  a timeout of the options, or kAnswerTimeout
  //   kInternal          the server speaks another version, or says what was not expected
  const std::optional<absl::StatusOr<RoomAccess>>& result() const { return result_; }

 private:
  // What is asked. In this order; without a form kForm is left out.
  enum class Step : uint8_t { kMeta, kOffer, kForm, kLoginPoll, kJoin, kJoinPoll };

  LoginDialog(LoginOptions options, Url server, TimePoint now);

  bool is_polling() const { return step_ == Step::kLoginPoll || step_ == Step::kJoinPoll; }
  std::string_view Subject() const;
  LoginQuestion MakeQuestion() const;
  std::string UrlOf(std::string_view path, std::string_view last_step) const;

  void OnJson(const nlohmann::json& answer, TimePoint now);
  void OnOffer(const nlohmann::json& answer, TimePoint now);
  void OnLoginPoll(const nlohmann::json& answer, TimePoint now);
  void OnJoinPoll(const nlohmann::json& answer, TimePoint now);
  // Of an answer whose status is no success.
  absl::Status RefusalOf(const LoginAnswer& answer) const;

  void Go(Step step, TimePoint now);
  void AskAgain(TimePoint now);
  void OnPollFailure(const absl::Status& status, TimePoint now);
  // False: it has failed.
  bool TakeToken(const nlohmann::json& answer, std::string_view name, std::string& token);
  void AddSecret(const std::string& secret);
  void Fail(const absl::Status& status);

  LoginOptions options_;
  Url server_;
  Step step_ = Step::kMeta;
  bool is_asking_ = false;
  TimePoint ask_at_{};
  TimePoint asked_at_{};
  TimePoint answer_until_{};
  TimePoint limit_{};  // of the login, or of the joining
  int poll_failures_ = 0;
  LoginOffer offer_;
  std::string login_token_;
  std::string join_token_;
  std::vector<std::string> secrets_;
  connect::Redactor redactor_;
  std::deque<LoginEvent> events_;
  std::optional<absl::StatusOr<RoomAccess>> result_;
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_LOGIN_DIALOG_H_
