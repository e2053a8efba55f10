#ifndef CURSORWIRE_BENCH_CLIENTS_H_
#define CURSORWIRE_BENCH_CLIENTS_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "bench_client.h"

namespace cursorwire::bench {

std::vector<std::string> ClientNames();

// `name` must be one of ClientNames().
//   errors: those of Channel::Create() and Client::Create()
absl::StatusOr<std::unique_ptr<OwnClient>> MakeClient(const std::string& name,
                                                      const ServerAddress& server);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_CLIENTS_H_
