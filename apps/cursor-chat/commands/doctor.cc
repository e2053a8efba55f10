#include "commands/doctor.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <cursorwire/client.h>
#include <cursorwire/client_version.h>
#include <cursorwire/connect/probe.h>
#include <cursorwire/connect/version.h>
#include <cursorwire/credentials.h>
#include <cursorwire/endpoints.h>
#include <cursorwire/workspace.h>
#include <sys/resource.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/url.h"
#include "commands/check.h"
#include "commands/clock_skew.h"
#include "connect.h"
#include "output/notices.h"
#include "proxy/proxy_choice.h"

namespace cursor_chat {
namespace {

using cursorwire::Account;
using cursorwire::connect::ProbeReport;
using cursorwire::connect::ProbeStep;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHelloTimeout{60};
constexpr std::chrono::seconds kMostSkew{60};
constexpr rlim_t kEnoughFiles = 64;

// The checks in their order. What depends on a failed one is skipped.
class Doctor {
 public:
  Doctor(const Options& options, cursor_apps::Interrupt& interrupt, Output& output)
      : options_(options), interrupt_(interrupt), output_(output) {}

  absl::Status Run() {
    Versions();
    Limits();
    Sandbox();
    Proxy();
    const bool reachable = ReachHosts();
    const bool has_login = Auth();
    AskService(reachable && has_login,
               reachable ? "there is no login" : "a host cannot be reached");
    Skew();
    return Finish();
  }

 private:
  void Add(Check check) {
    if (options_.format == Format::kText) {
      output_.Write(output_.redactor().Redact(CheckText(check)));
    }
    checks_.push_back(std::move(check));
  }

  // `work` fills in what it finds; its time is measured.
  bool Measure(const std::string& name, const std::function<void(Check&)>& work) {
    Check check{.name = name};
    const Clock::time_point start = Clock::now();
    work(check);
    check.time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    const bool good = check.status != CheckStatus::kFail;
    Add(std::move(check));
    return good;
  }

  static void Fail(Check& check, const absl::Status& status, std::string fix) {
    check.status = CheckStatus::kFail;
    check.detail = CodeOf(status) + ": " + MessageOf(status);
    check.fix = std::move(fix);
  }

  // What the service is told that this client is.
  absl::StatusOr<cursorwire::ClientVersion> Client() const {
    const std::string& named = options_.client_version;
    if (named.empty()) return cursorwire::FindClientVersion();
    constexpr char kOption[] = "--client-version";
    if (absl::Status status = cursorwire::CheckClientVersion(named, kOption); !status.ok()) {
      return status;
    }
    return cursorwire::ClientVersion{.version = named, .origin = kOption};
  }

  void Versions() {
    std::string text = "cursor-chat " + std::string(cursorwire::connect::Version());
    for (const auto& library : cursorwire::connect::LibraryVersions()) {
      text += ", " + library.name + " " + library.version;
    }
    const std::string system = cursorwire::DetectEnvironment().os_version;
    if (!system.empty()) text += ", " + system;
    Check check{.name = "versions"};
    const absl::StatusOr<cursorwire::ClientVersion> client = Client();
    if (!client.ok()) {
      Fail(check, client.status(), "correct what the message names");
    } else {
      check.detail =
          text + "; to the service it is " + client->version + ", as " + client->origin + " says";
    }
    Add(std::move(check));
  }

  void Limits() {
    rlimit files{};
    Check check{.name = "limits"};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
      const bool unlimited = files.rlim_cur == RLIM_INFINITY;
      check.detail = "open files: " + (unlimited ? "any" : std::to_string(files.rlim_cur));
      if (!unlimited && files.rlim_cur < kEnoughFiles) {
        check.status = CheckStatus::kWarn;
        check.fix = "raise the limit: ulimit -n 1024";
      }
    }
    Add(std::move(check));
  }

  void Sandbox() {
    Measure("sandbox", [](Check& check) {
      const cursorwire::SandboxSupport support = cursorwire::LocalExecHandler::FindSandbox();
      check.detail = "commands can run in a sandbox";
      if (support.full) return;
      check.status = CheckStatus::kWarn;
      check.detail =
          support.partial ? "there is a part of one: --sandbox partial" : "there is none";
      check.fix = support.why_not;
    });
  }

  void Proxy() {
    Check check{.name = "proxy"};
    const auto endpoints = cursorwire::ResolveEndpoints(options_.endpoint, options_.api_endpoint);
    const auto url = endpoints.ok() ? cursorwire::ParseUrl(endpoints->agent) : endpoints.status();
    if (!url.ok()) return;  // the check of the configuration says so
    const auto proxy = cursorwire::proxy::ChooseProxy(*url, options_.proxy);
    if (!proxy.ok()) {
      Fail(check, proxy.status(), "correct the variable that the message names");
    } else if (proxy->has_value()) {
      check.detail = "connections go through " + (*proxy)->address();
    } else {
      check.detail = "none: connections go directly";
    }
    Add(std::move(check));
  }

  void AddStep(const std::string& name, const std::optional<ProbeStep>& step,
               const std::string& fix) {
    if (!step) return Add({.name = name, .status = CheckStatus::kSkip, .detail = "not tried"});
    Check check{.name = name, .detail = step->detail, .time = step->time};
    if (!step->status.ok()) Fail(check, step->status, fix);
    check.time = step->time;
    Add(std::move(check));
  }

  bool ReachHosts() {
    const absl::StatusOr<cursorwire::Endpoints> endpoints =
        cursorwire::ResolveEndpoints(options_.endpoint, options_.api_endpoint);
    const auto channel = MakeChannelOptions(options_);
    const absl::Status status = endpoints.ok() ? channel.status() : endpoints.status();
    Check check{.name = "configuration"};
    if (!status.ok()) {
      Fail(check, status, "correct what the message names");
      Add(std::move(check));
      return false;
    }
    const bool same = endpoints->api == endpoints->agent;
    check.detail = endpoints->agent + (same ? "" : " and " + endpoints->api);
    Add(std::move(check));
    const bool agent = ReachHost("", endpoints->agent, *channel);
    return (same || ReachHost("api_", endpoints->api, *channel)) && agent;
  }

  bool ReachHost(const std::string& prefix, const std::string& url,
                 const cursorwire::connect::ChannelOptions& channel) {
    const ProbeReport report = cursorwire::connect::Probe(url, channel);
    AddStep(prefix + "name_resolution", report.name_resolution,
            "check the name in " + url + ", the network, and /etc/resolv.conf");
    AddStep(prefix + "tcp", report.tcp, "check that the host is up, and what a firewall forbids");
    if (report.proxy) {
      AddStep(prefix + "tunnel", report.proxy,
              "see what the message says; --proxy names another proxy, and \"\" none");
    }
    if (report.tls || url.starts_with("https:")) {
      AddStep(prefix + "tls", report.tls,
              "install ca-certificates; if a company's proxy signs in between, name its "
              "certificate with --cacert");
    } else {
      Add({.name = prefix + "tls", .status = CheckStatus::kSkip, .detail = "http:// has none"});
    }
    AddStep(prefix + "http2", report.http2,
            "something in between does not let HTTP/2 through: try another network");
    return report.http2 && report.http2->status.ok();
  }

  static std::string AccountText(const Account& account) {
    std::string text = std::string(cursorwire::NameOf(account.place)) + ", " + account.origin;
    if (!account.user.empty()) text += ", user " + account.user;
    if (account.expires_at) {
      text += ", token until " + absl::FormatTime("%Y-%m-%dT%H:%M:%SZ",
                                                  absl::FromChrono(*account.expires_at),
                                                  absl::UTCTimeZone());
    }
    return text + (account.is_renewable ? ", renewable" : "");
  }

  bool Auth() {
    return Measure("auth", [this](Check& check) {
      const auto credentials = FindCredentials(options_);
      const absl::StatusOr<Account> account =
          credentials.ok() ? (*credentials)->account() : credentials.status();
      if (!account.ok()) return Fail(check, account.status(), "log in: cursor-chat login");
      check.detail = AccountText(*account);
      const bool over =
          account->expires_at && *account->expires_at < ::absl::ToChronoTime(absl::Now());
      if (over && !account->is_renewable) {
        check.status = CheckStatus::kWarn;
        check.fix = "the token has ended by this machine's clock: log in again";
      }
    });
  }

  void AskService(bool possible, const std::string& why_not) {
    std::shared_ptr<cursorwire::Client> client;
    const bool asked = possible;
    if (possible) {
      const bool connected = Measure("token", [&](Check& check) {
        std::optional<cursorwire::LocalUpstream> none;
        absl::StatusOr<cursorwire::Client> made =
            Connect(options_, none, {.interceptors = {skew_}});
        if (!made.ok()) {
          const bool refused = absl::IsUnauthenticated(made.status());
          return Fail(check, made.status(),
                      refused ? "log in again: cursor-chat login" : "try again in a while");
        }
        client = std::make_shared<cursorwire::Client>(*std::move(made));
        check.detail = "there is a token that is good now";
      });
      possible = connected;
    }
    if (!possible) {
      const std::string reason = asked ? "there is no token" : why_not;
      Add({.name = "models", .status = CheckStatus::kSkip, .detail = reason});
      return Add({.name = "hello", .status = CheckStatus::kSkip, .detail = reason});
    }
    Measure("models", [&](Check& check) { Models(*client, check); });
    Measure("hello", [&](Check& check) { Hello(*client, check); });
  }

  static void Models(const cursorwire::Client& client, Check& check) {
    const absl::StatusOr<cursorwire::ModelList> list = client.ListModels();
    if (!list.ok()) return Fail(check, list.status(), "see what the message says");
    check.detail = std::to_string(list->models.size()) + " models";
    if (list->failures.empty()) return;
    check.status = CheckStatus::kWarn;
    check.detail += "; one of two lists failed: " + MessageOf(list->failures[0]);
  }

  void Hello(const cursorwire::Client& client, Check& check) {
    const Clock::time_point start = Clock::now();
    std::optional<Clock::time_point> first_text;
    cursorwire::ChatStream answer = client.Chat(
        {.prompt = "Say hello in one word.", .model = options_.model, .timeout = kHelloTimeout});
    // Before, a signal just ends the program.
    const cursor_apps::Interrupt::Scope scope(interrupt_, [this, &answer] {
      stop_.request_stop();
      answer.Cancel();
    });
    for (const auto& event : answer) {
      if (!event.ok()) return Fail(check, event.status(), "see what the message says");
      const bool is_text = event->As<cursorwire::TextDelta>() != nullptr;
      if (is_text && !first_text) first_text = Clock::now();
    }
    if (!first_text) {
      check.status = CheckStatus::kWarn;
      check.detail = "the turn ended well, without a word";
      return;
    }
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(*first_text - start);
    check.detail = "an answer; its first word after " + std::to_string(wait.count()) + " ms";
  }

  void Skew() {
    const std::optional<std::chrono::seconds> skew = skew_->skew();
    Check check{.name = "clock"};
    if (!skew) {
      check.status = CheckStatus::kSkip;
      check.detail = "no answer of the service had its time";
    } else {
      check.detail =
          "this clock differs from the service's by " + std::to_string(skew->count()) + " s";
      if (std::chrono::abs(*skew) > kMostSkew) {
        check.status = CheckStatus::kWarn;
        check.fix = "set the clock of this machine: tokens are judged by it";
      }
    }
    Add(std::move(check));
  }

  absl::Status Finish() {
    if (stop_.stop_requested()) return absl::CancelledError("interrupted");
    if (options_.format != Format::kText) {
      output_.Write(ChecksJson(checks_, output_.redactor()));
    }
    size_t failed = 0;
    for (const Check& check : checks_) failed += check.status == CheckStatus::kFail ? 1 : 0;
    if (failed == 0) return absl::OkStatus();
    return absl::UnknownError(std::to_string(failed) + " of " + std::to_string(checks_.size()) +
                              " checks failed");
  }

  const Options& options_;
  cursor_apps::Interrupt& interrupt_;
  std::stop_source stop_;
  Output& output_;
  const std::shared_ptr<ClockSkew> skew_ = std::make_shared<ClockSkew>();  // shared with channels
  std::vector<Check> checks_;
};

}  // namespace

absl::Status RunDoctor(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  return Doctor(options, interrupt, output).Run();
}

}  // namespace cursor_chat
