#include "bench_client.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

double CpuMicroseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// `latencies` must be sorted.
double Percentile(const Latencies& latencies, size_t percent) {
  if (latencies.empty()) return 0;
  return Microseconds(latencies[(latencies.size() - 1) * percent / 100]).count();
}

}  // namespace

absl::StatusOr<Sample> OwnClient::Measure(const Work& work) {
  Latencies latencies;
  latencies.reserve(work.total());
  const double cpu_start = CpuMicroseconds();
  const auto start = steady_clock::now();
  if (absl::Status status = Run(work, latencies); !status.ok()) return status;
  const double wall = Microseconds(steady_clock::now() - start).count();
  const double cpu = CpuMicroseconds() - cpu_start;
  std::sort(latencies.begin(), latencies.end());
  const auto messages = static_cast<double>(work.total());
  return Sample{.cpu = cpu / messages,
                .wall = wall / messages,
                .p50 = Percentile(latencies, 50),
                .p99 = Percentile(latencies, 99)};
}

}  // namespace cursorwire::bench
