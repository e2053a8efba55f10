#ifndef CURSORWIRE_APPS_COLLAB_SHARE_H_
#define CURSORWIRE_APPS_COLLAB_SHARE_H_

#include <absl/status/statusor.h>
#include <cursorwire/collab/shared_text.h>
#include <cursorwire/connect/tls_options.h>

#include <chrono>
#include <memory>
#include <string>

#include "options.h"

namespace cursor_collab {

// A wait that somebody else ends.
inline constexpr std::chrono::hours kLongWait{24};

// What --cacert says.
absl::StatusOr<cursorwire::connect::TlsOptions> MakeTlsOptions(const Options& options);

// The text that the options name, for a peer whose id begins with `peer_prefix`.
absl::StatusOr<std::unique_ptr<cursorwire::collab::SharedText>> OpenText(
    const Options& options, const std::string& peer_prefix, const std::string& name);

// Why a document has not come. `lost`: why the last connection, or attempt, has ended.
absl::Status UnavailableError(const Options& options, bool is_connected, const absl::Status& lost);

}  // namespace cursor_collab

#endif  // CURSORWIRE_APPS_COLLAB_SHARE_H_
