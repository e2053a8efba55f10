#include "common/hide_memory.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace cursor_apps {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(leak_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

void HideMemory() {
  if (kSanitized) return;
  // The kernel makes no core dump of such a process, whatever the limit. exec() resets this.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) return;
  // If prctl() is forbidden, lower the limit. Commands inherit the limit, and may raise it again.
  rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) != 0) return;
  core.rlim_cur = 0;
  ::setrlimit(RLIMIT_CORE, &core);
}

}  // namespace cursor_apps
