// local-upstream: serves scripts on a port, for tests in any language. See local-upstream --help.
#include <cursorwire/local_upstream.h>
#include <signal.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <system_error>
#include <variant>

#include "base/text.h"
#include "ca_file.h"
#include "options.h"

namespace local_upstream {
namespace {

// Interval for checking what has happened; a signal ends it at once.
constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 20'000'000};

int Fail(int exit_code, const std::string& message) {
  std::cerr << "local-upstream: error: " << message << "\n";
  return exit_code;
}

absl::StatusOr<std::vector<cursorwire::Script>> Load(const std::vector<std::string>& paths) {
  std::vector<cursorwire::Script> all;
  for (const std::string& path : paths) {
    absl::StatusOr<std::vector<cursorwire::Script>> scripts = cursorwire::LoadScripts(path);
    if (!scripts.ok()) return scripts.status();
    for (cursorwire::Script& script : *scripts) all.push_back(std::move(script));
  }
  return all;
}

// The account that the options name, or the usual one.
absl::StatusOr<cursorwire::LocalAccount> LoadAccount(const std::string& path) {
  if (path.empty()) return cursorwire::LocalAccount();
  std::ifstream file(path);
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return absl::InvalidArgumentError("cannot read " + path);
  absl::StatusOr<cursorwire::LocalAccount> account = cursorwire::ParseLocalAccount(json);
  if (account.ok()) return account;
  return absl::InvalidArgumentError(path + ": " + std::string(account.status().message()));
}

// Prints violations as they happen, each on one line.
class ViolationPrinter {
 public:
  explicit ViolationPrinter(const cursorwire::LocalUpstream& upstream) : upstream_(upstream) {}

  void PrintNew() {
    const std::vector<std::string> all = upstream_.violations();
    for (; printed_ < all.size(); ++printed_) {
      std::cerr << "local-upstream: violation: " << cursorwire::OneLine(all[printed_]) << std::endl;
    }
  }
  bool any() const { return printed_ > 0; }

 private:
  const cursorwire::LocalUpstream& upstream_;
  size_t printed_ = 0;
};

// Waits until so many runs have ended, or a signal came.
void Serve(const cursorwire::LocalUpstream& upstream, size_t runs, const sigset_t& signals,
           ViolationPrinter& violations) {
  while (runs == 0 || upstream.runs_ended() < runs) {
    const bool stopped = ::sigtimedwait(&signals, nullptr, &kLook) > 0;
    violations.PrintNew();
    if (stopped) return;
  }
}

int Main(int argc, char** argv) {
  const std::variant<Options, int> parsed = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  const auto& options = std::get<Options>(parsed);
  const auto scripts = Load(options.scripts);
  if (!scripts.ok()) return Fail(kExitUsage, std::string(scripts.status().message()));
  const auto account = LoadAccount(options.account_file);
  if (!account.ok()) return Fail(kExitUsage, std::string(account.status().message()));
  if (options.check) {
    std::cout << "ok: " << scripts->size() << (scripts->size() == 1 ? " script\n" : " scripts\n");
    return kExitOk;
  }

  // Other threads inherit the mask, so that only Serve() receives these signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // so that a closed pipe shows as a failed write
  auto upstream = cursorwire::LocalUpstream::Start(
      {.security = options.plaintext ? cursorwire::connect::Security::kPlaintext
                                     : cursorwire::connect::Security::kTls,
       .word_interval = options.word_interval,
       .port = options.port,
       .scripts = *scripts,
       .account = *account});
  if (!upstream.ok()) return Fail(kExitUnavailable, std::string(upstream.status().message()));
  std::optional<CaFile> ca_file;
  if (!options.plaintext) {
    auto written = CaFile::Write(options.ca_file, upstream->ca_pem());
    if (!written) {
      const std::string name = options.ca_file.empty() ? "a temporary file" : options.ca_file;
      return Fail(kExitUsage,
                  "cannot write " + name + ": " + std::generic_category().message(errno));
    }
    ca_file.emplace(*std::move(written));
  }
  std::cout << "listening on " << upstream->url() << std::endl;
  if (ca_file) std::cout << "certificates in " << ca_file->path() << std::endl;
  if (!std::cout.good()) return Fail(kExitUsage, "cannot write to standard output");

  ViolationPrinter violations(*upstream);
  Serve(*upstream, options.runs, signals, violations);
  violations.PrintNew();
  return violations.any() ? kExitViolations : kExitOk;
}

}  // namespace
}  // namespace local_upstream

int main(int argc, char** argv) { return local_upstream::Main(argc, argv); }
