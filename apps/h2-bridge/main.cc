// cursor-h2-bridge: relays length-prefixed messages of a parent process to an HTTP/2 connection.
// See cursor-h2-bridge --help.
#include <cursorwire/connect/version.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_loop.h"
#include "log_file.h"
#include "options.h"
#include "relay.h"
#include "request.h"
#include "standard_streams.h"

namespace h2_bridge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxCaFileBytes = size_t{32} * 1024 * 1024;

// A parent that does not read standard error must not stop the relay: what does not fit is lost.
void WriteError(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

int Fail(const absl::Status& status) {
  WriteError("[h2-bridge] " + std::string(status.message()));
  return kExitFailure;
}

class Host final : public RelayHost {
 public:
  explicit Host(std::optional<LogFile> log) : log_(std::move(log)) {}

  void Diagnose(std::string_view line) override {
    WriteError(line);
    Log(line);
  }
  void Log(std::string_view line) override {
    if (log_) log_->Write(line, Clock::now());
  }
  std::string NewRequestId() override {
    std::array<uint8_t, 16> random{};
    // So few bytes come whole, once the kernel has any.
    (void)!::getrandom(random.data(), random.size(), 0);
    return FormatUuid(random);
  }

 private:
  std::optional<LogFile> log_;
};

absl::StatusOr<std::string> ReadCaFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() <= kMaxCaFileBytes &&
         (file.read(piece.data(), piece.size()), file.gcount() > 0)) {
    text.append(piece.data(), static_cast<size_t>(file.gcount()));
  }
  if (text.empty() || file.bad()) return absl::InvalidArgumentError("cannot read " + path);
  if (text.size() > kMaxCaFileBytes) return absl::InvalidArgumentError(path + " is too large");
  return text;
}

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return value == nullptr ? "" : value;
}

int Main(const std::vector<std::string_view>& arguments) {
  const auto options = ParseOptions(arguments);
  if (!options.ok()) return Fail(options.status());
  if (options->show_help) return std::fputs(kHelp, stdout), kExitDone;
  if (options->show_version) {
    std::printf("cursor-h2-bridge %s\n", std::string(cursorwire::connect::Version()).c_str());
    return kExitDone;
  }
  RelayOptions relay_options{.client_version = FromEnvironment("PI_CURSOR_CLIENT_VERSION")};
  if (relay_options.client_version.empty()) relay_options.client_version = kDefaultClientVersion;
  if (!options->ca_file.empty()) {
    auto pem = ReadCaFile(options->ca_file);
    if (!pem.ok()) return Fail(pem.status());
    relay_options.ca_pem = *std::move(pem);
  }
  std::optional<LogFile> log;
  if (!options->log_file.empty()) {
    auto opened = LogFile::Open(options->log_file, Clock::now());
    if (!opened.ok()) return Fail(opened.status());
    log = *std::move(opened);
  }

  ::signal(SIGPIPE, SIG_IGN);  // so that a closed pipe shows as a failed write
  const StandardStreams streams;
  Host host(std::move(log));
  Relay relay(std::move(relay_options), host);
  return EventLoop(relay, options->proxy_from_environment ? FromEnvironment : Environment()).Run();
}

}  // namespace
}  // namespace h2_bridge

int main(int argc, char** argv) {
  const int code = h2_bridge::Main({argv + 1, argv + argc});
  std::fflush(stdout);
  // A thread may still look up a name; nothing waits for it.
  std::_Exit(code);
}
