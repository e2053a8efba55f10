#ifndef CURSORWIRE_TESTS_SUPPORT_SWEEP_H_
#define CURSORWIRE_TESTS_SUPPORT_SWEEP_H_

#include <cstddef>
#include <cstdlib>
#include <random>

namespace cursorwire::test {

// Whether sweeps are done as a whole: scripts/deep.sh runs the tests, which sets CURSORWIRE_DEEP.
// tests/apps/support.sh has the same for tests in shell.
inline bool SweepsAreWhole() { return std::getenv("CURSORWIRE_DEEP") != nullptr; }

// How far apart the cases of a sweep are that takes minutes as a whole: `slice`, or 1.
inline size_t SweepStride(size_t slice) { return SweepsAreWhole() ? 1 : slice; }

// Of a sweep over random cases: those of a slice are the same in each run.
inline unsigned SweepSeed() { return SweepsAreWhole() ? std::random_device()() : 1; }

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_SWEEP_H_
