#ifndef CURSORWIRE_TESTS_SUPPORT_HEAP_BYTES_H_
#define CURSORWIRE_TESTS_SUPPORT_HEAP_BYTES_H_

#include <cstddef>

namespace cursorwire::test {

// What this process holds of operator new. Programs that link heap_bytes.cc count it.
size_t HeapBytes();
// The most that it held at a time since ResetPeakHeapBytes(), which returns what it holds now.
size_t PeakHeapBytes();
size_t ResetPeakHeapBytes();

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_HEAP_BYTES_H_
