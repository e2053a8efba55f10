#ifndef CURSORWIRE_BENCH_SAMPLE_H_
#define CURSORWIRE_BENCH_SAMPLE_H_

namespace cursorwire::bench {

// The cost of the messages of some calls, in microseconds. A value.
struct Sample {
  double cpu = 0;   // of the client's process per message, user and system
  double wall = 0;  // per message
  double p50 = 0;   // median latency; 0 without latencies
  double p99 = 0;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_SAMPLE_H_
