#ifndef CURSORWIRE_SRC_CLIENT_MODEL_FETCH_H_
#define CURSORWIRE_SRC_CLIENT_MODEL_FETCH_H_

#include <absl/status/statusor.h>

#include "cursorwire/connect/channel.h"
#include "cursorwire/id_source.h"
#include "cursorwire/model.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

// Where the two calls that make the catalog go; both may be the same channel.
struct ModelHosts {
  const connect::Channel& agent;
  const connect::Channel& api;
};

// Makes both calls at once and waits for both, 15 seconds at most.
//   both failed: the error that says more; else OK, with the other's error in `failures`
absl::StatusOr<ModelList> FetchModels(const ModelHosts& hosts, const RunOptions& options,
                                      IdSource& ids);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MODEL_FETCH_H_
