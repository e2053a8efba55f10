// Room: src/client/conversation
#ifndef CURSORWIRE_BLOB_FOLDER_H_
#define CURSORWIRE_BLOB_FOLDER_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>

#include "cursorwire/blob_store.h"
#include "cursorwire/export.h"

namespace cursorwire {

// Blobs as files of a folder, named by their ids, for programs that live long or keep many
// conversations. The folder is made if it is missing, mode 0700; files have mode 0600, and appear
// whole or not at all. A file whose bytes are not those of its name counts as absent.
//
// The bound counts what lies in the folder when it is opened and what this process adds. Several
// processes may use one folder, but each protects only its own blobs from being evicted: give all
// but one of them a bound that they do not reach.
// A blob of our own that the disk does not take is kept in memory.
//   kFailedPrecondition  the folder cannot be made or used; others may read it
CURSORWIRE_EXPORT absl::StatusOr<std::shared_ptr<BlobStore>> OpenBlobFolder(
    const std::string& folder, BlobLimits limits = {.total_bytes = size_t{1024} * 1024 * 1024});

}  // namespace cursorwire

#endif  // CURSORWIRE_BLOB_FOLDER_H_
