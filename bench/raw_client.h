#ifndef CURSORWIRE_BENCH_RAW_CLIENT_H_
#define CURSORWIRE_BENCH_RAW_CLIENT_H_

#include <memory>
#include <string>

#include "bench_client.h"

namespace cursorwire::bench {

// What the bare loop does with a message.
enum class Parse { kNothing, kOnArena };

// The lower bound: nghttp2 on a blocking socket. It cuts and counts envelopes, without timeouts,
// limits or a hand-off between threads.
class RawClient final : public OwnClient {
 public:
  RawClient(const char* name, ServerAddress server, Parse parse);
  ~RawClient() override;

  std::string name() const override { return name_; }
  absl::Status Run(const Work& work, Latencies& latencies) override;
  absl::Status Hold(size_t streams) override;

 private:
  class Session;

  absl::Status Connect();

  const char* const name_;
  const ServerAddress server_;
  const Parse parse_;
  std::unique_ptr<Session> session_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_RAW_CLIENT_H_
