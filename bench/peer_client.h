#ifndef CURSORWIRE_BENCH_PEER_CLIENT_H_
#define CURSORWIRE_BENCH_PEER_CLIENT_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <utility>

#include "bench_client.h"
#include "child_process.h"

namespace cursorwire::bench {

// A client of another implementation, as a process of its own that measures itself. It is started
// by
//   COMMAND PORT CA_FILE
// with the file of the server's authority, and keeps one connection. For each line of its standard
// input, "SHAPE MESSAGES BYTES", it makes one call and answers with one line: "CPU WALL P50 P99",
// the values of a Sample, or "unsupported", or "error" and what went wrong. It ends with its input.
class PeerClient final : public BenchClient {
 public:
  // `command` is run by /bin/sh.
  //   kUnavailable  it cannot be started
  static absl::StatusOr<std::unique_ptr<PeerClient>> Start(std::string name,
                                                           const std::string& command, int port,
                                                           const std::string& ca_file);
  ~PeerClient() override;

  std::string name() const override { return name_; }
  absl::StatusOr<Sample> Measure(const Work& work) override;

 private:
  PeerClient(std::string name, ChildProcess process)
      : name_(std::move(name)), process_(std::move(process)) {}

  const std::string name_;
  ChildProcess process_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_PEER_CLIENT_H_
