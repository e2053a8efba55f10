#ifndef CURSORWIRE_BENCH_CLIENTS_H_
#define CURSORWIRE_BENCH_CLIENTS_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "bench_client.h"
#include "bench_server.h"

namespace cursorwire::bench {

std::vector<std::string> ClientNames();

// `name` must be one of ClientNames().
//   errors: those of Channel::Create()
absl::StatusOr<std::unique_ptr<BenchClient>> MakeClient(const std::string& name,
                                                        const BenchServer& server);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_CLIENTS_H_
