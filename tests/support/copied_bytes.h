#ifndef CURSORWIRE_TESTS_SUPPORT_COPIED_BYTES_H_
#define CURSORWIRE_TESTS_SUPPORT_COPIED_BYTES_H_

#include <cstddef>

namespace cursorwire::test {

// What this process and its shared libraries have copied with memcpy() and memmove() since it
// started. Programs that link copied_bytes.cc count it; it needs glibc, and no sanitizer. Copies of
// a few bytes whose number the compiler knows are no calls, and are not seen.
size_t CopiedBytes();

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_COPIED_BYTES_H_
