#ifndef CURSORWIRE_TESTS_SUPPORT_HEAP_BYTES_H_
#define CURSORWIRE_TESTS_SUPPORT_HEAP_BYTES_H_

#include <cstddef>

namespace cursorwire::test {

// What this process holds of operator new. Programs that link heap_bytes.cc count it.
size_t HeapBytes();
// The most that it held at a time since ResetPeakHeapBytes(), which returns what it holds now.
size_t PeakHeapBytes();
size_t ResetPeakHeapBytes();

// What this process has asked operator new for since it started, freed or not.
size_t HeapAllocations();
size_t AllocatedHeapBytes();

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_HEAP_BYTES_H_
