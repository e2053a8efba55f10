#include "options.h"

#include <absl/status/statusor.h>
#include <cursorwire/connect/version.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/env_option.h"
#include "common/exit_code.h"
#include "common/proxy_option.h"
#include "common/sandbox_option.h"
#include "common/token_source_option.h"

namespace cursor_gateway {
namespace {

constexpr char kFooter[] = R"(
The first line of the output is "cursor-gateway: listening on URL". Requests are logged to standard
error, without what was asked and answered. Where a key was made, the second line is
"cursor-gateway: open URL": the address of the page, with the key after "#key=".

  cursor-gateway --local --listen 127.0.0.1:8787
  curl http://127.0.0.1:8787/v1/models
The login of the account is looked for in --token-source: "env" is CURSOR_ACCESS_TOKEN and the like,
"store" is where "cursor-chat login" writes. Its token is renewed. Clients never see it. SIGTERM and Ctrl-C let answers end, for --drain-time; the second one does not.

Exit codes: 0 ended by a signal; 1 other errors; 2 usage; 3 no login; 4 the port is in use, or
the service is not there to renew the login.
)";

// Ten years.
constexpr int64_t kMaxOptionSeconds = 315'360'000;

void AddSeconds(CLI::App& app, const std::string& name, std::chrono::seconds& value,
                const std::string& description) {
  const auto parse = [name, &value](const std::string& text) {
    int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < 1 || number > kMaxOptionSeconds) {
      throw CLI::ValidationError(name,
                                 "must be a whole number of seconds from 1, not '" + text + "'");
    }
    value = std::chrono::seconds(number);
  };
  app.add_option_function<std::string>(name, parse, description)->type_name("SEC");
}

bool IsLoopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

// "127.0.0.1:8787", "localhost:0", "[::1]:8787".
void ParseListen(const std::string& text, Options& options) {
  const size_t colon = text.rfind(':');
  const auto bad = [&text] {
    return CLI::ValidationError("--listen", "must be ADDRESS:PORT, not '" + text + "'");
  };
  if (colon == std::string::npos || colon == 0) throw bad();
  const std::string port = text.substr(colon + 1);
  const auto [rest, error] = std::from_chars(port.data(), port.data() + port.size(), options.port);
  if (port.empty() || error != std::errc() || rest != port.data() + port.size()) throw bad();
  std::string address = text.substr(0, colon);
  if (address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  } else if (address.find(':') != std::string::npos) {
    throw bad();
  }
  if (address == "localhost") address = "127.0.0.1";
  options.address = address;
  options.names.is_loopback = IsLoopback(address);
  const bool is_ipv6 = address.find(':') != std::string::npos;
  options.names.hosts.push_back(is_ipv6 ? "[" + address + "]" : address);
}

void AddNames(CLI::App& app, OwnNames& names) {
  const auto none = [](const char* option, const char* what, const std::string& text) {
    return CLI::ValidationError(option, std::string("must be ") + what + ", not '" + text + "'");
  };
  const auto add_host = [&names, none](const std::string& text) {
    if (!IsHostName(text)) throw none("--allow-host", "a name without a port", text);
    names.hosts.push_back(text);
  };
  app.add_option_function<std::string>("--allow-host", add_host,
                                       "Another name of this machine, by which clients may ask; "
                                       "may be given again")
      ->type_name("NAME")
      ->trigger_on_parse();
  const auto add_origin = [&names, none](const std::string& text) {
    if (!HostOfOrigin(text)) throw none("--allow-origin", "an origin such as app://notes", text);
    names.origins.push_back(text);
  };
  app.add_option_function<std::string>("--allow-origin", add_origin,
                                       "Let pages of this origin ask; may be given again; needs "
                                       "a key")
      ->type_name("ORIGIN")
      ->trigger_on_parse();
  const auto set_public = [&names, none](const std::string& text) {
    const std::string origin = text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
    const auto host = HostOfOrigin(origin);
    if (!host || !origin.starts_with("http")) {
      throw none("--public-url", "https://HOST[:PORT] or the same with http", text);
    }
    names.public_origin = origin;
    names.hosts.emplace_back(host->substr(0, host->find(':', host->rfind(']') + 1)));
  };
  app.add_option_function<std::string>("--public-url", set_public,
                                       "Where clients find this gateway: the address of a proxy "
                                       "in front of it; needs a key")
      ->type_name("URL");
}

void CheckTogether(const Options& options, bool allow_given) {
  if (allow_given && options.workspace.empty() && options.mcp_config.empty()) {
    throw CLI::ValidationError("--allow", "needs --workspace or --mcp-config");
  }
  if (!options.key_file.empty()) return;
  if (!options.names.is_loopback) {
    throw CLI::ValidationError("--listen",
                               "other machines can reach this address: give --key-file, too");
  }
  if (options.makes_key()) return;
  if (!options.names.public_origin.empty()) {
    throw CLI::ValidationError("--public-url",
                               "other machines can reach this address: give --key-file, too");
  }
  if (!options.names.origins.empty()) {
    throw CLI::ValidationError("--allow-origin", "pages need a key: give --key-file, too");
  }
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Speaks OpenAI's and Anthropic's APIs to its clients, and answers with the agent service of "
      "Cursor.",
      "cursor-gateway");
  app.footer(kFooter);
  app.set_version_flag("--version", "cursor-gateway " + std::string(cursorwire::connect::Version()),
                       "Print the version and exit");
  app.add_option_function<std::string>(
         "--listen", [&options](const std::string& text) { ParseListen(text, options); },
         "Where clients connect (default 127.0.0.1:0: a port that is free)")
      ->type_name("ADDRESS:PORT");
  AddNames(app, options.names);
  auto* endpoint =
      app.add_option("--endpoint", options.endpoint, "Host of the agent service")->type_name("URL");
  auto* ca_file = app.add_option("--cacert", options.ca_file, "Certificates to trust, alone")
                      ->type_name("FILE")
                      ->check(CLI::ExistingFile);
  auto* proxy = cursor_apps::AddProxy(app, options.proxy);
  app.add_flag("--local", options.local, "A stand-in for the service, in this process")
      ->excludes(endpoint)
      ->excludes(proxy)
      ->excludes(ca_file);
  app.add_option("--api-endpoint", options.api_endpoint, "Host that lists the models")
      ->type_name("URL");
  app.add_option(
         "--key-file", options.key_file,
         "API keys that clients must have, one a line; lines with # are comments. Without it, "
         "where the agent may do more than read, one is made and printed with the address")
      ->type_name("FILE");
  app.add_option("--state", options.state,
                 "What outlives the process and is shared with others is kept in this folder, or "
                 "at this URL of PostgreSQL (postgresql://...)")
      ->type_name("DIR|URL")
      ->check([](const std::string& text) { return text.empty() ? "must not be empty" : ""; });
  app.add_option("--workspace", options.workspace, "Folder that the agent sees")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  auto* allow =
      app.add_option_function<std::string>(
             "--allow",
             [&options](const std::string& text) {
               const absl::StatusOr<cursor_apps::Allow> allowed = cursor_apps::ParseAllow(text);
               if (!allowed.ok()) {
                 throw CLI::ValidationError("--allow", std::string(allowed.status().message()));
               }
               options.allow = *allowed;
             },
             "What it may do there: read, write, sandboxed (commands in the sandbox), shell (any "
             "command), ask, or none (default read); mcp: call tools of servers without a question")
          ->type_name("LIST");
  cursor_apps::AddSandbox(app, options.sandbox);
  app.add_option(
         "--mcp-config", options.mcp_config,
         "Start the servers of tools (Model Context Protocol) of this file, and offer their "
         "tools to the agent")
      ->type_name("FILE")
      ->check([](const std::string& text) { return text.empty() ? "must not be empty" : ""; });
  app.add_flag_callback(
      "--no-parking", [&options] { options.parks = false; },
      "Begin a new turn for the results of tools, instead of keeping the former one open");
  app.add_option_function<std::vector<std::string>>(
         "--model-map",
         [&options](const std::vector<std::string>& lists) {
           for (const std::string& list : lists) {
             const absl::Status status = options.model_map.Add(list);
             if (!status.ok()) {
               throw CLI::ValidationError("--model-map", std::string(status.message()));
             }
           }
         },
         "Ask for the model TO where a client asks for FROM, in which * is any text; the first "
         "that matches counts. May be given several times, or with commas between")
      ->type_name("FROM=TO")
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--prompt-tokens",
         [&options](const std::string& text) { options.context_as_prompt = text == "context"; },
         "What usage tells: what is billed, or the size of the context (default billed)")
      ->type_name("billed|context")
      ->check(CLI::IsMember({"billed", "context"}));
  cursor_apps::AddEnv(app, options.variables);
  cursor_apps::AddTokenSource(app, options.token_places);
  app.add_option("--client-version", options.client_version,
                 "What it says to the service that it is (default:\nCURSORWIRE_CLIENT_VERSION, "
                 "else that of an installed\nofficial CLI)")
      ->type_name("VERSION");
  AddSeconds(app, "--max-time", options.max_time, "Longest time of a turn (default 3600)");
  AddSeconds(app, "--max-idle", options.max_idle,
             "Longest time in which the service, or a client with tools to run, does nothing "
             "(default 600)");
  AddSeconds(app, "--drain-time", options.drain_time,
             "Longest time that answers have to end once the gateway is told to stop (default 60)");
  try {
    app.parse(argc, argv);
    CheckTogether(options, allow->count() > 0);
    cursor_apps::CheckSandbox(options.allow, options.sandbox);
  } catch (const CLI::Success& text) {
    app.exit(text);  // prints the help, or the version
    return cursor_apps::kExitOk;
  } catch (const CLI::ParseError& error) {
    std::cerr << "cursor-gateway: error: " << error.what() << "\n";
    return cursor_apps::kExitUsage;
  }
  return options;
}

}  // namespace cursor_gateway
