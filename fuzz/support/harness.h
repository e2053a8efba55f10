#ifndef CURSORWIRE_FUZZ_SUPPORT_HARNESS_H_
#define CURSORWIRE_FUZZ_SUPPORT_HARNESS_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// Each harness defines this: it runs one input, and aborts if an invariant does not hold.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace cursorwire::fuzz {

// Aborts and names the caller if an invariant does not hold.
inline void Check(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: the invariant does not hold\n", file, line);
  std::abort();
}

}  // namespace cursorwire::fuzz

#endif  // CURSORWIRE_FUZZ_SUPPORT_HARNESS_H_
