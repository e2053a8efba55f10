#ifndef CURSORWIRE_BENCH_SAMPLE_H_
#define CURSORWIRE_BENCH_SAMPLE_H_

#include <absl/status/statusor.h>

#include "bench_client.h"

namespace cursorwire::bench {

// The cost of one call, in microseconds. A value.
struct Sample {
  double cpu = 0;   // of this process per message, user and system
  double wall = 0;  // per message
  double p50 = 0;   // median latency; 0 without latencies
  double p99 = 0;
};

// Makes the call and measures it. Errors are those of BenchClient::Run().
absl::StatusOr<Sample> TakeSample(BenchClient& client, const Work& work);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SAMPLE_H_
