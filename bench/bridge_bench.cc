// bridge-bench: what cursor-h2-bridge costs a parent, beside a relay with Node.js's http2. See
// bridge-bench --help.
#include <absl/status/statusor.h>
#include <absl/strings/str_format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "base/file_descriptor.h"
#include "bench_server.h"
#include "bulk_service.h"
#include "relay_process.h"

namespace cursorwire::bench {
namespace {

using connect::Security;

constexpr size_t kMiB = size_t{1024} * 1024;
constexpr size_t kMessageBytes = size_t{64} * 1024;

constexpr char kFooter[] = R"(
start: from the start of the process to the first byte of a response, in ms. down, up: CPU of the
process, user and system, for each MiB of a response or a request beyond what a small one costs, in
ms. memory: most resident memory in MiB, with a small response and with a large one. Medians; the
processes take turns. Compare the ratios of one run, not times of two.

Exit codes: 0 ok; 1 a process failed; 2 usage.
)";

struct Options {
  std::string bridge = CURSOR_H2_BRIDGE;
  std::string node = "node";
  size_t repetitions = 9;
  size_t mib = 64;
};

// One program that is measured.
struct Subject {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> environment;
};

struct Sample {
  double start_ms = 0;
  double down_ms = 0;
  double up_ms = 0;
  double small_mib = 0;
  double large_mib = 0;
};

struct Run {
  double first_byte_ms = 0;
  double peak_mib = 0;  // most resident memory, with the whole response
  double cpu_seconds = 0;
};

// One request of `up` MiB in messages of 64 KiB, or a response of `down` bytes.
absl::StatusOr<Run> Relay(const Subject& subject, const std::string& url, size_t up, size_t down) {
  const auto start = std::chrono::steady_clock::now();
  auto relay = RelayProcess::Start(subject.command, subject.environment);
  if (!relay.ok()) return relay.status();
  const std::string path = up > 0 ? "/up" : "/down/" + std::to_string(down);
  absl::Status status =
      relay->Send(R"({"accessToken":"any","url":")" + url + R"(","path":")" + path + "\"}");
  const std::string message(kMessageBytes, 'u');
  for (size_t sent = 0; status.ok() && sent < up * kMiB; sent += message.size()) {
    status = relay->Send(message);
  }
  if (status.ok() && up > 0) status = relay->Send("");
  if (status.ok()) status = relay->Read(1);
  if (!status.ok()) return status;
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  if (status = relay->Read(down - 1); !status.ok()) return status;
  Run run{.first_byte_ms = time.count(), .peak_mib = relay->PeakMib()};
  if (up == 0) status = relay->Send("");
  const auto seconds = relay->Finish();
  if (!seconds.ok()) return seconds.status();
  run.cpu_seconds = *seconds;
  return run;
}

absl::StatusOr<Sample> Measure(const Subject& subject, const std::string& url, size_t mib) {
  const auto small = Relay(subject, url, 0, 1);
  if (!small.ok()) return small.status();
  const auto down = Relay(subject, url, 0, mib * kMiB);
  if (!down.ok()) return down.status();
  const auto up = Relay(subject, url, mib, 1);
  if (!up.ok()) return up.status();
  const auto beyond = [&](const Run& run) {
    return 1000 * (run.cpu_seconds - small->cpu_seconds) / static_cast<double>(mib);
  };
  return Sample{.start_ms = small->first_byte_ms,
                .down_ms = beyond(*down),
                .up_ms = beyond(*up),
                .small_mib = small->peak_mib,
                .large_mib = down->peak_mib};
}

double Median(const std::vector<Sample>& samples, double Sample::*member) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Sample& sample : samples) values.push_back(sample.*member);
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

constexpr struct {
  const char* name;
  double Sample::*member;
} kFigures[] = {{"start, ms", &Sample::start_ms},
                {"down, CPU ms/MiB", &Sample::down_ms},
                {"up, CPU ms/MiB", &Sample::up_ms},
                {"memory, small, MiB", &Sample::small_mib},
                {"memory, large, MiB", &Sample::large_mib}};

// The first subject's figures, and those of the others with their ratios to it.
void Print(const char* title, const std::vector<Subject>& subjects,
           const std::vector<std::vector<Sample>>& samples) {
  std::cout << absl::StrFormat("%-20s", title);
  for (const Subject& subject : subjects) std::cout << absl::StrFormat(" %18s", subject.name);
  std::cout << "\n";
  for (const auto& figure : kFigures) {
    std::cout << absl::StrFormat("%-20s", figure.name);
    const double own = Median(samples[0], figure.member);
    for (size_t i = 0; i < subjects.size(); ++i) {
      const double value = Median(samples[i], figure.member);
      const std::string ratio = i == 0 || own <= 0 ? "" : absl::StrFormat(" (%.1f)", value / own);
      std::cout << absl::StrFormat(" %18s", absl::StrFormat("%.2f", value) + ratio);
    }
    std::cout << "\n";
  }
}

// From the start of a program to its end, in ms: the median.
absl::StatusOr<double> ProgramMs(const std::vector<std::string>& command, size_t repetitions) {
  std::vector<double> times;
  for (size_t i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    auto process = RelayProcess::Start(command, {});
    if (!process.ok()) return process.status();
    if (const auto end = process->Finish(); !end.ok()) return end.status();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void PrintStarts(const Options& options) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(options.bridge, error);
  const auto bridge = ProgramMs({options.bridge, "--version"}, options.repetitions);
  const auto node = ProgramMs({options.node, "--eval", "0"}, options.repetitions);
  std::cout << absl::StrFormat("cursor-h2-bridge: %.1f MB; it starts and ends in %.2f ms",
                               static_cast<double>(bytes) / 1e6, bridge.value_or(0));
  if (node.ok()) std::cout << absl::StrFormat(", Node.js without a relay in %.2f ms", *node);
  std::cout << "\n";
}

std::string Variable(const std::string& name, const std::string& value) {
  return name + "=" + value;
}

absl::Status MeasureAll(const Options& options, bool tls, const std::string& ca_file) {
  BulkService service;
  const auto server = BenchServer::Start(service, tls ? Security::kTls : Security::kPlaintext);
  if (!server.ok()) return server.status();
  std::ofstream(ca_file) << server->ca_pem();
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  std::vector<std::string> environment = {Variable("PATH", path == nullptr ? "" : path)};
  std::vector<std::string> bridge = {options.bridge};
  if (tls) {
    environment.push_back(Variable("NODE_EXTRA_CA_CERTS", ca_file));
    bridge.insert(bridge.end(), {"--cacert", ca_file});
  }
  std::vector<Subject> subjects = {{"cursor-h2-bridge", bridge, environment},
                                   {"node", {options.node, NODE_RELAY}, environment}};
  const std::string url =
      (tls ? "https://localhost:" : "http://127.0.0.1:") + std::to_string(server->port());
  if (!Relay(subjects[1], url, 0, 1).ok()) {
    std::cout << "(no Node.js: nothing to compare with)\n";
    subjects.pop_back();
  }
  std::vector<std::vector<Sample>> samples(subjects.size());
  for (size_t repetition = 0; repetition < options.repetitions; ++repetition) {
    for (size_t i = 0; i < subjects.size(); ++i) {
      auto sample = Measure(subjects[i], url, options.mib);
      if (!sample.ok()) return sample.status();
      samples[i].push_back(*sample);
    }
  }
  Print(tls ? "TLS 1.3" : "plaintext", subjects, samples);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures what cursor-h2-bridge costs a parent, beside a relay in JavaScript.",
               "bridge-bench");
  app.footer(kFooter);
  app.add_option("--bridge", options.bridge, "The program (default: the one of this build)");
  app.add_option("--node", options.node, "Node.js (default: node)");
  app.add_option("--repetitions", options.repetitions, "Of each measurement (default 9)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--mib", options.mib, "MiB of a large request or response (default 64)")
      ->check(CLI::Range(1, 1024));
  CLI11_PARSE(app, argc, argv);
  PrintStarts(options);
  char ca_file[] = "/tmp/bridge-bench-XXXXXX";
  const FileDescriptor file(::mkstemp(ca_file));
  for (const bool tls : {false, true}) {
    const absl::Status status = MeasureAll(options, tls, ca_file);
    if (!status.ok()) {
      ::unlink(ca_file);
      std::cerr << "bridge-bench: error: " << status << "\n";
      return 1;
    }
  }
  ::unlink(ca_file);
  return 0;
}

}  // namespace
}  // namespace cursorwire::bench

int main(int argc, char** argv) { return cursorwire::bench::Main(argc, argv); }
