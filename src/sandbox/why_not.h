#ifndef CURSORWIRE_SRC_SANDBOX_WHY_NOT_H_
#define CURSORWIRE_SRC_SANDBOX_WHY_NOT_H_

#include <cstdint>
#include <string>

namespace cursorwire::sandbox {

// What was seen when bubblewrap was tried and did not work. A value.
struct BwrapFailure {
  bool timed_out = false;
  std::string errors{};              // of bubblewrap, as it wrote them
  int64_t max_user_namespaces = -1;  // user.max_user_namespaces; -1: unknown
  int64_t userns_clone = -1;         // kernel.unprivileged_userns_clone, of older Debian
  int64_t apparmor_restricts = -1;   // kernel.apparmor_restrict_unprivileged_userns, of Ubuntu
};

// One sentence for the user, without a full stop: the reason, and what to do about it. What
// bubblewrap said is cut to a line of visible characters.
std::string WhyBwrapFailed(const BwrapFailure& failure);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_WHY_NOT_H_
