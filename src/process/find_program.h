#ifndef CURSORWIRE_SRC_PROCESS_FIND_PROGRAM_H_
#define CURSORWIRE_SRC_PROCESS_FIND_PROGRAM_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace cursorwire::process {

// The file of a program as execvp() finds it: a name with a slash is the path itself, others are
// looked for in the folders of `path`, a value of PATH; unlike there, entries of it that are empty
// or relative are passed by, since they stand for whatever folder somebody happens to be in.
// `folder` is an absolute path: a name with a slash is relative to it. The result is absolute.
//   kNotFound          there is no such program
//   kPermissionDenied  there is one that the user may not run
absl::StatusOr<std::string> FindProgram(std::string_view name, std::string_view path,
                                        std::string_view folder);

}  // namespace cursorwire::process

#endif  // CURSORWIRE_SRC_PROCESS_FIND_PROGRAM_H_
