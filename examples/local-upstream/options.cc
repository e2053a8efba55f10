#include "options.h"

#include <CLI/CLI.hpp>
#include <iostream>

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
again. The form of a script: docs/local-upstream.md.

Exit codes: 0 ok; 1 there were violations; 2 usage, or a bad script; 4 the port is in use, or no
socket can be had. Ctrl-C ends it.
)";

// Ten years: no deadline is longer.
constexpr int64_t kMaxMilliseconds = 315'360'000'000;

}  // namespace

std::variant<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  bool once = false;
  int64_t word_interval = options.word_interval.count();
  CLI::App app("Serves a stand-in for Cursor's agent service on this machine, for tests.",
               "local-upstream");
  app.footer(kFooter);
  app.add_option("script", options.scripts, "What runs play")->type_name("SCRIPT.json");
  app.add_option("--port", options.port, "Port on 127.0.0.1 (default 0: any that is free)")
      ->type_name("N");
  auto* plaintext =
      app.add_flag("--plaintext", options.plaintext, "HTTP/2 without TLS, by prior knowledge");
  app.add_option("--ca-out", options.ca_file,
                 "Where to write the certificate to trust (default: a new file in TMPDIR or /tmp)")
      ->type_name("FILE")
      ->excludes(plaintext);
  app.add_option("--word-interval", word_interval,
                 "Milliseconds between two words of the assistant (default 20)")
      ->type_name("MS")
      ->check(CLI::Range(int64_t{0}, kMaxMilliseconds));
  auto* once_flag = app.add_flag("--once", once, "End after one run: --runs 1");
  app.add_option("--runs", options.runs, "End after so many runs")
      ->type_name("N")
      ->check(CLI::Range(size_t{1}, size_t{1'000'000'000}))
      ->excludes(once_flag);
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
