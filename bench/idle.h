#ifndef CURSORWIRE_BENCH_IDLE_H_
#define CURSORWIRE_BENCH_IDLE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>

#include "bench_client.h"

namespace cursorwire::bench {

// What open calls cost that wait for their next message, in KiB. A value.
struct IdleCost {
  std::string client{};
  size_t streams = 0;
  double resident = 0;  // memory of the process for each stream, beyond that of its connection
};

// The most calls that the server allows on one connection.
inline constexpr size_t kStreamsPerConnection = 1000;

// Opens the calls in a new process, so that no client uses memory that another has left behind.
// More than kStreamsPerConnection are spread over several clients of that kind. Forks, so there
// must be no thread.
//   kUnavailable  there is no process, or the new one failed; it has told stderr why
absl::StatusOr<IdleCost> MeasureIdle(const std::string& client, const ServerAddress& server,
                                     size_t streams);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_IDLE_H_
