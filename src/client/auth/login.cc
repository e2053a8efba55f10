#include "cursorwire/login.h"

#include <utility>

#include "base/error.h"
#include "client/auth/access_token.h"
#include "client/auth/browser_login.h"
#include "client/auth/http_answer.h"
#include "client/auth/login_file.h"
#include "client/auth/login_poll.h"
#include "client/auth/login_wait.h"
#include "client/machine/endpoint.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/credentials.h"
#include "files/pause.h"

namespace cursorwire {

class Login::Impl {
 public:
  Impl(BrowserLogin login, std::string path, connect::Channel api)
      : login_(std::move(login)),
        url_(LoginPage(login_)),
        path_(std::move(path)),
        api_(std::move(api)) {}

  const std::string& url() const { return url_; }

  absl::StatusOr<Account> Wait(const std::stop_token& stop,
                               const std::function<void(const LoginProgress&)>& progress) {
    const HttpQuestion question{.path = PollPath(login_),
                                .method = connect::HttpMethod::kGet,
                                .timeout = LoginPoll::kAnswerTimeout};
    const LoginSteps steps{
        .pause = [&stop](std::chrono::milliseconds time) { return PauseFor(time, stop); },
        .ask = [&] { return AskHttp(api_, question, stop); },
        .is_stopped = [&stop] { return stop.stop_requested(); },
        .progress =
            [&progress](const LoginProgress& now) {
              if (progress) progress(now);
            }};
    const absl::StatusOr<LoginTokens> tokens = WaitForLogin(steps);
    if (!tokens.ok()) return tokens.status();
    return Keep(*tokens, stop);
  }

 private:
  absl::StatusOr<Account> Keep(const LoginTokens& tokens, const std::stop_token& stop) {
    absl::StatusOr<HeldLogin> file = HeldLogin::Open(path_, LockedFile::Missing::kMake, stop);
    if (!file.ok()) return file.status();
    if (absl::Status saved = file->Save(tokens); !saved.ok()) return saved;
    return Account{.place = CredentialPlace::kStore,
                   .origin = path_,
                   .user = SubjectOf(tokens.access_token),
                   .expires_at = ExpiryOf(tokens.access_token),
                   .is_renewable = !tokens.refresh_token.empty()};
  }

  const BrowserLogin login_;
  const std::string url_;
  const std::string path_;
  const connect::Channel api_;
};

absl::StatusOr<Login> Login::Start(LoginOptions options) {
  std::string path = DefaultCredentialsPath();
  if (path.empty()) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      "there is no place for the login: set HOME or XDG_CONFIG_HOME");
  }
  // Before the user takes the trouble.
  if (absl::Status status = CheckLoginFile(path); !status.ok()) return status;
  const auto api_url =
      ResolveApiUrl(options.endpoint, options.api_endpoint, ReadProcessEnvironment());
  if (!api_url.ok()) return api_url.status();
  KeepTokensReadableHereAlone(options.channel);
  absl::StatusOr<connect::Channel> api = connect::Channel::Create(*api_url, options.channel);
  if (!api.ok()) return api.status();
  const std::shared_ptr<IdSource> ids = options.ids == nullptr ? RandomIds() : options.ids;
  absl::StatusOr<BrowserLogin> login = NewBrowserLogin(*ids);
  if (!login.ok()) return login.status();
  return Login(std::make_unique<Impl>(*std::move(login), std::move(path), *std::move(api)));
}

Login::Login(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Login::~Login() = default;
Login::Login(Login&&) noexcept = default;
Login& Login::operator=(Login&&) noexcept = default;

const std::string& Login::url() const { return impl_->url(); }

absl::StatusOr<Account> Login::Wait(const std::stop_token& stop,
                                    const std::function<void(const LoginProgress&)>& progress) {
  return impl_->Wait(stop, progress);
}

}  // namespace cursorwire
