#ifndef CURSORWIRE_BENCH_GATEWAY_FIGURES_H_
#define CURSORWIRE_BENCH_GATEWAY_FIGURES_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>

#include "cursorwire/client.h"
#include "server_process.h"

namespace cursorwire::bench {

// The word that the scripts of the service say, and which the measurements look for.
inline constexpr char kBenchWord[] = "word ";

// One turn, seen by who asked.
struct TurnTimes {
  double first_ms = 0;  // until its first word
  double total_ms = 0;  // until its end
};
absl::StatusOr<TurnTimes> TurnOfLibrary(const Client& client);
// On a connection that is already there, as clients keep theirs.
absl::StatusOr<TurnTimes> TurnOfGateway(const ServerProcess& gateway);

// Many streams at a time, each of which has its first word and waits.
struct HeldStreams {
  double first_words_ms = 0;  // until the last one has its word
  double kib_each = 0;
  size_t threads = 0;
};
absl::StatusOr<HeldStreams> HoldStreams(const ServerProcess& gateway, size_t count);

struct RequestRate {
  double per_second = 0;
  double cpu_us_each = 0;
};
// `count` requests for the models, `connections` at a time.
absl::StatusOr<RequestRate> AskForModels(const ServerProcess& gateway, size_t count,
                                         size_t connections);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_GATEWAY_FIGURES_H_
