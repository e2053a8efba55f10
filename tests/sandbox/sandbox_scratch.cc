// Where the tests of the sandbox have their folders, and the program that tries to get out, unless
// the environment says so.
#include <cstdlib>

namespace {

[[maybe_unused]] const bool kHasScratch = [] {
  return ::setenv("TEST_TMPDIR", SANDBOX_SCRATCH, 0) == 0 &&
         ::setenv("CURSORWIRE_ESCAPES", SANDBOX_SCRATCH "/sandbox_escapes", 0) == 0;
}();

}  // namespace
