#ifndef CURSORWIRE_SRC_PROCESS_SYSTEM_ERROR_H_
#define CURSORWIRE_SRC_PROCESS_SYSTEM_ERROR_H_

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <system_error>

#include "base/error.h"

namespace cursorwire::process {

// kUnknown, with the system's words for an errno value.
inline absl::Status SystemError(int error) {
  return LocalError(absl::StatusCode::kUnknown,
                    absl::StrCat("the system says: ", std::system_category().message(error)));
}

}  // namespace cursorwire::process

#endif  // CURSORWIRE_SRC_PROCESS_SYSTEM_ERROR_H_
