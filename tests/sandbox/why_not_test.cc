#include "sandbox/why_not.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::sandbox {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(WhyBwrapFailed, NamesTheReasonAndTheWayOut) {
  constexpr const char* kForbidden =
      "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
      "non-privileged user namespaces.\n";
  const struct {
    const char* name;
    BwrapFailure failure;
    const char* said;
  } cases[] = {
      {"hangs", {.timed_out = true}, "did not end"},
      {"switched off",
       {.errors = "bwrap: Creating new namespace failed: nesting depth or "
                  "/proc/sys/user/max_*_namespaces exceeded (ENOSPC)\n",
        .max_user_namespaces = 0},
       "user.max_user_namespaces=10000"},
      {"nested",
       {.errors = "bwrap: Creating new namespace failed: nesting depth or "
                  "/proc/sys/user/max_*_namespaces exceeded (ENOSPC)\n",
        .max_user_namespaces = 5000},
       "in a sandbox itself"},
      {"older Debian",
       {.errors = kForbidden, .userns_clone = 0},
       "kernel.unprivileged_userns_clone=1"},
      {"Ubuntu, network",
       {.errors = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n",
        .apparmor_restricts = 1},
       "kernel.apparmor_restrict_unprivileged_userns=0"},
      {"Ubuntu, uid map",
       {.errors = "bwrap: setting up uid map: Permission denied\n", .apparmor_restricts = 1},
       "AppArmor profile"},
      {"Docker", {.errors = kForbidden, .apparmor_restricts = 0}, "seccomp=unconfined"},
      {"proc",
       {.errors = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n"},
       "systempaths=unconfined"},
      {"other", {.errors = "\nbwrap: the moon is full\nmore\n"}, "failed: bwrap: the moon is full"},
      {"silent", {}, "without saying why"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(WhyBwrapFailed(c.failure), HasSubstr(c.said));
  }
}

TEST(WhyBwrapFailed, CutsWhatBwrapSaid) {
  const std::string why = WhyBwrapFailed({.errors = "\x1b[2J" + std::string(100000, 'x')});
  EXPECT_LT(why.size(), 300U);
  EXPECT_THAT(why, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace cursorwire::sandbox
