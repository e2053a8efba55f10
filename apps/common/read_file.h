#ifndef CURSORWIRE_APPS_COMMON_READ_FILE_H_
#define CURSORWIRE_APPS_COMMON_READ_FILE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>

namespace cursor_apps {

inline constexpr size_t kMaxTextBytes = size_t{32} * 1024 * 1024;

// Reads to the end of an open file or pipe. `name` is for messages.
//   kInvalidArgument  it cannot be read, or has more than `max_bytes`
absl::StatusOr<std::string> ReadDescriptor(int fd, const std::string& name, size_t max_bytes);

// Reads a whole file.
//   kInvalidArgument  the file cannot be read, or is larger than `max_bytes`
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxTextBytes);

// The file that --cacert names, in PEM. The library refuses bad certificates too; this message also
// names the file.
//   kInvalidArgument  as above, or there is no certificate in it
absl::StatusOr<std::string> ReadCertificates(const std::string& file);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_READ_FILE_H_
