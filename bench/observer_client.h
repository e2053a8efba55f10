#ifndef CURSORWIRE_BENCH_OBSERVER_CLIENT_H_
#define CURSORWIRE_BENCH_OBSERVER_CLIENT_H_

#include <string>
#include <utility>

#include "bench_client.h"
#include "cursorwire/connect/channel.h"

namespace cursorwire::bench {

// Uses connect::CallObserver: each message is a view on the channel's thread.
class ObserverClient final : public OwnClient {
 public:
  ObserverClient(const char* name, connect::Channel channel)
      : name_(name), channel_(std::move(channel)) {}

  std::string name() const override { return name_; }
  absl::Status Run(const Work& work, Latencies& latencies) override;
  absl::Status Hold(size_t streams) override;

 private:
  const char* const name_;
  const connect::Channel channel_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_OBSERVER_CLIENT_H_
