#ifndef CURSORWIRE_BENCH_BENCH_CLIENT_H_
#define CURSORWIRE_BENCH_BENCH_CLIENT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sample.h"
#include "shape.h"

namespace cursorwire::bench {

// Where the server listens on 127.0.0.1; its certificate is for "localhost". A value.
struct ServerAddress {
  int port = 0;
  std::string ca_pem{};
};

// What to do: `streams` calls at a time, each with `messages` messages. A value.
struct Work {
  Shape shape;
  size_t messages;
  size_t streams = 1;

  size_t total() const { return messages * streams; }
};

// The headers that ask the server for it.
inline std::vector<std::pair<std::string, std::string>> HeadersOf(const Work& work) {
  return {{kShapeHeader, work.shape.name},
          {kCountHeader, std::to_string(work.messages)},
          {kBytesHeader, std::to_string(work.shape.message_bytes)}};
}

using Latencies = std::vector<std::chrono::nanoseconds>;

// One way to make calls. It keeps one connection to the server, which its first call opens.
class BenchClient {
 public:
  virtual ~BenchClient() = default;

  virtual std::string name() const = 0;
  // Does the work and measures it.
  //   kUnimplemented  this client cannot do it; others of the same shape can
  virtual absl::StatusOr<Sample> Measure(const Work& work) = 0;
};

// A client within this process.
class OwnClient : public BenchClient {
 public:
  absl::StatusOr<Sample> Measure(const Work& work) final;

  // Makes the calls and takes all their messages. Only a ping-pong has latencies: one for each
  // message, from sending to receiving it.
  virtual absl::Status Run(const Work& work, Latencies& latencies) = 0;
  // Opens so many calls of the shape `idle`, and waits for the message of each. They stay open as
  // long as the client exists.
  virtual absl::Status Hold(size_t streams) = 0;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_BENCH_CLIENT_H_
