// gateway-bench: what cursor-gateway costs beside the library alone, and beside Node.js. See
// gateway-bench --help.
#include <absl/status/statusor.h>
#include <absl/strings/str_format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cursorwire/client.h"
#include "gateway_figures.h"
#include "server_process.h"

namespace cursorwire::bench {
namespace {

constexpr char kFooter[] = R"(
The service is local-upstream, as a process of its own and without TLS. Turns go by in turns: one of
the library in this process, one of cursor-gateway, one of bench/node_gateway.mjs. first word: of a
turn of one word, in ms. word: wall and CPU time of a gateway for each word of a long turn, in us.
streams: many at a time, each of which has said a word and waits. models: requests of /v1/models,
eight at a time. Medians. Compare the ratios of one run, not times of two.

Exit codes: 0 ok; 1 a process failed; 2 usage.
)";

struct Options {
  std::string gateway = CURSOR_GATEWAY;
  std::string upstream = LOCAL_UPSTREAM;
  std::string node = "node";
  size_t repetitions = 9;
  size_t words = 20'000;
  size_t streams = 1'000;
  size_t requests = 20'000;
};

constexpr size_t kConnections = 8;
// Turns before those that are measured: connections are made, and programs warm up.
constexpr int kWarmUp = 3;

// The scripts of a service, as a file that is there as long as this object.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& steps) : path_("/tmp/gateway-bench-XXXXXX.json") {
    constexpr int kSuffix = 5;
    ::close(::mkstemps(path_.data(), kSuffix));
    std::ofstream(path_) << R"({"name": "bench", "steps": [)" << steps << "]}";
  }
  ~ScriptFile() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  ScriptFile(const ScriptFile&) = delete;
  ScriptFile& operator=(const ScriptFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string Words(size_t count) {
  std::string steps;
  for (size_t i = 0; i < count; ++i) steps += R"({"text": ")" + std::string(kBenchWord) + "\"},";
  return steps + R"({"turn_ended": {"input_tokens": 3}})";
}

// Nobody listens to its violations: a client that leaves is one.
absl::StatusOr<ServerProcess> StartUpstream(const Options& options, const std::string& steps) {
  const ScriptFile script(steps);
  return ServerProcess::Start({options.upstream, "--plaintext", script.path()}, {});
}

absl::StatusOr<ServerProcess> StartGateway(const Options& options, const ServerProcess& upstream) {
  return ServerProcess::Start(
      {options.gateway, "--endpoint", upstream.url(), "--api-endpoint", upstream.url()},
      {"CURSOR_ACCESS_TOKEN=any"});
}

absl::StatusOr<ServerProcess> StartNode(const Options& options, const ServerProcess& upstream) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return ServerProcess::Start({options.node, NODE_GATEWAY, upstream.url()},
                              {"PATH=" + std::string(path == nullptr ? "" : path)});
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

void PrintRow(const std::string& name, const std::vector<double>& values, const char* format) {
  std::cout << absl::StrFormat("%-28s", name);
  for (const double value : values) {
    std::cout << absl::StrFormat("%14s",
                                 value < 0 ? "-" : absl::StrFormat("%.*f", *format - '0', value));
  }
  std::cout << "\n";
}

// What turns of one kind take: of the library, of the gateway, and of Node.js if it is there.
struct Turns {
  std::vector<double> first_ms[3];
  std::vector<double> total_ms[3];
  double cpu_ms[3] = {-1, -1, -1};  // of the process, for a turn
};

absl::StatusOr<Turns> MeasureTurns(const Options& options, size_t words, bool with_node) {
  const auto upstream = StartUpstream(options, Words(words));
  if (!upstream.ok()) return upstream.status();
  const auto client = Client::Create(
      {.endpoint = upstream->url(), .api_endpoint = upstream->url(), .token = "any"});
  if (!client.ok()) return client.status();
  std::vector<ServerProcess> gateways;
  for (auto start : {StartGateway, StartNode}) {
    if (start == StartNode && !with_node) continue;
    auto gateway = start(options, *upstream);
    if (!gateway.ok()) return gateway.status();
    gateways.push_back(*std::move(gateway));
  }
  Turns turns;
  std::vector<double> cpu;
  for (int i = -kWarmUp; i < static_cast<int>(options.repetitions); ++i) {
    if (i == 0) {
      for (const ServerProcess& gateway : gateways) cpu.push_back(gateway.CpuSeconds());
    }
    for (size_t who = 0; who <= gateways.size(); ++who) {
      const auto times = who == 0 ? TurnOfLibrary(*client) : TurnOfGateway(gateways[who - 1]);
      if (!times.ok()) return times.status();
      if (i < 0) continue;
      turns.first_ms[who].push_back(times->first_ms);
      turns.total_ms[who].push_back(times->total_ms);
    }
  }
  for (size_t i = 0; i < gateways.size(); ++i) {
    turns.cpu_ms[i + 1] =
        (gateways[i].CpuSeconds() - cpu[i]) * 1e3 / static_cast<double>(options.repetitions);
  }
  return turns;
}

std::vector<double> Medians(const std::vector<double> (&of)[3], double divisor = 1) {
  std::vector<double> medians;
  for (const auto& values : of) medians.push_back(values.empty() ? -1 : MedianOf(values) / divisor);
  return medians;
}

absl::Status PrintTurns(const Options& options, bool with_node) {
  const auto one = MeasureTurns(options, 1, with_node);
  if (!one.ok()) return one.status();
  PrintRow("first word, ms", Medians(one->first_ms), "2");
  const auto many = MeasureTurns(options, options.words, with_node);
  if (!many.ok()) return many.status();
  const auto words = static_cast<double>(options.words);
  PrintRow("word, wall us", Medians(many->total_ms, words / 1e3), "2");
  std::vector<double> cpu;
  for (const double ms : many->cpu_ms) cpu.push_back(ms < 0 ? ms : ms * 1e3 / words);
  PrintRow("word, CPU us", cpu, "2");
  return absl::OkStatus();
}

absl::Status PrintStreams(const Options& options, bool with_node) {
  std::vector<HeldStreams> held;
  for (auto start : {StartGateway, StartNode}) {
    if (start == StartNode && !with_node) continue;
    const auto upstream = StartUpstream(options, R"({"text": "word "},
        {"expect_disconnect": {}, "within_ms": 0})");
    if (!upstream.ok()) return upstream.status();
    const auto gateway = start(options, *upstream);
    if (!gateway.ok()) return gateway.status();
    const auto streams = HoldStreams(*gateway, options.streams);
    if (!streams.ok()) return streams.status();
    held.push_back(*streams);
  }
  const auto row = [&held](double HeldStreams::*member) {
    std::vector<double> values = {-1};
    for (const HeldStreams& streams : held) values.push_back(streams.*member);
    return values;
  };
  const std::string name = absl::StrFormat("%d streams, ", options.streams);
  PrintRow(name + "words, ms", row(&HeldStreams::first_words_ms), "0");
  PrintRow(name + "KiB each", row(&HeldStreams::kib_each), "1");
  std::vector<double> threads = {-1};
  for (const HeldStreams& streams : held) threads.push_back(static_cast<double>(streams.threads));
  PrintRow(name + "threads", threads, "0");
  return absl::OkStatus();
}

absl::Status PrintModels(const Options& options, bool with_node) {
  const auto upstream = StartUpstream(options, Words(1));
  if (!upstream.ok()) return upstream.status();
  std::vector<double> rates = {-1};
  std::vector<double> cpu = {-1};
  for (auto start : {StartGateway, StartNode}) {
    if (start == StartNode && !with_node) continue;
    const auto gateway = start(options, *upstream);
    if (!gateway.ok()) return gateway.status();
    auto rate = AskForModels(*gateway, options.requests / 10 + 1, kConnections);  // warms up
    if (rate.ok()) rate = AskForModels(*gateway, options.requests, kConnections);
    if (!rate.ok()) return rate.status();
    rates.push_back(rate->per_second);
    cpu.push_back(rate->cpu_us_each);
  }
  PrintRow("models, requests/s", rates, "0");
  PrintRow("models, CPU us each", cpu, "1");
  return absl::OkStatus();
}

bool HasNode(const Options& options) {
  const auto upstream = StartUpstream(options, Words(1));
  return upstream.ok() && StartNode(options, *upstream).ok();
}

// A descriptor for each stream.
void RaiseFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

absl::Status MeasureAll(const Options& options) {
  const bool with_node = HasNode(options);
  std::cout << absl::StrFormat("%-28s%14s%14s%14s\n", "", "library", "gateway",
                               with_node ? "node" : "(no node)");
  absl::Status status = PrintTurns(options, with_node);
  if (status.ok()) status = PrintStreams(options, with_node);
  if (status.ok()) status = PrintModels(options, with_node);
  return status;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures what cursor-gateway costs beside the library, and beside Node.js.",
               "gateway-bench");
  app.footer(kFooter);
  app.add_option("--gateway", options.gateway, "The program (default: the one of this build)");
  app.add_option("--upstream", options.upstream, "local-upstream (default: that of this build)");
  app.add_option("--node", options.node, "Node.js (default: node)");
  app.add_option("--repetitions", options.repetitions, "Of each turn (default 9)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--words", options.words, "Of a long turn (default 20000)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--streams", options.streams, "At a time (default 1000)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--requests", options.requests, "For the models (default 20000)")
      ->check(CLI::Range(1, 10'000'000));
  CLI11_PARSE(app, argc, argv);
  RaiseFileLimit();
  const absl::Status status = MeasureAll(options);
  if (status.ok()) return 0;
  std::cerr << "gateway-bench: error: " << status << "\n";
  return 1;
}

}  // namespace
}  // namespace cursorwire::bench

int main(int argc, char** argv) { return cursorwire::bench::Main(argc, argv); }
