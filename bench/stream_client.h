#ifndef CURSORWIRE_BENCH_STREAM_CLIENT_H_
#define CURSORWIRE_BENCH_STREAM_CLIENT_H_

#include <string>
#include <utility>
#include <vector>

#include "bench_client.h"
#include "cursorwire/connect/channel.h"

namespace cursorwire::bench {

// Uses connect::Stream: each message is a string, handed to the thread that asked for it.
class StreamClient final : public OwnClient {
 public:
  StreamClient(const char* name, connect::Channel channel)
      : name_(name), channel_(std::move(channel)) {}

  std::string name() const override { return name_; }
  absl::Status Run(const Work& work, Latencies& latencies) override;
  absl::Status Hold(size_t streams) override;

 private:
  const char* const name_;
  const connect::Channel channel_;
  std::vector<connect::Stream> held_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_STREAM_CLIENT_H_
