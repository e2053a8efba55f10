#ifndef CURSORWIRE_BENCH_BENCH_CLIENT_H_
#define CURSORWIRE_BENCH_BENCH_CLIENT_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <vector>

#include "shape.h"

namespace cursorwire::bench {

// One call that is to be made, and what is wanted of it. A value.
struct Work {
  const Shape& shape;
  size_t messages;
};

using Latencies = std::vector<std::chrono::nanoseconds>;

// A way to make a call. It holds one connection to the server, which its first call makes.
class BenchClient {
 public:
  virtual ~BenchClient() = default;

  virtual const char* name() const = 0;
  // Makes the call and takes all its messages. Latencies are those of each message of a ping-pong,
  // from sending to receiving; of no other shape.
  virtual absl::Status Run(const Work& work, Latencies& latencies) = 0;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_BENCH_CLIENT_H_
