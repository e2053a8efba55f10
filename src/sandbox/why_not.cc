#include "sandbox/why_not.h"

#include <absl/strings/str_cat.h>

#include <string_view>

#include "base/strings.h"

namespace cursorwire::sandbox {
namespace {

constexpr size_t kMaxShownErrorBytes = 200;

bool Says(const BwrapFailure& failure, std::string_view phrase) {
  return failure.errors.find(phrase) != std::string::npos;
}

std::string FirstLine(std::string_view errors) {
  while (errors.starts_with('\n')) errors.remove_prefix(1);
  return Printable(errors.substr(0, errors.find('\n')), kMaxShownErrorBytes);
}

// The system refused a namespace, or a right within one.
bool IsRefused(const BwrapFailure& failure) {
  return Says(failure, "No permissions to create new namespace") ||
         Says(failure, "Creating new namespace failed") || Says(failure, "setting up uid map") ||
         Says(failure, "RTM_NEWADDR") || Says(failure, "Failed to make / slave");
}

}  // namespace

std::string WhyBwrapFailed(const BwrapFailure& failure) {
  if (failure.timed_out) {
    return "bubblewrap was tried and did not end; run \"bwrap --ro-bind / / true\" to see why";
  }
  if (failure.max_user_namespaces == 0) {
    return "user namespaces are switched off here; allow them with "
           "\"sysctl user.max_user_namespaces=10000\", as root";
  }
  if (failure.userns_clone == 0 && IsRefused(failure)) {
    return "user namespaces are closed to ordinary users here; allow them with "
           "\"sysctl kernel.unprivileged_userns_clone=1\", as root";
  }
  if (failure.apparmor_restricts > 0 && IsRefused(failure)) {
    return "AppArmor restricts user namespaces here, as Ubuntu does by default; give bwrap an "
           "AppArmor profile that allows \"userns\", or set "
           "\"sysctl kernel.apparmor_restrict_unprivileged_userns=0\", as root";
  }
  if (Says(failure, "(ENOSPC)")) {
    return "no further user namespace can be made here: there are too many, or this program is in "
           "a sandbox itself; raise the sysctl user.max_user_namespaces, or run it outside";
  }
  if (Says(failure, "mount proc on")) {
    return "/proc cannot be mounted anew here, as in a container that hides parts of it; start the "
           "container with \"--security-opt systempaths=unconfined\"";
  }
  if (IsRefused(failure)) {
    return "namespaces are forbidden here, as in a container with Docker's default seccomp "
           "profile; "
           "start the container with \"--security-opt seccomp=unconfined\" and "
           "\"--security-opt apparmor=unconfined\"";
  }
  const std::string line = FirstLine(failure.errors);
  if (line.empty()) return "bubblewrap was tried and failed without saying why";
  return absl::StrCat("bubblewrap was tried and failed: ", line);
}

}  // namespace cursorwire::sandbox
