#ifndef CURSORWIRE_BENCH_SAMPLE_H_
#define CURSORWIRE_BENCH_SAMPLE_H_

#include <absl/status/statusor.h>

#include "bench_client.h"

namespace cursorwire::bench {

// What one call cost, in microseconds. A value.
struct Sample {
  double cpu = 0;   // of this process for each message, user and system
  double wall = 0;  // for each message
  double p50 = 0;   // of the latencies; 0 where there are none
  double p99 = 0;
};

// Makes the call and measures it. An error is that of BenchClient::Run().
absl::StatusOr<Sample> TakeSample(BenchClient& client, const Work& work);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SAMPLE_H_
