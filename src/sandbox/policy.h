#ifndef CURSORWIRE_SRC_SANDBOX_POLICY_H_
#define CURSORWIRE_SRC_SANDBOX_POLICY_H_

#include <string>
#include <vector>

#include "cursorwire/sandbox.h"

namespace cursorwire::sandbox {

// What both allow: a stranger's wish can take from the user's policy, and never adds to it. Of the
// user's writable paths those stay that the wish names, or that lie below one which it names; of
// one below the user's none stays, since it may be a link that leads elsewhere. Hidden is what
// either hides.
SandboxPolicy Narrow(const SandboxPolicy& user, const SandboxPolicy& wish);

// The names of the permissions that `wanted` has and `user` has not, in this order: "workspace" (it
// may be changed), "network", "git_write", "tmp", "write:PATH", and "see:PATH" for what it does not
// hide. Empty: it asks for nothing more.
std::vector<std::string> WidensBeyond(const SandboxPolicy& user, const SandboxPolicy& wanted);

// One short line for a question or a result, without a full stop: "workspace and /tmp may be
// changed, no network, .git is read-only". Paths are shown with visible characters alone; three of
// them, then how many more there are.
std::string Describe(const SandboxPolicy& policy);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_POLICY_H_
