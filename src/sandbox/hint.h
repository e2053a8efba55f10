#ifndef CURSORWIRE_SRC_SANDBOX_HINT_H_
#define CURSORWIRE_SRC_SANDBOX_HINT_H_

#include <string>
#include <string_view>

#include "cursorwire/sandbox.h"

namespace cursorwire::sandbox {

// One line for the model, about a command that failed in the sandbox: what is closed there, and
// which permission opens it ("network", "git_write", "all"). Empty: nothing in the end of its
// output looks like that. A guess by words, which a program may print for another reason; of more
// than 16 KiB the last are read.
std::string Hint(const SandboxPolicy& policy, std::string_view output_tail);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_HINT_H_
