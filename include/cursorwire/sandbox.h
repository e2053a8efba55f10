// Room: values
#ifndef CURSORWIRE_SANDBOX_H_
#define CURSORWIRE_SANDBOX_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cursorwire {

enum class WorkspaceAccess : uint8_t { kWrite, kRead };

// What a command may do in the sandbox. docs/sandbox.md has what each permission opens, and what is
// closed whatever is said here. A value.
struct SandboxPolicy {
  WorkspaceAccess workspace = WorkspaceAccess::kWrite;
  bool network = false;    // false: the loopback of the command's own, and nothing else
  bool git_write = false;  // false: what is in `.git` can be read alone
  bool tmp_write = true;   // a /tmp of the session's own; false: it can be read alone
  // Files and folders beside the workspace that may be changed: absolute paths. Those that do not
  // exist are passed by.
  std::vector<std::string> writable{};
  // What cannot be seen, beside what never can: absolute paths, also in the workspace.
  std::vector<std::string> hidden{};

  bool operator==(const SandboxPolicy&) const = default;
};

// Where commands run.
enum class SandboxMode : uint8_t {
  kOff,      // as the user
  kAuto,     // in the sandbox, where this machine has all of it; otherwise as the user
  kPartial,  // the same, but a part of it will do: nothing in the workspace is protected or hidden
  kRequire,  // in the sandbox, or not at all
};

// A value.
struct SandboxSettings {
  SandboxMode mode = SandboxMode::kOff;
  SandboxPolicy policy{};
  // What the service wishes beyond the policy: true: the action names it, and is decided upon with
  // it (ShellAction::permissions); false: it is left out, and the service is told so.
  bool ask_for_more = false;
};

// What this machine has.
struct SandboxSupport {
  bool full = false;
  bool partial = false;   // at least SandboxMode::kPartial can be served
  std::string why_not{};  // a sentence for the user, with what to do; empty if `full`
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SANDBOX_H_
