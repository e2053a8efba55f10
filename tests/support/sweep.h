#ifndef CURSORWIRE_TESTS_SUPPORT_SWEEP_H_
#define CURSORWIRE_TESTS_SUPPORT_SWEEP_H_

#include <cstddef>
#include <cstdlib>

namespace cursorwire::test {

// How far apart the cases of a sweep are that takes minutes as a whole: `slice`, or 1 where
// scripts/deep.sh runs the tests, which sets CURSORWIRE_DEEP.
inline size_t SweepStride(size_t slice) {
  return std::getenv("CURSORWIRE_DEEP") == nullptr ? slice : 1;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_SWEEP_H_
