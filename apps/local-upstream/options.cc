#include "options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <system_error>

namespace local_upstream {
namespace {

constexpr char kFooter[] = R"(
The first line of the output is "listening on URL"; with TLS the second is "certificates in FILE".
What a client does that the protocol or the script does not allow goes to standard error, one line
each. Without a script an assistant answers, which is no model.

  local-upstream &
  CURSOR_ACCESS_TOKEN=any cursor-chat --endpoint URL --cacert FILE "Say hi."
  local-upstream --once examples/scripts/hello.json
  local-upstream --check *.json
Several scripts, in one file or in several: the n-th run plays the n-th, and after the last that
again. The form of a script, and of an account: docs/local-upstream.md.

Exit codes: 0 ok; 1 there were violations; 2 usage, or a bad script; 4 the port is in use, or no
socket can be had. Ctrl-C ends it.
)";

// Ten years: no deadline is longer.
constexpr int64_t kMaxMilliseconds = 315'360'000'000;
constexpr size_t kMaxRuns = 1'000'000'000;

// Decimal only: CLI11 by itself reads 0100 as 64.
template <typename Number>
CLI::Option* AddNumber(CLI::App& app, const std::string& name, Number min, Number max,
                       Number& value, const std::string& description) {
  const auto parse = [=, &value](const std::string& text) {
    Number number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < min || number > max) {
      throw CLI::ValidationError(name, "must be a whole number from " + std::to_string(min) +
                                           " to " + std::to_string(max) + ", not '" + text + "'");
    }
    value = number;
  };
  return app.add_option_function<std::string>(name, parse, description);
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  bool once = false;
  int64_t word_interval = options.word_interval.count();
  CLI::App app("Serves a stand-in for Cursor's agent service on this machine, for tests.",
               "local-upstream");
  app.footer(kFooter);
  app.add_option("script", options.scripts, "What runs play")->type_name("SCRIPT.json");
  AddNumber<uint16_t>(app, "--port", 0, 65535, options.port,
                      "Port on 127.0.0.1 (default 0: any that is free)")
      ->type_name("N");
  auto* plaintext =
      app.add_flag("--plaintext", options.plaintext, "HTTP/2 without TLS, by prior knowledge");
  app.add_option("--ca-out", options.ca_file,
                 "Where to write the certificate to trust (default: a new file in TMPDIR or /tmp)")
      ->type_name("FILE")
      ->excludes(plaintext);
  AddNumber<int64_t>(app, "--word-interval", 0, kMaxMilliseconds, word_interval,
                     "Milliseconds between two words of the assistant (default 20)")
      ->type_name("MS");
  auto* once_flag = app.add_flag("--once", once, "End after one run: --runs 1");
  AddNumber<size_t>(app, "--runs", 1, kMaxRuns, options.runs, "End after so many runs")
      ->type_name("N")
      ->excludes(once_flag);
  app.add_option("--account", options.account_file,
                 "Plays this account: logins, renewals, usage, refused tokens")
      ->type_name("FILE.json");
  app.add_flag("--check", options.check, "Load the scripts, say whether they are good, and end");
  try {
    app.parse(argc, argv);
    if (options.check && options.scripts.empty()) {
      throw CLI::ValidationError("--check", "wants at least one script");
    }
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    std::cerr << "local-upstream: error: " << error.what() << " (see local-upstream --help)\n";
    return kExitUsage;
  }
  if (once) options.runs = 1;
  options.word_interval = std::chrono::milliseconds(word_interval);
  return options;
}

}  // namespace local_upstream
