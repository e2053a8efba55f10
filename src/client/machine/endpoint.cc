#include "client/machine/endpoint.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/url.h"
#include "client/machine/cli_config.h"
#include "cursorwire/endpoints.h"

namespace cursorwire {
namespace {

// True if `host` is `domain` or a name below it.
bool IsWithin(std::string_view host, std::string_view domain) {
  if (!host.ends_with(domain)) return false;
  const std::string_view rest = host.substr(0, host.size() - domain.size());
  return rest.empty() || rest.ends_with('.');
}

// The token must not go to any other host. Source: docs/protocol.md, endpoint.
absl::Status CheckHost(const Url& url, std::string_view origin) {
  const bool service = IsWithin(url.host, "cursor.sh") || IsWithin(url.host, "cursor.com");
  if (!service && !url.is_loopback()) {
    return LocalError(
        absl::StatusCode::kInvalidArgument,
        absl::StrCat(ToAbsl(origin), ": the token is not sent to ", url.host,
                     "; allowed are cursor.sh, cursor.com, what is below them, and this machine"));
  }
  if (!url.https && !url.is_loopback()) {
    return LocalError(
        absl::StatusCode::kInvalidArgument,
        absl::StrCat(ToAbsl(origin), ": http:// is allowed to this machine only; use https://"));
  }
  return absl::OkStatus();
}

// The URL without query, fragment and trailing slashes.
std::string TextOf(const Url& url) {
  return absl::StrCat(url.https ? "https://" : "http://", url.authority(), url.path);
}

absl::StatusOr<std::string> Checked(const Url& url, std::string_view origin) {
  if (absl::Status status = CheckHost(url, origin); !status.ok()) return status;
  return TextOf(url);
}

// A URL that the user gave must be valid.
absl::StatusOr<std::string> FromOption(const std::string& text, std::string_view origin) {
  const absl::StatusOr<Url> url = ParseUrl(text);
  if (!url.ok()) return Annotate(url.status(), origin);
  return Checked(*url, origin);
}

// A URL from the environment or a file may be broken; then nullopt.
std::optional<absl::StatusOr<std::string>> FromEnvironment(const std::string& text,
                                                           std::string_view origin) {
  const absl::StatusOr<Url> url = ParseUrl(text);
  if (!url.ok()) return std::nullopt;
  return Checked(*url, origin);
}

}  // namespace

absl::StatusOr<std::string> ResolveAgentEndpoint(const std::string& configured,
                                                 const ProcessEnvironment& process_environment) {
  if (!configured.empty()) return FromOption(configured, "endpoint");
  for (const char* name : {"CURSORWIRE_AGENT_URL", "CURSOR_AGENT_URL"}) {
    const std::string origin = absl::StrCat("environment variable ", name);
    if (auto found = FromEnvironment(process_environment.variable(name), origin)) return *found;
  }
  const CliConfig config = ReadCliConfig(process_environment);
  for (const std::string& url : config.agent_urls) {
    if (auto found = FromEnvironment(url, config.path)) return *found;
  }
  return std::string(kDefaultAgentEndpoint);
}

absl::StatusOr<std::string> ResolveApiEndpoint(const std::string& configured,
                                               const std::string& agent_endpoint,
                                               const ProcessEnvironment& process_environment) {
  if (!configured.empty()) return FromOption(configured, "api_endpoint");
  const std::string in_environment = process_environment.variable("CURSORWIRE_API_URL");
  if (auto found = FromEnvironment(in_environment, "environment variable CURSORWIRE_API_URL")) {
    return *found;
  }
  const absl::StatusOr<Url> agent = ParseUrl(agent_endpoint);
  if (!agent.ok()) return Annotate(agent.status(), "endpoint");
  if (agent->is_loopback()) return TextOf(*agent);
  return std::string(kDefaultApiEndpoint);
}

absl::StatusOr<std::string> ResolveApiUrl(const std::string& endpoint,
                                          const std::string& api_endpoint,
                                          const ProcessEnvironment& process_environment) {
  const absl::StatusOr<std::string> agent = ResolveAgentEndpoint(endpoint, process_environment);
  if (!agent.ok()) return agent.status();
  return ResolveApiEndpoint(api_endpoint, *agent, process_environment);
}

absl::StatusOr<Endpoints> ResolveEndpoints(const std::string& endpoint,
                                           const std::string& api_endpoint) {
  const ProcessEnvironment process_environment = ReadProcessEnvironment();
  absl::StatusOr<std::string> agent = ResolveAgentEndpoint(endpoint, process_environment);
  if (!agent.ok()) return agent.status();
  absl::StatusOr<std::string> api = ResolveApiEndpoint(api_endpoint, *agent, process_environment);
  if (!api.ok()) return api.status();
  return Endpoints{.agent = *std::move(agent), .api = *std::move(api)};
}

void KeepTokensReadableHereAlone(connect::ChannelOptions& options) {
  if (options.plaintext_hosts == connect::PlaintextHosts::kAny) {
    options.plaintext_hosts = connect::PlaintextHosts::kLoopback;
  }
}

}  // namespace cursorwire
