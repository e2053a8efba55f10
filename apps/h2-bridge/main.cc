// cursor-h2-bridge: relays length-prefixed messages of a parent process to an HTTP/2 connection.
// See cursor-h2-bridge --help.
#include <cursorwire/connect/version.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "common/hide_memory.h"
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

int Fail(const absl::Status& status) {
  WriteErrorLine("[h2-bridge] " + std::string(status.message()));
  return kExitFailure;
}

class Host final : public RelayHost {
 public:
  explicit Host(std::optional<LogFile> log) : log_(std::move(log)) {}

  void Diagnose(std::string_view line) override {
    WriteErrorLine(line);
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
  // A pipe would wait for its writer.
  const cursorwire::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError("cannot read " + path + ", or it is not a file");
  }
  std::string text;
  std::array<char, 4096> piece{};
  ssize_t count = 0;
  while (text.size() <= kMaxCaFileBytes &&
         (count = ::read(file.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<size_t>(count));
  }
  if (text.empty() || count < 0) return absl::InvalidArgumentError("cannot read " + path);
  if (text.size() > kMaxCaFileBytes) return absl::InvalidArgumentError(path + " is too large");
  return text;
}

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return value == nullptr ? "" : value;
}

int Main(const std::vector<std::string_view>& arguments) {
  cursor_apps::HideMemory();  // the parent may be an agent that runs commands
  OpenMissingStreams();
  ::signal(SIGPIPE, SIG_IGN);  // so that a closed pipe shows as a failed write
  const auto options = ParseOptions(arguments);
  if (!options.ok()) return Fail(options.status());
  if (options->show_help) return std::fputs(kHelp, stdout), kExitDone;
  if (options->show_version) {
    std::printf("cursor-h2-bridge %s\n", std::string(cursorwire::connect::Version()).c_str());
    return kExitDone;
  }
  RelayOptions relay_options{.client_version = FromEnvironment("PI_CURSOR_CLIENT_VERSION")};
  relay_options.allow_plaintext = options->allow_plaintext;
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

  const StandardStreams streams;
  Host host(std::move(log));
  Relay relay(std::move(relay_options), host);
  return EventLoop(relay, streams,
                   options->proxy_from_environment ? cursorwire::proxy::OwnEnvironment
                                                   : cursorwire::proxy::Environment())
      .Run();
}

}  // namespace
}  // namespace h2_bridge

int main(int argc, char** argv) {
  int code = h2_bridge::Main({argv + 1, argv + argc});
  if (std::fflush(stdout) != 0) code = h2_bridge::kExitFailure;  // --help, --version
  // A thread may still look up a name; nothing waits for it.
  std::_Exit(code);
}
