#ifndef CURSORWIRE_SRC_WORKSPACE_FS_TEXT_FILE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_TEXT_FILE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <optional>

#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// The text of a file in UTF-16 as a file in memory that holds it in UTF-8, without a mark. nullopt:
// the file is none (Utf16ToUtf8()), or has more than `max_bytes`. `file` is at its start before and
// after.
//   kUnknown  the file cannot be read, or there is no memory
absl::StatusOr<std::optional<OpenFile>> OpenUtf16(const OpenFile& file, size_t max_bytes);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_TEXT_FILE_H_
