#ifndef CURSORWIRE_SRC_SANDBOX_SUPPORT_H_
#define CURSORWIRE_SRC_SANDBOX_SUPPORT_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace cursorwire::sandbox {

enum class Backend : uint8_t {
  kNone,
  kPartial,  // Landlock and seccomp: nothing can be hidden or protected within the workspace
  kFull,     // bubblewrap: namespaces, and seccomp where this library has libseccomp
};

// What this machine can do. A value.
struct Support {
  Backend backend = Backend::kNone;
  std::string bwrap{};           // absolute path; empty: not found
  bool disables_userns = false;  // bwrap knows --disable-userns
  bool has_filter = false;       // this library was built with libseccomp
  int landlock_abi = 0;          // 0: the kernel has no Landlock
  // One sentence for the user: why `backend` is not kFull, and what to do about it. Empty if it is.
  std::string why_not{};
};

struct ProbeOptions {
  std::string bwrap{};  // an absolute path, in place of /usr/bin/bwrap and /usr/local/bin/bwrap
  std::chrono::milliseconds timeout{5000};  // of each trial: a bubblewrap that hangs is killed
};

// Tries it: starts bubblewrap around a command that does nothing, with all that a plan uses. Takes
// some 50 ms. Never fails: what fails is the reason.
Support Probe(const ProbeOptions& options = {});

// Probe(), once for each process. Thread-safe.
const Support& OwnSupport();

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_SUPPORT_H_
