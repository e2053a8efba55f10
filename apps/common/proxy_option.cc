#include "common/proxy_option.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <optional>

#include "base/text.h"
#include "base/url.h"

namespace cursor_apps {
namespace {

constexpr char kPasswordVariable[] = "CURSORWIRE_PROXY_PASSWORD";

// The same with the password of the environment behind the user, if there is one.
absl::StatusOr<std::string> WithPassword(const std::string& url,
                                         const cursorwire::proxy::Environment& environment) {
  const std::string with_scheme = cursorwire::SplitUrl(url) ? url : "http://" + url;
  const std::optional<cursorwire::UrlPieces> pieces = cursorwire::SplitUrl(with_scheme);
  if (!pieces || !pieces->user) return url;
  if (pieces->user->find(':') != std::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "others can read a password in a command line: leave it out, and set ", kPasswordVariable));
  }
  const std::string password = environment(kPasswordVariable);
  return absl::StrCat(std::string(pieces->scheme), "://", std::string(*pieces->user), ":",
                      cursorwire::PercentEncode(password), "@", std::string(pieces->host_and_port),
                      std::string(pieces->rest));
}

}  // namespace

absl::StatusOr<cursorwire::connect::ProxyChoice> ParseProxyOption(
    const std::string& url, const cursorwire::proxy::Environment& environment) {
  absl::StatusOr<std::string> whole = WithPassword(url, environment);
  if (!whole.ok()) return whole.status();
  cursorwire::connect::ProxyChoice choice{.url = *std::move(whole)};
  const auto checked = cursorwire::proxy::ChooseProxy({.host = "any"}, choice, environment);
  if (!checked.ok()) return checked.status();
  return choice;
}

CLI::Option* AddProxy(CLI::App& app, cursorwire::connect::ProxyChoice& proxy) {
  const auto parse = [&proxy](const std::string& url) {
    absl::StatusOr<cursorwire::connect::ProxyChoice> parsed = ParseProxyOption(url);
    if (!parsed.ok()) throw CLI::ValidationError("--proxy", std::string(parsed.status().message()));
    proxy = *std::move(parsed);
  };
  return app
      .add_option_function<std::string>("--proxy", parse,
                                        "Go through this proxy; \"\": through none (default:\nthat "
                                        "of https_proxy or all_proxy, if it is set)")
      ->type_name("URL");
}

}  // namespace cursor_apps
