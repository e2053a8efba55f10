#ifndef CURSORWIRE_TESTS_SUPPORT_SIZES_H_
#define CURSORWIRE_TESTS_SUPPORT_SIZES_H_

#include <cstddef>

namespace cursorwire::test {

inline constexpr size_t kKiB = 1024;
inline constexpr size_t kMiB = 1024 * kKiB;

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_SIZES_H_
