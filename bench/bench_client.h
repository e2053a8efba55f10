#ifndef CURSORWIRE_BENCH_BENCH_CLIENT_H_
#define CURSORWIRE_BENCH_BENCH_CLIENT_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <vector>

#include "shape.h"

namespace cursorwire::bench {

// A call to make, and what it has to do. A value.
struct Work {
  const Shape& shape;
  size_t messages;
};

using Latencies = std::vector<std::chrono::nanoseconds>;

// One way to make a call. It keeps one connection to the server, which its first call opens.
class BenchClient {
 public:
  virtual ~BenchClient() = default;

  virtual const char* name() const = 0;
  // Makes the call and takes all its messages. Only a ping-pong has latencies: one for each
  // message, from sending to receiving it.
  virtual absl::Status Run(const Work& work, Latencies& latencies) = 0;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_BENCH_CLIENT_H_
