#ifndef CURSORWIRE_SRC_CLIENT_MODEL_FETCH_H_
#define CURSORWIRE_SRC_CLIENT_MODEL_FETCH_H_

#include <absl/status/statusor.h>

#include <stop_token>

#include "cursorwire/connect/channel.h"
#include "cursorwire/id_source.h"
#include "cursorwire/model.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

// The hosts of the two calls that make the catalog; both may use the same channel.
struct ModelHosts {
  const connect::Channel& agent;
  const connect::Channel& api;
};

// Makes both calls at the same time and waits for both, at most 15 seconds. If both fail, returns
// the more informative error. If one fails, its error is in `failures`. `stop` ends both with
// kCancelled.
absl::StatusOr<ModelList> FetchModels(const ModelHosts& hosts, const RunOptions& options,
                                      IdSource& ids, const std::stop_token& stop);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MODEL_FETCH_H_
