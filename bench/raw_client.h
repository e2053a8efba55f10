#ifndef CURSORWIRE_BENCH_RAW_CLIENT_H_
#define CURSORWIRE_BENCH_RAW_CLIENT_H_

#include <memory>
#include <string>

#include "bench_client.h"

namespace cursorwire::bench {

// The lower bound: nghttp2 on a blocking socket, one stream at a time. It cuts and counts
// envelopes, without timeouts, limits or a hand-off between threads.
class RawClient final : public BenchClient {
 public:
  RawClient(int port, std::string ca_pem);
  ~RawClient() override;

  const char* name() const override { return "raw"; }
  absl::Status Run(const Work& work, Latencies& latencies) override;

 private:
  class Session;

  const int port_;
  const std::string ca_pem_;
  std::unique_ptr<Session> session_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_RAW_CLIENT_H_
