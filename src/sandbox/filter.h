#ifndef CURSORWIRE_SRC_SANDBOX_FILTER_H_
#define CURSORWIRE_SRC_SANDBOX_FILTER_H_

#include <absl/status/statusor.h>

#include <string>

namespace cursorwire::sandbox {

// What the filter of system calls is for. A value.
struct FilterOptions {
  // True: for a command in namespaces of its own (bubblewrap), which bound sockets and ptrace.
  // False: for one under Landlock.
  bool in_namespaces = true;
  // Without namespaces: sockets other than those of AF_UNIX.
  bool network = false;
  // Without namespaces: the kernel's Landlock does not hold truncate(), which is so before ABI 3.
  bool refuse_truncate = false;
};

// Whether this library was built with libseccomp.
bool HasFilter();

// The filter as the kernel takes it, an array of struct sock_filter; empty without libseccomp. It
// refuses system calls and never kills. docs/sandbox.md has the list and the reasons.
//   kUnavailable  libseccomp failed; says where
absl::StatusOr<std::string> MakeFilter(const FilterOptions& options);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_FILTER_H_
